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

package io.distributedlock.annotation.internal;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * A call of an annotated method, however it was intercepted.
 */
public interface LockedCall {

	/**
	 * Return {@code null} for a static method.
	 */
	@Nullable Object target();

	/**
	 * Return the arguments as the caller gave them.
	 */
	@Nullable Object[] arguments();

	@Nullable Object proceed(@Nullable Object[] arguments) throws Throwable;

	/**
	 * Proceed under a lock that was acquired for this call.
	 * @param handle on that lock, or {@code null} if the call needs none
	 */
	default @Nullable Object proceed(@Nullable LockHandle handle, @Nullable Object[] arguments) throws Throwable {
		return proceed(arguments);
	}

	/**
	 * Return a call that can be run independently of this one.
	 */
	default LockedCall fork() {
		return this;
	}

}
