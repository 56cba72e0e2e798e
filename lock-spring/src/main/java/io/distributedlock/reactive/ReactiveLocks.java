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

package io.distributedlock.reactive;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.internal.WorkUnderLock;
import io.distributedlock.reactive.internal.ReactiveHold;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The reactive counterpart of {@link LockService}: nothing happens before the
 * subscription, each subscription acquires its own lock, and no thread is blocked. Inject
 * it, or create one from a lock service.
 *
 * <p>
 * {@code execute} and {@code executeMany} release the lock when the work completes, fails
 * or is cancelled, before the subscriber receives the signal. Inner work, here or in
 * annotated methods, re-enters the lock through the Reactor context, without asking the
 * store, if it uses the same lock service; see {@link ReactiveLockContext}. The lock is
 * released when the last of them is done, and after the transaction in which it was
 * acquired, if there is one.
 *
 * <p>
 * All methods fail with a {@link LockNotAcquiredException} if the lock is still held
 * elsewhere when the wait ends, with a
 * {@link io.distributedlock.LockUnavailableException} if the store cannot be reached, and
 * with an {@link io.distributedlock.InvalidLockNameException} if the name cannot be a
 * lock name.
 *
 * @since 0.1.0
 */
public final class ReactiveLocks {

	private final LockService service;

	/**
	 * Create a reactive view of a lock service.
	 * @param service the lock service
	 */
	public ReactiveLocks(LockService service) {
		this.service = service;
	}

	/**
	 * Acquire a lock with the {@link LockService#optionsFor options configured for it}.
	 * @param name the name of the lock
	 * @return the handle, to be {@linkplain LockHandle#releaseAsync() released} by the
	 * subscriber
	 */
	public Mono<LockHandle> acquire(String name) {
		return Mono.defer(() -> acquire(name, this.service.optionsFor(name)));
	}

	/**
	 * Acquire a lock at each subscription, waiting at most
	 * {@link LockOptions#waitTime()}, regardless of the locks in the context. Cancelling
	 * ends the wait and leaves nothing behind. An emitted handle belongs to the
	 * subscriber, which must release it in every case;
	 * {@link #execute(String, LockOptions, Function)} does this for you.
	 * <p>
	 * Subscribe directly with the operator that releases the handle, such as
	 * {@link Flux#usingWhen usingWhen}. An operator in between, for example
	 * {@code timeout}, may drop a handle that arrives while it is cancelled, and the lock
	 * then stays taken until its lease ends or the garbage collector finds the handle.
	 * Limit the wait with the options, and limit the work inside.
	 * @param name the name of the lock
	 * @param options lease, wait and the rest
	 * @return the handle, to be {@linkplain LockHandle#releaseAsync() released} by the
	 * subscriber
	 */
	public Mono<LockHandle> acquire(String name, LockOptions options) {
		return acquireAll(List.of(name), options);
	}

	/**
	 * Acquire several locks, all or none, in sorted order and within one shared wait;
	 * otherwise like {@link #acquire(String, LockOptions)}.
	 * @param names the names, at least one
	 * @param options lease, wait and the rest; the same for every lock
	 * @return one handle for all
	 */
	public Mono<LockHandle> acquireAll(Collection<String> names, LockOptions options) {
		List<String> copy = List.copyOf(names);
		return ReactiveHold.acquireAnew(this.service, copy, options);
	}

	/**
	 * Try to acquire a lock with the {@link LockService#optionsFor options configured for
	 * it}; otherwise like {@link #tryAcquire(String, LockOptions)}.
	 * @param name the name of the lock
	 * @return the handle, or empty if the lock is still held elsewhere when the wait ends
	 */
	public Mono<LockHandle> tryAcquire(String name) {
		return Mono.defer(() -> tryAcquire(name, this.service.optionsFor(name)));
	}

	/**
	 * Try to acquire a lock; otherwise like {@link #acquire(String, LockOptions)}. Here,
	 * too, no operator may come between this and the one that releases the handle.
	 * @param name the name of the lock
	 * @param options lease, wait and the rest
	 * @return the handle, or empty if the lock is still held elsewhere when the wait ends
	 */
	public Mono<LockHandle> tryAcquire(String name, LockOptions options) {
		return acquire(name, options).onErrorComplete(LockNotAcquiredException.class)
			.doOnDiscard(LockHandle.class, WorkUnderLock::discardAsync);
	}

	/**
	 * Run work with at most one result under a lock with the
	 * {@link LockService#optionsFor options configured for it}.
	 * @param name the name of the lock
	 * @param work called once for each subscription that has the lock
	 * @param <T> the type of the result
	 * @return the result of the work; its failure is passed on unchanged
	 */
	public <T> Mono<T> execute(String name, Function<LockHandle, ? extends Mono<T>> work) {
		return Mono.defer(() -> execute(name, this.service.optionsFor(name), work));
	}

	/**
	 * Run work with at most one result under a lock.
	 * @param name the name of the lock
	 * @param options lease, wait and the rest
	 * @param work called once for each subscription that has the lock
	 * @param <T> the type of the result
	 * @return the result of the work; its failure is passed on unchanged
	 */
	public <T> Mono<T> execute(String name, LockOptions options, Function<LockHandle, ? extends Mono<T>> work) {
		return executeAll(List.of(name), options, work);
	}

	/**
	 * Run work with at most one result under several locks, all or none; otherwise like
	 * {@link #execute(String, LockOptions, Function)}.
	 * @param names the names, at least one
	 * @param options lease, wait and the rest; the same for every lock
	 * @param work called once for each subscription that has the locks
	 * @param <T> the type of the result
	 * @return the result of the work; its failure is passed on unchanged
	 */
	public <T> Mono<T> executeAll(Collection<String> names, LockOptions options,
			Function<LockHandle, ? extends Mono<T>> work) {
		return Mono.usingWhen(ReactiveHold.acquire(this.service, List.copyOf(names), options, null),
				(hold) -> hold.<T>mono(() -> work.apply(hold.handle())), ReactiveHold::completed,
				(hold, failure) -> hold.failed(), ReactiveHold::failed);
	}

	/**
	 * Run work with many results under a lock with the {@link LockService#optionsFor
	 * options configured for it}; otherwise like
	 * {@link #executeMany(String, LockOptions, Function)}.
	 * @param name the name of the lock
	 * @param work called once for each subscription that has the lock
	 * @param <T> the type of the results
	 * @return the results of the work; its failure is passed on unchanged
	 */
	public <T> Flux<T> executeMany(String name, Function<LockHandle, ? extends Publisher<T>> work) {
		return Flux.defer(() -> executeMany(name, this.service.optionsFor(name), work));
	}

	/**
	 * Run work with many results under a lock, which is held until the last of them.
	 * @param name the name of the lock
	 * @param options lease, wait and the rest
	 * @param work called once for each subscription that has the lock
	 * @param <T> the type of the results
	 * @return the results of the work; its failure is passed on unchanged
	 */
	public <T> Flux<T> executeMany(String name, LockOptions options,
			Function<LockHandle, ? extends Publisher<T>> work) {
		return Flux.usingWhen(ReactiveHold.acquire(this.service, List.of(name), options, null),
				(hold) -> hold.<T>flux(() -> work.apply(hold.handle())), ReactiveHold::completed,
				(hold, failure) -> hold.failed(), ReactiveHold::failed);
	}

}
