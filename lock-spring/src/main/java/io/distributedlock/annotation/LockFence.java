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

import java.util.function.Supplier;

import io.distributedlock.LockHandle;
import io.distributedlock.fencing.Fences;
import io.distributedlock.fencing.internal.FencedLocks;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Fences the transactions of one locked method, or leaves them alone.
 *
 * @param fences provides the fences, or {@code null} if the method is not fenced
 */
record LockFence(@Nullable Supplier<Fences> fences) {

	static final LockFence NONE = new LockFence(null);

	/**
	 * Create everything that the first transaction needs.
	 */
	void prepare() {
		if (this.fences != null) {
			this.fences.get();
		}
	}

	/**
	 * Let the transactions that begin under a lock claim the fence. Called before the
	 * lock is shown to the method.
	 */
	void mark(LockHandle handle) {
		if (this.fences != null) {
			this.fences.get();
			FencedLocks.mark(handle);
		}
	}

	/**
	 * Ensure that the method has not worked without a fence, as it does if no transaction
	 * has begun.
	 */
	void assertClaimed(LockHandle handle) {
		Assert.state(this.fences == null || FencedLocks.isClaimed(handle),
				() -> "No transaction has claimed the fence of lock '" + Printable.of(handle.name())
						+ "': none has begun under the lock, although the method is @Transactional. What the method has "
						+ "written is not fenced. Enable transaction management for its bean, with a transaction manager "
						+ "of JDBC or JPA.");
	}

	/**
	 * Claim the fence in the transaction that runs already and that keeps the lock,
	 * unless that is one of a message broker or the like.
	 */
	void claim(LockHandle handle) {
		Fences claimed = (this.fences != null) ? this.fences.get() : null;
		if (claimed != null && claimed.isInTransaction()) {
			FencedLocks.mark(handle);
			claimed.claim(handle);
		}
	}

}
