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

import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.annotation.internal.LockedCall;
import io.distributedlock.annotation.internal.WorkGuard;
import io.distributedlock.reactive.internal.ReactiveHold;
import io.distributedlock.transaction.internal.AmbientTransaction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;

/**
 * Runs methods that return a reactive type, at each subscription. The lock is acquired at
 * the subscription and released on completion, error and cancellation, before the
 * subscriber gets the signal. Calls within take part in the locks that the Reactor
 * context carries. Needs Reactor.
 *
 * @param adapter turns what methods return into publishers, and back
 * @param ownTransaction see {@link AmbientTransaction#ownOf}
 */
record ReactiveInvocation(Supplier<LockService> service, ReactiveAdapter adapter,
		@Nullable String ownTransaction) implements LockedInvocation {

	@Override
	public Object invoke(LockOperation lock, LockedCall call) {
		Mono<LockedSubscription> attempt = Mono.defer(() -> acquire(lock, call.fork()));
		return this.adapter.fromPublisher(this.adapter.isMultiValue()
				? Flux.usingWhen(attempt, LockedSubscription::flux, LockedSubscription::completed,
						LockedSubscription::failed, LockedSubscription::cancelled)
				: Mono.usingWhen(attempt, LockedSubscription::mono, LockedSubscription::completed,
						LockedSubscription::failed, LockedSubscription::cancelled));
	}

	/**
	 * Names are evaluated at the subscription.
	 */
	@Override
	public Object invoke(List<LockOperation> locks, LockedCall call) {
		Supplier<Publisher<Object>> deferred = () -> {
			try {
				return this.adapter.toPublisher(LockedInvocation.super.invoke(locks, call));
			}
			catch (Throwable ex) {
				return Mono.error(ex);
			}
		};
		return this.adapter.fromPublisher(
				this.adapter.isMultiValue() ? Flux.defer(deferred) : Mono.defer(() -> Mono.from(deferred.get())));
	}

	private Mono<LockedSubscription> acquire(LockOperation operation, LockedCall call) {
		List<String> names = operation.namesFor(call);
		if (names.isEmpty()) {
			return Mono.just(new LockedSubscription(operation, call, this.adapter, null, null, new AtomicBoolean()));
		}
		LockOperation lock = operation.forCall(call);
		LockedSubscription subscription = new LockedSubscription(lock, call, this.adapter, null, null,
				new AtomicBoolean());
		LockOptions options = lock.options().get();
		return Mono.defer(() -> ReactiveHold.acquire(this.service.get(), names, options, this.ownTransaction))
			.map(subscription::under)
			.doOnError(lock.guard()::refused)
			.onErrorResume(LockNotAcquiredException.class, (busy) -> Mono.just(subscription.refused(busy)))
			.doOnDiscard(ReactiveHold.class, ReactiveHold::giveBack)
			.doOnDiscard(LockedSubscription.class, LockedSubscription::discard);
	}

	/**
	 * One subscription, from the answer about its lock to the release.
	 *
	 * @param hold the lock that is held, or {@code null} if the method runs without it or
	 * not at all
	 * @param busy why the method does not run, or {@code null} if it does
	 * @param begun whether the guard has let the method run
	 */
	private record LockedSubscription(LockOperation lock, LockedCall call, ReactiveAdapter adapter,
			@Nullable ReactiveHold hold, @Nullable LockNotAcquiredException busy, AtomicBoolean begun) {

		LockedSubscription under(ReactiveHold granted) {
			return new LockedSubscription(this.lock, this.call, this.adapter, granted, null, this.begun);
		}

		LockedSubscription refused(LockNotAcquiredException refusal) {
			return new LockedSubscription(this.lock, this.call, this.adapter, null, refusal, this.begun);
		}

		Flux<Object> flux() {
			return (this.hold != null) ? this.hold.flux(this::guardedWork) : Flux.defer(this::work);
		}

		Mono<Object> mono() {
			return (this.hold != null) ? this.hold.mono(this::guardedWork) : Mono.defer(() -> Mono.from(work()));
		}

		private Publisher<Object> guardedWork() {
			WorkGuard guard = this.lock.guard();
			if (this.hold == null || guard == WorkGuard.NONE) {
				return work();
			}
			LockHandle handle = this.hold.handle();
			return Mono.fromFuture(() -> guard.begin(handle)).flatMapMany((begins) -> {
				this.begun.set(begins);
				return begins ? work() : publisher(this.lock.onContention().nothing());
			});
		}

		private Publisher<Object> work() {
			try {
				LockHandle handle = (this.hold != null) ? this.hold.handle() : null;
				return publisher((this.busy != null) ? this.lock.onBusy(this.call, this.busy)
						: this.call.proceed(handle, this.lock.argumentsFor(this.call, handle)));
			}
			catch (Throwable ex) {
				return Mono.error(ex);
			}
		}

		/**
		 * The substitute for a suspending function may return a plain value.
		 */
		private Publisher<Object> publisher(@Nullable Object returned) {
			if (returned == null) {
				// What Spring takes for an empty Uni never completes
				return Mono.empty();
			}
			return (returned instanceof Publisher || !this.lock.scope().method().isSuspending())
					? this.adapter.toPublisher(returned) : Mono.just(returned);
		}

		Mono<Void> completed() {
			return endedAnd(null, (this.hold != null) ? this.hold.completed() : Mono.empty());
		}

		Mono<Void> failed(Throwable failure) {
			return endedAnd(failure, released());
		}

		Mono<Void> cancelled() {
			return failed(new CancellationException("The subscription was cancelled."));
		}

		private Mono<Void> endedAnd(@Nullable Throwable failure, Mono<Void> release) {
			return (this.hold != null && this.begun.get())
					? Mono.fromFuture(this.lock.guard().end(this.hold.handle(), failure), true).then(release) : release;
		}

		private Mono<Void> released() {
			return (this.hold != null) ? this.hold.failed() : Mono.empty();
		}

		void discard() {
			released().subscribe();
		}

	}

}
