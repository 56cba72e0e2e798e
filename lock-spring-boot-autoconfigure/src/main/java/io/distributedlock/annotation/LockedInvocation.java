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

package io.distributedlock.annotation;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Runs methods of one kind of return type under a lock.
 */
interface LockedInvocation {

	/**
	 * Acquire the lock, run the method and release the lock when its work is done.
	 * @param lock the lock
	 * @param call the call
	 * @return the result of the call
	 * @throws Throwable what the method throws, or what prevented it
	 */
	@Nullable Object invoke(LockOperation lock, LockedCall call) throws Throwable;

	/**
	 * Acquire several locks, run the method and release the locks when its work is done.
	 * @param locks the locks
	 * @param call the call
	 * @return the result of the call
	 * @throws Throwable what the method throws, or what prevented it
	 */
	default @Nullable Object invoke(List<LockOperation> locks, LockedCall call) throws Throwable {
		return SeveralLocksCall.invoke(this, locks, call);
	}

}
