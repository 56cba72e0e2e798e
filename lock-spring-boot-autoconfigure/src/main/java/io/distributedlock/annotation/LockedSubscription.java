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
import io.distributedlock.LockNotAcquiredException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

import org.springframework.core.ReactiveAdapter;

/**
 * One subscription to a method that returns a reactive type, from the answer about its
 * lock to the release. Needs Reactor.
 */
final class LockedSubscription {

	private final LockSpecification lock;

	private final LockedCall call;

	private final ReactiveAdapter adapter;

	/**
	 * The lock to release, or {@code null} if there is none.
	 */
	private final @Nullable LockHandle acquired;

	/**
	 * The lock that the method is given, or {@code null} if it runs without.
	 */
	private final @Nullable LockHandle visible;

	private final @Nullable LockNotAcquiredException busy;

	private LockedSubscription(LockSpecification lock, LockedCall call, ReactiveAdapter adapter,
			@Nullable LockHandle acquired, @Nullable LockHandle visible, @Nullable LockNotAcquiredException busy) {
		this.lock = lock;
		this.call = call;
		this.adapter = adapter;
		this.acquired = acquired;
		this.visible = visible;
		this.busy = busy;
	}

	static LockedSubscription unlocked(LockSpecification lock, LockedCall call, ReactiveAdapter adapter) {
		return new LockedSubscription(lock, call, adapter, null, null, null);
	}

	/**
	 * Return this subscription with a lock that it releases in the end.
	 */
	LockedSubscription granted(LockHandle handle) {
		return new LockedSubscription(this.lock, this.call, this.adapter, handle, handle, null);
	}

	/**
	 * Return this subscription with a lock that an outer one releases.
	 */
	LockedSubscription within(LockHandle outer) {
		return new LockedSubscription(this.lock, this.call, this.adapter, null, outer, null);
	}

	/**
	 * Return this subscription as refused.
	 */
	LockedSubscription refused(LockNotAcquiredException refusal) {
		return new LockedSubscription(this.lock, this.call, this.adapter, null, null, refusal);
	}

	Flux<Object> flux() {
		Flux<Object> work = Flux.defer(this::work);
		LockHandle handle = this.acquired;
		if (handle == null) {
			return work;
		}
		return switch (this.lock.options().get().onLost()) {
			case LOG -> work.contextWrite(this::share);
			case INTERRUPT -> work.takeUntilOther(loss(handle)).concatWith(check(handle)).contextWrite(this::share);
			case THROW -> work.concatWith(check(handle)).contextWrite(this::share);
		};
	}

	Mono<Object> mono() {
		Mono<Object> work = Mono.defer(() -> Mono.from(work()));
		LockHandle handle = this.acquired;
		if (handle == null) {
			return work;
		}
		return switch (this.lock.options().get().onLost()) {
			case LOG -> work.contextWrite(this::share);
			case INTERRUPT ->
				work.takeUntilOther(loss(handle)).concatWith(check(handle)).singleOrEmpty().contextWrite(this::share);
			case THROW -> work.concatWith(check(handle)).singleOrEmpty().contextWrite(this::share);
		};
	}

	private Publisher<Object> work() {
		try {
			return this.adapter.toPublisher((this.busy != null) ? this.lock.onBusy(this.call, this.busy)
					: this.call.proceed(this.lock.argumentsFor(this.call, this.visible)));
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	private Context share(Context context) {
		LockHandle handle = this.acquired;
		return (handle != null) ? ReactiveInvocation.share(handle, context) : context;
	}

	private static Mono<Object> check(LockHandle handle) {
		return Mono.defer(() -> {
			HeldLocks.assertHeld(handle);
			return Mono.empty();
		});
	}

	/**
	 * Ends the work by completing: an error would not cancel it.
	 */
	private static Mono<Void> loss(LockHandle handle) {
		return Mono.create((sink) -> handle.onLost((event) -> sink.success()));
	}

	Mono<Void> completed() {
		return release(this.acquired);
	}

	Mono<Void> failed() {
		LockHandle handle = this.acquired;
		if (handle != null) {
			handle.waiveMinHold();
		}
		return release(handle);
	}

	/**
	 * The subscriber is told in a thread that it may use, not in one of the store.
	 */
	private static Mono<Void> release(@Nullable LockHandle handle) {
		return (handle != null) ? Mono.fromFuture(handle::releaseAsync, true).publishOn(Schedulers.parallel())
				: Mono.empty();
	}

}
