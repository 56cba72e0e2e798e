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

/**
 * Fences the transactions of one locked method, or leaves them alone.
 */
public interface LockFence {

	/**
	 * The fence of a method that is not fenced.
	 */
	LockFence NONE = new LockFence() {

		@Override
		public void prepare() {
		}

		@Override
		public void mark(LockHandle handle) {
		}

		@Override
		public void assertClaimed(LockHandle handle) {
		}

		@Override
		public void claim(LockHandle handle) {
		}

	};

	/**
	 * Create everything that the first transaction needs.
	 */
	void prepare();

	/**
	 * Let the transactions that begin under a lock claim the fence. Called before the
	 * lock is shown to the method.
	 */
	void mark(LockHandle handle);

	/**
	 * Ensure that the method has not worked without a fence, as it does if no transaction
	 * has begun.
	 */
	void assertClaimed(LockHandle handle);

	/**
	 * Claim the fence in the transaction that runs already and that keeps the lock,
	 * unless that is one of a message broker or the like.
	 */
	void claim(LockHandle handle);

}
