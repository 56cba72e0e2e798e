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

import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * Releases the locks that were taken inside a running reactive transaction after that
 * transaction has completed, and rolls it back if one of them is lost before: the
 * counterpart of {@link TransactionBoundRelease}, which serves the transaction of a
 * thread. Requires spring-tx and Reactor.
 */
final class ReactiveTransactionBoundRelease extends TransactionLocks implements TransactionSynchronization {

	private static final Object KEY = ReactiveTransactionBoundRelease.class;

	private final TransactionSynchronizationManager manager;

	private volatile boolean last;

	private ReactiveTransactionBoundRelease(TransactionSynchronizationManager manager,
			@Nullable TransactionLocks outer) {
		super(outer);
		this.manager = manager;
	}

	/**
	 * Look for the transaction that a subscription runs in. The answer is known
	 * immediately.
	 * @param own the name of the only transaction that may keep locks, or {@code null}
	 * for any
	 */
	static Found find(@Nullable String own, ContextView context) {
		return TransactionSynchronizationManager.forCurrentTransaction()
			.map((manager) -> find(own, manager))
			.onErrorReturn(NoTransactionException.class, Found.NONE)
			.defaultIfEmpty(Found.NONE)
			.contextWrite(context)
			.toFuture()
			.getNow(Found.NONE);
	}

	private static Found find(@Nullable String own, TransactionSynchronizationManager manager) {
		TransactionLocks bound = open(manager.getResource(KEY));
		if (!manager.isActualTransactionActive() || !manager.isSynchronizationActive()
				|| (own != null && !own.equals(manager.getCurrentTransactionName()))) {
			return new Found(null, bound);
		}
		ReactiveTransactionBoundRelease present = (ReactiveTransactionBoundRelease) present(bound);
		if (present == null) {
			present = new ReactiveTransactionBoundRelease(manager, bound);
			bind(manager, present);
		}
		manager.registerSynchronization(present);
		return new Found(present, present);
	}

	private static void bind(TransactionSynchronizationManager manager, @Nullable TransactionLocks locks) {
		manager.unbindResourceIfPossible(KEY);
		if (locks != null) {
			manager.bindResource(KEY, locks);
		}
	}

	@Override
	public Mono<Void> suspend() {
		return Mono.fromRunnable(() -> suspended(true));
	}

	@Override
	public Mono<Void> resume() {
		return Mono.fromRunnable(() -> suspended(false));
	}

	@Override
	public Mono<Void> beforeCommit(boolean readOnly) {
		return readOnly ? Mono.empty() : Mono.fromRunnable(this::assertHeld);
	}

	@Override
	public Mono<Void> beforeCompletion() {
		return Mono.fromRunnable(() -> {
			if (!this.manager.isSynchronizationActive()) {
				return;
			}
			this.last = true;
			this.manager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public Mono<Void> afterCompletion(int status) {
					return release(status);
				}

			});
		});
	}

	@Override
	public Mono<Void> afterCompletion(int status) {
		return this.last ? Mono.empty() : release(status);
	}

	private Mono<Void> release(int status) {
		return Mono.fromFuture(() -> {
			if (this.manager.getResource(KEY) == this) {
				bind(this.manager, outer());
			}
			return CompletableFuture.allOf(complete(status == STATUS_COMMITTED).stream()
				.map(LockHandle::releaseAsync)
				.toArray(CompletableFuture[]::new));
		}, true);
	}

}
