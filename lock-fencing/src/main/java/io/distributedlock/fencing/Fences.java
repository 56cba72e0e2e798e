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

package io.distributedlock.fencing;

import io.distributedlock.LockHandle;

/**
 * The fences of locks: one row for each lock in the database, with the largest fencing
 * token that has claimed it. A transaction that claims the fence of its lock before it
 * does anything else excludes every earlier holder from then on. If an earlier holder is
 * about to commit, the claim waits for it.
 *
 * <pre class="code">
 * try (LockHandle lock = this.locks.acquire("account:7", LockOptions.ofLease(Duration.ofSeconds(30)))) {
 * 	this.transaction.executeWithoutResult((status) -> {
 * 		this.fences.claim(lock);
 * 		this.accounts.deposit(7, 10);
 * 	});
 * }
 * </pre>
 *
 * <p>
 * The transactions of methods with {@code @DistributedLock(fenced = true)} claim their
 * fences automatically.
 *
 * @since 0.1.0
 */
public interface Fences {

	/**
	 * Claim the fence of a lock for the transaction of the current thread, in the
	 * database of each data source that takes part in it. Call it before the first
	 * statement: data that the transaction has read before may be out of date. Claims
	 * that it made when it began are not repeated. Fences of several locks are claimed in
	 * the order of their names.
	 * @param handle the lock, or several locks, that the transaction works under
	 * @throws StaleLockException if a later holder has claimed the fence already; the
	 * transaction cannot commit any more
	 * @throws IllegalStateException if the lock was released, or if there is no
	 * transaction that can claim: none of a fenced data source is active, or it is
	 * read-only
	 * @throws org.springframework.dao.DataAccessException if the database refuses
	 */
	void claim(LockHandle handle);

	/**
	 * Return whether there is a transaction that can claim fences, unless it is
	 * read-only.
	 * @return whether a transaction of a fenced data source is active in this thread
	 */
	boolean isInTransaction();

}
