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

import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;

import org.jspecify.annotations.Nullable;

/**
 * Decides whether the work of one call is done once the call has its lock, and learns how
 * the work ended.
 */
public interface WorkGuard {

	/**
	 * The guard of a call whose work is always done.
	 */
	WorkGuard NONE = new WorkGuard() {

		@Override
		public void refused(Throwable reason) {
		}

		@Override
		public CompletableFuture<Boolean> begin(LockHandle handle) {
			return CompletableFuture.completedFuture(true);
		}

		@Override
		public CompletableFuture<@Nullable Void> end(LockHandle handle, @Nullable Throwable failure) {
			return CompletableFuture.completedFuture(null);
		}

	};

	/**
	 * Return what the work is for, as a sentence of the log, or an empty text.
	 */
	default String purpose() {
		return "";
	}

	/**
	 * The call did not get its lock.
	 */
	void refused(Throwable reason);

	/**
	 * Decide whether the work is done. If this fails, it is not.
	 */
	CompletableFuture<Boolean> begin(LockHandle handle);

	/**
	 * The work that was begun has ended.
	 * @param failure why it failed, or {@code null} if it succeeded
	 * @return a future that never fails, and completes when the lock may be released
	 */
	CompletableFuture<@Nullable Void> end(LockHandle handle, @Nullable Throwable failure);

}
