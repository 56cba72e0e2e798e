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

package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a text is not a valid lock name.
 *
 * @since 0.1.0
 */
public final class InvalidLockNameException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create a new instance.
	 * @param name the rejected text, possibly shortened
	 * @param message what is wrong with it and what to do
	 */
	public InvalidLockNameException(String name, String message) {
		this(name, message, null);
	}

	/**
	 * Create a new instance with a cause.
	 * @param name the rejected text, possibly shortened
	 * @param message what is wrong with it and what to do
	 * @param cause the cause, or {@code null}
	 */
	public InvalidLockNameException(String name, String message, @Nullable Throwable cause) {
		super(name, message, cause);
	}

}
