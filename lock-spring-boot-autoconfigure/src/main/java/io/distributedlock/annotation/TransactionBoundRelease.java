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

import io.distributedlock.LockHandle;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Releases a lock that was taken inside a running transaction after that transaction has
 * completed, so that the next holder sees what was committed; and lets the transaction
 * roll back if the lock is lost before. Needs spring-tx.
 */
final class TransactionBoundRelease implements TransactionSynchronization {

	private final LockHandle handle;

	private TransactionBoundRelease(LockHandle handle) {
		this.handle = handle;
	}

	/**
	 * Leave the release of the lock to the transaction of the current thread, if there is
	 * one.
	 * @param handle the lock
	 * @return whether there is a transaction that will release the lock
	 */
	static boolean bind(LockHandle handle) {
		if (!TransactionSynchronizationManager.isActualTransactionActive()
				|| !TransactionSynchronizationManager.isSynchronizationActive()) {
			return false;
		}
		TransactionSynchronizationManager.registerSynchronization(new TransactionBoundRelease(handle));
		return true;
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		if (!readOnly) {
			HeldLocks.assertHeld(this.handle);
		}
	}

	@Override
	public void afterCompletion(int status) {
		if (status != STATUS_COMMITTED) {
			this.handle.waiveMinHold();
		}
		this.handle.close();
	}

}
