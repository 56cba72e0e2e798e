/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.distributedlock.autoconfigure.internal;

import java.time.Duration;
import java.util.Map;

import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the application must not start, because of its settings or of the lock
 * store. The report consists of its message and the action.
 */
public final class LockStartupException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String action;

	/**
	 * Create a new instance.
	 * @param problem the problem, in sentences
	 * @param action how to solve it, in sentences
	 */
	public LockStartupException(String problem, String action, @Nullable Throwable cause) {
		super(problem, cause);
		this.action = action;
	}

	/**
	 * Create a new instance for properties that contradict each other, or have no effect
	 * as written.
	 * @param settings the properties with their values; those without one are left out
	 */
	public static LockStartupException ofSettings(String problem, Map<String, ? extends @Nullable Object> settings,
			String action, @Nullable Throwable cause) {
		StringBuilder text = new StringBuilder(problem).append("%n%nFound:%n".formatted());
		settings.forEach((name, value) -> {
			if (value != null) {
				text.append("%n    %s = %s".formatted(name,
						(value instanceof Duration duration) ? Printable.of(duration) : value));
			}
		});
		return new LockStartupException(text.toString(), action, cause);
	}

	/**
	 * Return how to solve the problem, in sentences.
	 */
	public String getAction() {
		return this.action;
	}

}
