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

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.reactive.ReactiveHold;
import io.distributedlock.transaction.AmbientTransaction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;

/**
 * One subscription to a method that returns a reactive type, from the answer about its
 * lock to the release. Needs Reactor.
 *
 * @param lock the lock
 * @param call the call
 * @param adapter turns what the method returns into a publisher
 * @param hold the lock that is held, or {@code null} if the method runs without it or not
 * at all
 * @param bound whether a transaction releases the lock
 * @param busy why the method does not run, or {@code null} if it does
 */
record LockedSubscription(LockOperation lock, LockedCall call, ReactiveAdapter adapter, @Nullable ReactiveHold hold,
		boolean bound, @Nullable LockNotAcquiredException busy) {

	static LockedSubscription unlocked(LockOperation lock, LockedCall call, ReactiveAdapter adapter) {
		return new LockedSubscription(lock, call, adapter, null, false, null);
	}

	/**
	 * Return this subscription with a lock, which the given transaction keeps if it takes
	 * part in it.
	 */
	LockedSubscription under(ReactiveHold granted, AmbientTransaction transaction) {
		boolean kept = transaction.keep(granted.handle(), 1) != null;
		if (!kept && transaction.keeps()) {
			granted.giveBack();
			throw new IllegalStateException("The transaction of " + this.lock.scope().method().description()
					+ " has completed before its lock was granted. Wait for the method within the transaction.");
		}
		return new LockedSubscription(this.lock, this.call, this.adapter, granted, kept, null);
	}

	LockedSubscription refused(LockNotAcquiredException refusal) {
		return new LockedSubscription(this.lock, this.call, this.adapter, null, false, refusal);
	}

	Flux<Object> flux() {
		return (this.hold != null) ? this.hold.flux(this::work) : Flux.defer(this::work);
	}

	Mono<Object> mono() {
		return (this.hold != null) ? this.hold.mono(this::work) : Mono.defer(() -> Mono.from(work()));
	}

	private Publisher<Object> work() {
		try {
			return publisher((this.busy != null) ? this.lock.onBusy(this.call, this.busy) : this.call
				.proceed(this.lock.argumentsFor(this.call, (this.hold != null) ? this.hold.handle() : null)));
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	/**
	 * What takes the place of a suspending function may be a plain value.
	 */
	private Publisher<Object> publisher(@Nullable Object returned) {
		return (returned == null || returned instanceof Publisher || !this.lock.scope().method().isSuspending())
				? this.adapter.toPublisher(returned) : Mono.just(returned);
	}

	Mono<Void> completed() {
		return (this.hold != null && !this.bound) ? this.hold.completed() : Mono.empty();
	}

	Mono<Void> failed() {
		if (this.hold != null && this.bound) {
			this.hold.handle().waiveMinHold();
			return Mono.empty();
		}
		return (this.hold != null) ? this.hold.failed() : Mono.empty();
	}

	/**
	 * Release the lock if nobody is there to go on.
	 */
	void discard() {
		failed().subscribe();
	}

}
