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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockNotAcquiredException;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.core.Single;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.scheduling.annotation.Async;

/**
 * A bean whose methods are locked in every way that matters to what becomes of a call.
 * Subclasses say what the methods return.
 */
abstract class LockedBean<R extends @Nullable Object> {

	@DistributedLock("matrix")
	R plain(Body body) throws Exception {
		return run(body);
	}

	@DistributedLock(name = "matrix", fallbackMethod = "fallback")
	R fallingBack(Body body) throws Exception {
		return run(body);
	}

	R fallback(Body body, LockNotAcquiredException busy) throws Exception {
		Body answer = new Body();
		answer.result.complete("fallback of " + busy.getLockName());
		return run(answer);
	}

	@DistributedLock(name = "matrix", waitTime = 20)
	R waiting(Body body) throws Exception {
		return run(body);
	}

	@DistributedLock(name = "matrix", timeoutString = "60s")
	R losing(Body body) throws Exception {
		return run(body);
	}

	@DistributedLock(name = "matrix", timeoutString = "60s", onLost = LossReaction.THROW)
	R losingAndThrowing(Body body) throws Exception {
		return run(body);
	}

	@DistributedLock(name = "matrix", timeoutString = "60s", onLost = LossReaction.INTERRUPT)
	R losingAndInterrupted(Body body) throws Exception {
		return run(body);
	}

	@DistributedLock(name = "matrix", timeout = 60, minHold = 60)
	R keeping(Body body) throws Exception {
		return run(body);
	}

	/**
	 * Do what the body says, in the way of the return type.
	 */
	abstract R run(Body body) throws Exception;

	/**
	 * What a method does, under the control of the test.
	 */
	static class Body {

		final CompletableFuture<String> result = new CompletableFuture<>();

		private final AtomicInteger starts = new AtomicInteger();

		@Nullable Throwable failure;

		CompletableFuture<String> start() {
			if (this.failure instanceof RuntimeException exception) {
				throw exception;
			}
			if (this.failure instanceof Error error) {
				throw error;
			}
			this.starts.incrementAndGet();
			return this.result;
		}

		/**
		 * Start, and wait for the result. An interrupt cancels the result.
		 */
		String startAndWait() throws Exception {
			return await(start());
		}

		private static String await(CompletableFuture<String> result) throws Exception {
			try {
				return result.get();
			}
			catch (InterruptedException ex) {
				result.cancel(true);
				throw ex;
			}
			catch (ExecutionException ex) {
				throw (ex.getCause() instanceof Exception cause) ? cause : ex;
			}
		}

		int starts() {
			return this.starts.get();
		}

	}

	/**
	 * A method that returns a type that may be empty.
	 */
	abstract static class Skippable<R extends @Nullable Object> extends LockedBean<R> {

		@DistributedLock(name = "matrix", onContention = OnContention.SKIP)
		R skipping(Body body) throws Exception {
			return run(body);
		}

	}

	/**
	 * A method that blocks.
	 */
	static class OfValue extends Skippable<@Nullable String> {

		@Override
		@Nullable String run(Body body) throws Exception {
			return body.startAndWait();
		}

	}

	static class OfOptional extends Skippable<Optional<String>> {

		@Override
		Optional<String> run(Body body) throws Exception {
			return Optional.of(body.startAndWait());
		}

	}

	static class OfFuture extends Skippable<Future<String>> {

		/**
		 * A future that can be watched by waiting for it only.
		 */
		@Override
		Future<String> run(Body body) {
			CompletableFuture<String> result = body.start();
			CountDownLatch running = new CountDownLatch(1);
			FutureTask<String> task = new FutureTask<>(() -> {
				running.countDown();
				return Body.await(result);
			});
			new Thread(task).start();
			try {
				// A task that is cancelled before it runs would never look at the result
				running.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			return task;
		}

	}

	static class OfStage extends Skippable<CompletionStage<String>> {

		@Override
		CompletionStage<String> run(Body body) {
			return body.start();
		}

	}

	static class OfCompletableFuture extends Skippable<CompletableFuture<String>> {

		@Override
		CompletableFuture<String> run(Body body) {
			return body.start();
		}

	}

	/**
	 * Says what it returns by itself: {@code @Async} does not resolve type variables.
	 */
	@Async
	static class OfAsyncMethod extends OfCompletableFuture {

		@Override
		CompletableFuture<String> plain(Body body) throws Exception {
			return super.plain(body);
		}

		@Override
		CompletableFuture<String> skipping(Body body) throws Exception {
			return super.skipping(body);
		}

		@Override
		CompletableFuture<String> fallingBack(Body body) throws Exception {
			return super.fallingBack(body);
		}

		@Override
		CompletableFuture<String> waiting(Body body) throws Exception {
			return super.waiting(body);
		}

		@Override
		CompletableFuture<String> losing(Body body) throws Exception {
			return super.losing(body);
		}

		@Override
		CompletableFuture<String> losingAndThrowing(Body body) throws Exception {
			return super.losingAndThrowing(body);
		}

		@Override
		CompletableFuture<String> losingAndInterrupted(Body body) throws Exception {
			return super.losingAndInterrupted(body);
		}

		@Override
		CompletableFuture<String> keeping(Body body) throws Exception {
			return super.keeping(body);
		}

	}

	/**
	 * A method that returns any type that Spring can adapt.
	 */
	abstract static class Reactive<R> extends Skippable<R> {

		private final ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance()
			.getAdapter(ResolvableType.forInstance(this).as(Reactive.class).getGeneric().toClass());

		@Override
		@SuppressWarnings("unchecked")
		R run(Body body) {
			CompletableFuture<String> result = body.start();
			return (R) this.adapter.fromPublisher(Mono.fromFuture(result));
		}

	}

	static class OfMono extends Reactive<Mono<String>> {

	}

	static class OfFlux extends Reactive<Flux<String>> {

	}

	static class OfFlowPublisher extends Reactive<Flow.Publisher<String>> {

	}

	static class OfFlowable extends Reactive<Flowable<String>> {

	}

	static class OfObservable extends Reactive<Observable<String>> {

	}

	static class OfMaybe extends Reactive<Maybe<String>> {

	}

	static class OfCompletable extends Reactive<Completable> {

	}

	static class OfUni extends Reactive<Uni<String>> {

	}

	static class OfMulti extends Reactive<Multi<String>> {

	}

	/**
	 * Cannot be empty, so that no call can be skipped.
	 */
	static class OfSingle extends LockedBean<Single<String>> {

		@Override
		Single<String> run(Body body) {
			return Single.fromPublisher(Mono.fromFuture(body.start()));
		}

	}

	/**
	 * Is refused: there is no empty result.
	 */
	static class OfSkippedSingle extends Reactive<Single<String>> {

	}

	/**
	 * Methods that return nothing, which no type variable can tell.
	 */
	static class OfVoid {

		@DistributedLock("matrix")
		void plain(Body body) throws Exception {
			body.startAndWait();
		}

		@DistributedLock(name = "matrix", onContention = OnContention.SKIP)
		void skipping(Body body) throws Exception {
			body.startAndWait();
		}

		@DistributedLock(name = "matrix", fallbackMethod = "fallback")
		void fallingBack(Body body) throws Exception {
			body.startAndWait();
		}

		void fallback(Body body, LockNotAcquiredException busy) {
			body.result.complete("fallback of " + busy.getLockName());
		}

		@DistributedLock(name = "matrix", waitTime = 20)
		void waiting(Body body) throws Exception {
			body.startAndWait();
		}

		@DistributedLock(name = "matrix", timeoutString = "60s")
		void losing(Body body) throws Exception {
			body.startAndWait();
		}

		@DistributedLock(name = "matrix", timeoutString = "60s", onLost = LossReaction.THROW)
		void losingAndThrowing(Body body) throws Exception {
			body.startAndWait();
		}

		@DistributedLock(name = "matrix", timeoutString = "60s", onLost = LossReaction.INTERRUPT)
		void losingAndInterrupted(Body body) throws Exception {
			body.startAndWait();
		}

		@DistributedLock(name = "matrix", timeout = 60, minHold = 60)
		void keeping(Body body) throws Exception {
			body.startAndWait();
		}

	}

}
