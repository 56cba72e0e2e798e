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

import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Base class of the exceptions of the lock service. The permitted subclasses name the
 * reason.
 *
 * @since 0.1.0
 */
public abstract sealed class LockException extends RuntimeException permits LockNotAcquiredException, LockLostException,
		LockUnavailableException, LockConfigurationException, LockInterruptedException, InvalidLockNameException {

	private static final long serialVersionUID = 1L;

	private final String name;

	LockException(String name, String message, @Nullable Throwable cause) {
		super(Printable.of(message), cause);
		this.name = name;
	}

	/**
	 * Return the name of the lock.
	 * @return the name, or an empty string if the problem is not with a single lock
	 */
	public final String getLockName() {
		return this.name;
	}

}
