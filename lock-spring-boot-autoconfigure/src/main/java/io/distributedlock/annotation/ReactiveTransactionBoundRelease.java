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

import java.util.Optional;

import io.distributedlock.LockHandle;
import io.distributedlock.reactive.ReactiveLockContext;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * Releases a lock that was taken inside a running reactive transaction after that
 * transaction has completed, and lets it roll back if the lock is lost before: what
 * {@link TransactionBoundRelease} does for the transaction of a thread. Needs spring-tx
 * and Reactor.
 */
final class ReactiveTransactionBoundRelease implements TransactionSynchronization {

	private final LockHandle handle;

	private ReactiveTransactionBoundRelease(LockHandle handle) {
		this.handle = handle;
	}

	/**
	 * Find the transaction that the subscription runs in.
	 * @return what {@link #bind} needs; empty if there is no transaction
	 */
	static Mono<Optional<Object>> transaction() {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.filter((manager) -> manager.isActualTransactionActive() && manager.isSynchronizationActive())
			.map(Optional::<Object>of)
			.onErrorReturn(NoTransactionException.class, Optional.empty())
			.defaultIfEmpty(Optional.empty());
	}

	/**
	 * Let a subscription take part in the locks that its transaction holds until its
	 * completion: they were taken by subscriptions beside this one, which are over.
	 * @param transaction the transaction, if there is one
	 * @param context the context so far
	 * @return the context for the acquisition
	 */
	static Context withLocksOf(Optional<Object> transaction, Context context) {
		Context result = context;
		if (transaction.isPresent()) {
			for (TransactionSynchronization each : ((TransactionSynchronizationManager) transaction.get())
				.getSynchronizations()) {
				if (each instanceof ReactiveTransactionBoundRelease bound) {
					result = ReactiveLockContext.with(result, bound.handle);
				}
			}
		}
		return result;
	}

	/**
	 * Leave the release of a lock to a transaction.
	 * @param handle the lock, which is released if the transaction is over already
	 * @param transaction the transaction
	 */
	static void bind(LockHandle handle, Object transaction) {
		try {
			((TransactionSynchronizationManager) transaction)
				.registerSynchronization(new ReactiveTransactionBoundRelease(handle));
		}
		catch (IllegalStateException ex) {
			handle.waiveMinHold();
			handle.releaseAsync();
			throw ex;
		}
	}

	@Override
	public Mono<Void> beforeCommit(boolean readOnly) {
		return readOnly ? Mono.empty() : Mono.fromRunnable(() -> HeldLocks.assertHeld(this.handle));
	}

	@Override
	public Mono<Void> afterCompletion(int status) {
		return Mono.defer(() -> {
			if (status != STATUS_COMMITTED) {
				this.handle.waiveMinHold();
			}
			return Mono.fromFuture(this.handle.releaseAsync(), true);
		});
	}

}
