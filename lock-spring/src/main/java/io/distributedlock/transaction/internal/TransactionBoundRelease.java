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

package io.distributedlock.transaction.internal;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Releases the locks that were taken inside a running transaction after that transaction
 * has completed, so that the next holder sees what was committed; and rolls the
 * transaction back if one of them is lost before. Requires spring-tx.
 *
 * <p>
 * A synchronization that is registered after all others releases the locks after all
 * other work at the completion, such as event listeners.
 */
final class TransactionBoundRelease extends TransactionLocks implements TransactionSynchronization {

	private static final Object KEY = TransactionBoundRelease.class;

	private volatile boolean last;

	private TransactionBoundRelease(@Nullable TransactionLocks outer) {
		super(outer);
	}

	/**
	 * Look for the transaction of the current thread.
	 * @param own the name of the only transaction that may keep locks, or {@code null}
	 * for any
	 */
	static Found find(@Nullable String own) {
		TransactionLocks bound = open(TransactionSynchronizationManager.getResource(KEY));
		if (!TransactionSynchronizationManager.isActualTransactionActive()
				|| !TransactionSynchronizationManager.isSynchronizationActive()
				|| (own != null && !own.equals(TransactionSynchronizationManager.getCurrentTransactionName()))) {
			return (bound != null) ? new Found(null, bound) : Found.NONE;
		}
		TransactionBoundRelease present = (TransactionBoundRelease) present(bound);
		if (present == null) {
			present = new TransactionBoundRelease(bound);
			bind(present);
		}
		// Each time, in case it is left over from a transaction that never completed
		TransactionSynchronizationManager.registerSynchronization(present);
		return new Found(present, present);
	}

	private static void bind(@Nullable TransactionLocks locks) {
		TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
		if (locks != null) {
			TransactionSynchronizationManager.bindResource(KEY, locks);
		}
	}

	@Override
	public void suspend() {
		suspended(true);
	}

	@Override
	public void resume() {
		suspended(false);
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		if (!readOnly) {
			assertHeld();
		}
	}

	@Override
	public void beforeCompletion() {
		if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			return;
		}
		this.last = true;
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				release(status);
			}

		});
	}

	@Override
	public void afterCompletion(int status) {
		if (!this.last) {
			release(status);
		}
	}

	private void release(int status) {
		if (TransactionSynchronizationManager.getResource(KEY) == this) {
			bind(outer());
		}
		complete(status == STATUS_COMMITTED).forEach(LockHandle::close);
	}

}
