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

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;

/**
 * Runs methods that return a reactive type, at each subscription. The lock is acquired at
 * the subscription and released on completion, error and cancellation, before the
 * subscriber is told. Calls within take part in the locks that the Reactor context
 * carries, where the handle is found under {@code LockHandle.class}. Needs Reactor.
 */
final class ReactiveInvocation implements LockedInvocation {

	/**
	 * The key of the locks by name in the Reactor context.
	 */
	private static final Object HELD = ReactiveInvocation.class;

	private final Supplier<LockService> service;

	private final ReactiveAdapter adapter;

	ReactiveInvocation(Supplier<LockService> service, ReactiveAdapter adapter) {
		this.service = service;
		this.adapter = adapter;
	}

	@Override
	public Object invoke(LockSpecification lock, LockedCall call) {
		Mono<LockedSubscription> attempt = Mono.deferContextual((context) -> acquire(lock, call.fork(), context));
		return this.adapter.fromPublisher(this.adapter.isMultiValue()
				? Flux.usingWhen(attempt, LockedSubscription::flux, LockedSubscription::completed,
						(subscription, failure) -> subscription.failed(), LockedSubscription::failed)
				: Mono.usingWhen(attempt, LockedSubscription::mono, LockedSubscription::completed,
						(subscription, failure) -> subscription.failed(), LockedSubscription::failed));
	}

	private Mono<LockedSubscription> acquire(LockSpecification lock, LockedCall call, ContextView context) {
		LockedSubscription subscription = LockedSubscription.unlocked(lock, call, this.adapter);
		List<String> names = lock.namesFor(call);
		if (names.isEmpty()) {
			return Mono.just(subscription);
		}
		LockOptions options = lock.options().get();
		Map<String, LockHandle> held = context.getOrDefault(HELD, Map.of());
		List<String> missing = new ArrayList<>(names);
		missing.removeIf((name) -> held.containsKey(name) && held.get(name).isHeld());
		if (missing.isEmpty()) {
			LockHandle outer = held.get(names.get(0));
			return lengthen(outer, options).thenReturn(subscription.within(outer));
		}
		return Mono.fromFuture(() -> acquire(missing, options))
			.doOnDiscard(LockHandle.class, LockHandle::releaseAsync)
			.map(subscription::granted)
			.onErrorResume(LockNotAcquiredException.class, (busy) -> Mono.just(subscription.refused(busy)));
	}

	private CompletableFuture<LockHandle> acquire(List<String> names, LockOptions options) {
		LockService service = this.service.get();
		return (names.size() == 1) ? service.acquireAsync(names.get(0), options)
				: service.acquireAllAsync(names, options);
	}

	private static Mono<Void> lengthen(LockHandle held, LockOptions options) {
		return (held.remaining().compareTo(options.lease()) < 0)
				? Mono.fromFuture(() -> held.extendAsync(options.lease().minus(held.remaining()))) : Mono.empty();
	}

	/**
	 * Let the calls within take part in a lock.
	 * @param handle the lock
	 * @param context the context so far
	 * @return the context for the calls within
	 */
	static Context share(LockHandle handle, Context context) {
		Map<String, LockHandle> held = new HashMap<>(context.getOrDefault(HELD, Map.of()));
		for (LockHandle part : handle.parts()) {
			held.put(part.name(), part);
		}
		return context.put(HELD, Map.copyOf(held)).put(LockHandle.class, handle);
	}

}
