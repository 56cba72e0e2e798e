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

package io.distributedlock.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when properties contradict each other, or have no effect as written.
 */
final class InvalidLockSettingsException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final LinkedHashMap<String, String> settings;

	private final String action;

	/**
	 * Create a new instance.
	 * @param problem what is wrong, a sentence
	 * @param settings the properties that are concerned, with their values
	 * @param action what to do, a sentence
	 * @param cause what refused the settings, or {@code null}
	 */
	InvalidLockSettingsException(String problem, Map<String, String> settings, String action,
			@Nullable Throwable cause) {
		super(problem, cause);
		this.settings = new LinkedHashMap<>(settings);
		this.action = action;
	}

	Map<String, String> getSettings() {
		return this.settings;
	}

	String getAction() {
		return this.action;
	}

}
