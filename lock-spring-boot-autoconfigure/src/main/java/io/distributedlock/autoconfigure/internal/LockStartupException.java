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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the application must not start, because of its settings or of the lock
 * store. The report consists of its message and the action.
 */
public final class LockStartupException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String action;

	/** As one of several. */
	private final String entry;

	/**
	 * Create a new instance.
	 * @param problem the problem, in sentences
	 * @param action how to solve it, in sentences
	 */
	public LockStartupException(String problem, String action, @Nullable Throwable cause) {
		this(problem, action, entry("Distributed locks", problem, action), cause);
	}

	private LockStartupException(String text, String action, String entry, @Nullable Throwable cause) {
		super(text, cause);
		this.action = action;
		this.entry = entry;
	}

	/**
	 * Create a new instance for properties that contradict each other, or have no effect
	 * as written.
	 * @param settings the properties with their values; those without one are left out
	 */
	public static LockStartupException ofSettings(String problem, Map<String, ? extends @Nullable Object> settings,
			String action, @Nullable Throwable cause) {
		List<String> found = new ArrayList<>();
		settings.forEach((name, value) -> {
			if (value != null) {
				found.add("%s = %s".formatted(name,
						(value instanceof Duration duration) ? Printable.of(duration) : value));
			}
		});
		String text = problem + "%n%nFound:%n".formatted()
				+ found.stream().map("%n    %s"::formatted).collect(Collectors.joining());
		return new LockStartupException(text, action, entry(String.join(", ", found), problem, action), cause);
	}

	/**
	 * Return an exception that reports others together.
	 * @param refused at least one
	 */
	public static LockStartupException ofAll(List<LockStartupException> refused) {
		if (refused.size() == 1) {
			return refused.get(0);
		}
		String text = IntStream.range(0, refused.size())
			.mapToObj((index) -> "%n%n%d. %s".formatted(index + 1, refused.get(index).entry))
			.collect(Collectors.joining());
		return new LockStartupException(
				"There are %d mistakes in the properties of distributed locks:".formatted(refused.size()) + text,
				"Correct the problems listed above.", refused.get(0));
	}

	private static String entry(String found, String problem, String action) {
		return "%s%n   Found:  %s%n   Fix:    %s".formatted(found, problem, action);
	}

	/**
	 * Return how to solve the problem, in sentences.
	 */
	public String getAction() {
		return this.action;
	}

}
