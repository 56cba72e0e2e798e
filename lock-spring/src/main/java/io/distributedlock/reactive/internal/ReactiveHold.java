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

package io.distributedlock.reactive.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.OnLost;
import io.distributedlock.internal.Printable;
import io.distributedlock.internal.WorkUnderLock;
import io.distributedlock.reactive.ReactiveLockContext;
import io.distributedlock.reactive.ReactiveLocks;
import io.distributedlock.transaction.internal.AmbientTransaction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The lock of one subscription, from the acquisition to the release: the resource of a
 * {@link Flux#usingWhen usingWhen}. Shared by {@link ReactiveLocks} and annotated
 * methods; applications use those.
 *
 * @since 0.1.0
 */
public final class ReactiveHold {

	private final AsyncHold hold;

	private final OnLost onLost;

	private ReactiveHold(AsyncHold hold, OnLost onLost) {
		this.hold = hold;
		this.onLost = onLost;
	}

	/**
	 * Acquire locks at each subscription, or re-enter those in the context. A transaction
	 * in which this happens keeps them until it has completed. Fails as
	 * {@link LockService#acquireAsync(String, LockOptions)} does.
	 * @param ownTransaction the name of the only transaction that may keep the locks, or
	 * {@code null} for any, see {@link AmbientTransaction#ownOf}
	 */
	public static Mono<ReactiveHold> acquire(LockService service, List<String> names, LockOptions options,
			@Nullable String ownTransaction) {
		return emit(new Acquisition(service, names, options, ownTransaction), ReactiveLockContext::all,
				(hold) -> new ReactiveHold(hold, options.onLost()))
			.doOnDiscard(ReactiveHold.class, ReactiveHold::giveBack);
	}

	/**
	 * Acquire locks at each subscription, regardless of the locks in the context.
	 */
	public static Mono<LockHandle> acquireAnew(LockService service, List<String> names, LockOptions options) {
		return emit(new Acquisition(service, names, options, null), (context) -> List.of(), AsyncHold::handle)
			.doOnDiscard(LockHandle.class, WorkUnderLock::discardAsync);
	}

	/**
	 * A value that arrives while the subscriber cancels is dropped by {@link Mono#create}
	 * in one of several ways; in each of them it calls back unless the subscriber has
	 * received the value.
	 */
	private static <T> Mono<T> emit(Acquisition asked, Function<ContextView, List<LockHandle>> outer,
			Function<AsyncHold, T> mapper) {
		return Mono.create((sink) -> {
			AmbientTransaction transaction = AmbientTransaction.find(asked.ownTransaction(), sink.contextView());
			List<LockHandle> around = new ArrayList<>(outer.apply(sink.contextView()));
			around.addAll(transaction.kept(asked.names()));
			CompletableFuture<AsyncHold> acquisition = CallerContext.call(
					() -> AsyncHold.acquire(asked.service(), asked.names(), asked.options(), around),
					sink.contextView());
			sink.onCancel(() -> {
				acquisition.cancel(true);
				acquisition.thenAccept(AsyncHold::giveBack);
			});
			acquisition.whenComplete((hold, failure) -> {
				if (hold != null && asked.isKept(hold, transaction)) {
					sink.success(mapper.apply(hold));
				}
				else if (hold != null) {
					hold.giveBack();
					sink.error(new IllegalStateException(
							"The transaction has completed before lock '" + Printable.of(hold.handle().name())
									+ "' was granted in it. Wait for the work under the lock within the transaction."));
				}
				else if (!acquisition.isCancelled()) {
					sink.error(Objects.requireNonNull(failure));
				}
			});
		});
	}

	/**
	 * Release the lock if there is no subscriber to take it.
	 */
	public void giveBack() {
		this.hold.giveBack();
	}

	public LockHandle handle() {
		return this.hold.handle();
	}

	/**
	 * Run work with many results under the lock. Fails with a
	 * {@link io.distributedlock.LockLostException} if the options ask for it.
	 * @param work called once, at the subscription
	 */
	public <T> Flux<T> flux(Supplier<? extends Publisher<T>> work) {
		return watched(Flux.defer(work)).contextWrite(this::share);
	}

	/**
	 * The same with at most one result.
	 */
	public <T> Mono<T> mono(Supplier<? extends Publisher<T>> work) {
		Mono<T> deferred = Mono.defer(() -> Mono.from(work.get()));
		return ((this.onLost == OnLost.LOG) ? deferred : watched(deferred.flux()).singleOrEmpty())
			.contextWrite(this::share);
	}

	private <T> Flux<T> watched(Flux<T> work) {
		if (this.onLost == OnLost.LOG) {
			return work;
		}
		return ((this.onLost == OnLost.INTERRUPT && this.hold.tellsLoss()) ? work.takeUntilOther(loss()) : work)
			.concatWith(Mono.fromRunnable(() -> WorkUnderLock.assertNotLost(handle())));
	}

	private Context share(Context context) {
		return ReactiveLockContext.with(context, handle()).putAllMap(WorkUnderLock.contextOf(handle()));
	}

	/**
	 * Ends the work by completing: an error would not cancel it.
	 */
	private Mono<Void> loss() {
		return Mono.create((sink) -> this.hold.onLost((event) -> sink.success()));
	}

	/**
	 * Release the lock after work that succeeded. Completes when it is released or given
	 * up, and never fails.
	 */
	public Mono<Void> completed() {
		return Mono.fromFuture(handle()::releaseAsync, true);
	}

	/**
	 * Release the lock immediately after work that failed or was cancelled. Never fails.
	 */
	public Mono<Void> failed() {
		return Mono.fromFuture(() -> WorkUnderLock.discardAsync(handle()), true);
	}

	private record Acquisition(LockService service, List<String> names, LockOptions options,
			@Nullable String ownTransaction) {

		boolean isKept(AsyncHold hold, AmbientTransaction transaction) {
			return !transaction.keeps() || transaction.keep(hold.handle(), this.options, this.service::reenter);
		}

	}

}
