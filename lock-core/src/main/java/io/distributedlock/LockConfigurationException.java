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
 * Thrown when the lock store rejects a request for a reason that a retry does not
 * resolve: a missing permission, a wrong password, or a key of another type under the
 * lock's name.
 *
 * @since 0.1.0
 */
public final class LockConfigurationException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create a new instance.
	 * @param name the name of the lock, or an empty string if the problem is not with a
	 * single lock
	 * @param message what was found and what to do
	 * @param cause the exception of the store's client, or {@code null}
	 */
	public LockConfigurationException(String name, String message, @Nullable Throwable cause) {
		super(name, message, cause);
	}

}
