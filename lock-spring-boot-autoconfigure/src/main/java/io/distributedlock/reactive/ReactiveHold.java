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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockState;
import io.distributedlock.OnLost;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The lock of one subscription, from the acquisition to the release: the resource of a
 * {@link Flux#usingWhen usingWhen}. What {@link ReactiveLocks} and annotated methods have
 * in common; applications use those.
 *
 * @since 0.1.0
 */
public final class ReactiveHold {

	private final LockHandle handle;

	/**
	 * Whether to release the lock. One that was found in the context is released by the
	 * outer subscription.
	 */
	private final boolean owned;

	private final OnLost onLost;

	private ReactiveHold(LockHandle handle, boolean owned, OnLost onLost) {
		this.handle = handle;
		this.owned = owned;
		this.onLost = onLost;
	}

	/**
	 * Acquire locks at each subscription, or take part in those that the context has.
	 * @param service acquires
	 * @param names the names, at least one
	 * @param options lease, wait and the rest
	 * @return the locks; fails as {@link LockService#acquireAsync(String, LockOptions)}
	 * does
	 */
	public static Mono<ReactiveHold> acquire(LockService service, List<String> names, LockOptions options) {
		return Mono.deferContextual((context) -> acquire(service, names, options, context));
	}

	private static Mono<ReactiveHold> acquire(LockService service, List<String> names, LockOptions options,
			ContextView context) {
		List<String> missing = new ArrayList<>();
		List<LockHandle> present = new ArrayList<>();
		for (String name : names) {
			ReactiveLockContext.find(context, name).ifPresentOrElse(present::add, () -> missing.add(name));
		}
		Mono<ReactiveHold> hold = missing.isEmpty()
				? Mono.just(new ReactiveHold(present.get(0), false, options.onLost()))
				: acquireAnew(service, missing, options)
					.map((handle) -> new ReactiveHold(handle, true, options.onLost()));
		return present.isEmpty() ? hold
				: Flux.fromIterable(present).concatMap((handle) -> lengthen(handle, options)).then(hold);
	}

	/**
	 * Acquire locks at each subscription, whatever the context has.
	 */
	static Mono<LockHandle> acquireAnew(LockService service, List<String> names, LockOptions options) {
		return Mono.fromFuture(() -> acquireAsync(service, names, options))
			.doOnDiscard(LockHandle.class, ReactiveHold::giveBack);
	}

	/**
	 * Release a lock that nobody is there to take.
	 */
	private static void giveBack(LockHandle handle) {
		handle.waiveMinHold();
		handle.releaseAsync();
	}

	private static CompletableFuture<LockHandle> acquireAsync(LockService service, List<String> names,
			LockOptions options) {
		return (names.size() == 1) ? service.acquireAsync(names.get(0), options)
				: service.acquireAllAsync(names, options);
	}

	private static Mono<Void> lengthen(LockHandle held, LockOptions options) {
		return (held.remaining().compareTo(options.lease()) < 0)
				? Mono.fromFuture(() -> held.extendAsync(options.lease().minus(held.remaining()))) : Mono.empty();
	}

	/**
	 * Return the lock.
	 * @return the handle
	 */
	public LockHandle handle() {
		return this.handle;
	}

	/**
	 * Tell whether this subscription releases the lock, or an outer one does.
	 * @return whether the lock was acquired for this subscription
	 */
	public boolean isOwned() {
		return this.owned;
	}

	/**
	 * Run work with many results under the lock.
	 * @param work is asked once, at the subscription
	 * @param <T> the type of the results
	 * @return the results; fails with a {@link io.distributedlock.LockLostException} if
	 * the options ask for it
	 */
	public <T> Flux<T> flux(Supplier<? extends Publisher<T>> work) {
		return watched(Flux.defer(work)).contextWrite(this::share);
	}

	/**
	 * Run work with at most one result under the lock.
	 * @param work is asked once, at the subscription
	 * @param <T> the type of the result
	 * @return the result; fails with a {@link io.distributedlock.LockLostException} if
	 * the options ask for it
	 */
	public <T> Mono<T> mono(Supplier<? extends Publisher<T>> work) {
		Mono<T> deferred = Mono.defer(() -> Mono.from(work.get()));
		return ((this.onLost == OnLost.LOG) ? deferred : watched(deferred.flux()).singleOrEmpty())
			.contextWrite(this::share);
	}

	/**
	 * A lock of an outer subscription is not asked for a callback, which would be kept
	 * until that subscription ends: there may be many such as this one.
	 */
	private <T> Flux<T> watched(Flux<T> work) {
		if (this.onLost == OnLost.LOG) {
			return work;
		}
		return ((this.onLost == OnLost.INTERRUPT && this.owned) ? work.takeUntilOther(loss()) : work)
			.concatWith(check());
	}

	private Context share(Context context) {
		return ReactiveLockContext.with(context, this.handle);
	}

	private <T> Mono<T> check() {
		return Mono.defer(() -> {
			if (this.handle.state() != LockState.RELEASED) {
				this.handle.assertHeld();
			}
			return Mono.empty();
		});
	}

	/**
	 * Ends the work by completing: an error would not cancel it.
	 */
	private Mono<Void> loss() {
		return Mono.create((sink) -> this.handle.onLost((event) -> sink.success()));
	}

	/**
	 * Release the lock after work that succeeded.
	 * @return completes when it is released or given up; never fails
	 */
	public Mono<Void> completed() {
		return release();
	}

	/**
	 * Release the lock after work that failed or was cancelled, at once.
	 * @return completes when it is released or given up; never fails
	 */
	public Mono<Void> failed() {
		if (this.owned) {
			this.handle.waiveMinHold();
		}
		return release();
	}

	private Mono<Void> release() {
		return this.owned ? Mono.fromFuture(this.handle::releaseAsync, true) : Mono.empty();
	}

}
