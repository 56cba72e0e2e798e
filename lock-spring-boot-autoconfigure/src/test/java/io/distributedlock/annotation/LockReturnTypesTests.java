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

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for methods whose work goes on after they returned, on a real Redis: nothing is
 * left of the lock, whatever becomes of the work.
 */
@ExtendWith(RedisExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LockReturnTypesTests {

	private static final LockOptions LONG = LockOptions.lease(Duration.ofMinutes(5));

	/** The lease of the methods that lose it. */
	private static final Duration SHORT = Duration.ofSeconds(60);

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private RedisServer server;

	private RedisInstances instances;

	private DefaultLockService here;

	private DefaultLockService there;

	private LockFixture fixture;

	private Work work;

	@BeforeAll
	void startInstances(RedisServer server) {
		this.server = server;
		this.instances = new RedisInstances(server);
		this.here = this.instances.start("here", this.events::add);
		this.there = this.instances.start("there");
		this.fixture = new LockFixture(this.here);
		this.work = this.fixture.start(Work.class);
	}

	@BeforeEach
	void forget() {
		this.server.flushAll();
		this.events.clear();
	}

	@AfterEach
	void awaitThatNothingIsLeft() {
		await().untilAsserted(this::assertNothingIsLeft);
	}

	@AfterAll
	void stop() throws Exception {
		this.fixture.close();
		this.instances.close();
	}

	@ParameterizedTest
	@EnumSource
	void lockIsHeldUntilTheWorkIsDoneAndFreeWhenTheCallerIsTold(Kind kind) throws Exception {
		Body body = new Body();
		CompletableFuture<?> result = kind.plain.apply(this.work, body);
		body.awaitStart();
		assertThat(isLocked()).isTrue();
		assertThat(result).isNotDone();
		body.result.complete("done");
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource
	void failureOfTheWorkReachesTheCallerUnchanged(Kind kind) {
		Body body = new Body();
		IOException failure = new IOException("test");
		CompletableFuture<?> result = kind.plain.apply(this.work, body);
		body.awaitStart();
		body.result.completeExceptionally(failure);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> result.get(10, TimeUnit.SECONDS))
			.havingCause()
			.isSameAs(failure);
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource
	void exceptionOfTheMethodReachesTheCallerUnchanged(Kind kind) {
		Body body = new Body();
		body.failure = new IllegalStateException("test");
		CompletableFuture<?> result = kind.plain.apply(this.work, body);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> result.get(10, TimeUnit.SECONDS))
			.havingCause()
			.isSameAs(body.failure);
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource
	void busyLockFailsTheResult(Kind kind) throws Exception {
		Body body = new Body();
		try (LockHandle elsewhere = this.there.acquire("matrix", LONG)) {
			CompletableFuture<?> result = kind.plain.apply(this.work, body);
			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> result.get(10, TimeUnit.SECONDS))
				.withCauseInstanceOf(LockNotAcquiredException.class);
			assertThat(elsewhere.isHeld()).isTrue();
		}
		assertThat(body.starts()).isZero();
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource
	void skippedCallIsEmpty(Kind kind) throws Exception {
		Body body = new Body();
		try (LockHandle elsewhere = this.there.acquire("matrix", LONG)) {
			assertThat(kind.skipping.apply(this.work, body).get(10, TimeUnit.SECONDS)).isNull();
			assertThat(elsewhere.isHeld()).isTrue();
		}
		assertThat(body.starts()).isZero();
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource
	void fallbackAnswersForABusyLock(Kind kind) throws Exception {
		Body body = new Body();
		try (LockHandle elsewhere = this.there.acquire("matrix", LONG)) {
			assertThat(kind.fallingBack.apply(this.work, body).get(10, TimeUnit.SECONDS))
				.isEqualTo("fallback of matrix");
			assertThat(elsewhere.isHeld()).isTrue();
		}
		assertThat(body.starts()).isZero();
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource
	void callWaitsWithoutBlockingTheCaller(Kind kind) throws Exception {
		Body body = new Body();
		LockHandle elsewhere = this.there.acquire("matrix", LONG);
		CompletableFuture<?> result = kind.waiting.apply(this.work, body);
		await().until(() -> !this.here.waiting().isEmpty());
		assertThat(result).isNotDone();
		elsewhere.close();
		body.awaitStart();
		body.result.complete("done");
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertNothingIsLeft();
	}

	@ParameterizedTest
	@EnumSource
	void cancelledWaitLeavesNothingBehind(Kind kind) {
		Body body = new Body();
		try (LockHandle elsewhere = this.there.acquire("matrix", LONG)) {
			CompletableFuture<?> result = kind.waiting.apply(this.work, body);
			await().until(() -> !this.here.waiting().isEmpty());
			result.cancel(true);
			await().until(() -> this.here.waiting().isEmpty());
			assertThat(elsewhere.isHeld()).isTrue();
		}
		assertThat(body.starts()).isZero();
		await().untilAsserted(this::assertNothingIsLeft);
	}

	@ParameterizedTest
	@EnumSource
	void lossIsToldAfterTheWork(Kind kind) {
		Body body = new Body();
		CompletableFuture<?> result = kind.shortLease.apply(this.work, body);
		body.awaitStart();
		this.instances.endLease("matrix", SHORT);
		await().until(() -> this.events.stream().anyMatch(LockEvent.Lost.class::isInstance));
		body.result.complete("done");
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> result.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockLostException.class);
		await().untilAsserted(this::assertNothingIsLeft);
	}

	@ParameterizedTest
	@EnumSource
	void lossInterruptsTheWork(Kind kind) {
		Body body = new Body();
		CompletableFuture<?> result = kind.interrupted.apply(this.work, body);
		body.awaitStart();
		this.instances.endLease("matrix", SHORT);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> result.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockLostException.class);
		await().until(body.result::isCancelled);
		await().untilAsserted(this::assertNothingIsLeft);
	}

	@Test
	void eachSubscriptionTakesTheLockAnewAndAssemblyTakesNone() throws Exception {
		Body body = new Body();
		Mono<String> mono = this.work.mono(body);
		assertThat(body.starts()).isZero();
		assertThat(isLocked()).isFalse();
		body.result.complete("done");
		assertThat(mono.toFuture().get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(mono.toFuture().get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(body.starts()).isEqualTo(2);
		assertThat(this.events).filteredOn(LockEvent.Acquired.class::isInstance).hasSize(2);
	}

	@Test
	void reactiveCallWithinTakesPartInTheLockOfTheContext() throws Exception {
		Body body = new Body();
		body.result.complete("inner");
		Work proxy = this.work;
		assertThat(this.work.around(Mono.defer(() -> proxy.mono(body))).toFuture().get(10, TimeUnit.SECONDS))
			.isEqualTo("inner");
		assertThat(this.events).filteredOn(LockEvent.Acquired.class::isInstance).hasSize(1);
		assertNothingIsLeft();
	}

	@Test
	void reactiveCallsBesideEachOtherDoNotShareTheLock() {
		Body body = new Body();
		CompletableFuture<String> first = this.work.mono(body).toFuture();
		body.awaitStart();
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> this.work.mono(body).toFuture().get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockNotAcquiredException.class);
		first.cancel(true);
	}

	@Test
	void handleIsInTheReactorContext() throws Exception {
		assertThat(this.work.token(null).toFuture().get(10, TimeUnit.SECONDS)).isPositive();
	}

	@Test
	void opaqueFutureIsWatched() throws Exception {
		CountDownLatch done = new CountDownLatch(1);
		FutureTask<String> task = new FutureTask<>(() -> {
			done.await();
			return "done";
		});
		Future<String> result = this.work.opaque(() -> {
			new Thread(task).start();
			return task;
		});
		await().until(this::isLocked);
		assertThat(result).isNotDone();
		done.countDown();
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertNothingIsLeft();
	}

	@Test
	void nullInPlaceOfAFutureIsAFailure() {
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> this.work.opaque(() -> null).get(10, TimeUnit.SECONDS))
			.withMessageContaining("returned null");
		assertNothingIsLeft();
	}

	@Test
	void manyCancellationsAtAnyInstantLeaveNothing() {
		for (int round = 0; round < 100; round++) {
			for (Kind kind : Kind.values()) {
				Body body = new Body();
				CompletableFuture<?> result = kind.plain.apply(this.work, body);
				long end = System.nanoTime() + round * 5_000L;
				while (System.nanoTime() < end) {
					Thread.onSpinWait();
				}
				result.cancel(true);
				assertThat(result.isCancelled()).isTrue();
				// The work of a future is not stopped by it
				body.result.complete("done");
				await().pollInterval(Duration.ofMillis(1)).until(() -> this.here.held().isEmpty() && !isLocked());
			}
		}
		assertNothingIsLeft();
	}

	private boolean isLocked() {
		return this.server.cli("EXISTS", "lock:matrix").equals(1L);
	}

	private void assertNothingIsLeft() {
		assertThat(isLocked()).isFalse();
		assertThat(this.server.cli("EXISTS", "{lock:matrix}:queue", "{lock:matrix}:waiting")).isEqualTo(0L);
		assertThat(this.here.held()).isEmpty();
		assertThat(this.here.waiting()).isEmpty();
	}

	enum Kind {

		COMPLETABLE_FUTURE(Work::future, Work::futureSkipping, Work::futureFallingBack, Work::futureWaiting,
				Work::futureShort, Work::futureInterrupted),

		COMPLETION_STAGE((work, body) -> work.stage(body).toCompletableFuture(),
				(work, body) -> work.stageSkipping(body).toCompletableFuture(),
				(work, body) -> work.stageFallingBack(body).toCompletableFuture(),
				(work, body) -> work.stageWaiting(body).toCompletableFuture(),
				(work, body) -> work.stageShort(body).toCompletableFuture(),
				(work, body) -> work.stageInterrupted(body).toCompletableFuture()),

		MONO((work, body) -> work.mono(body).toFuture(), (work, body) -> work.monoSkipping(body).toFuture(),
				(work, body) -> work.monoFallingBack(body).toFuture(),
				(work, body) -> work.monoWaiting(body).toFuture(), (work, body) -> work.monoShort(body).toFuture(),
				(work, body) -> work.monoInterrupted(body).toFuture()),

		FLUX((work, body) -> work.flux(body).singleOrEmpty().toFuture(),
				(work, body) -> work.fluxSkipping(body).singleOrEmpty().toFuture(),
				(work, body) -> work.fluxFallingBack(body).singleOrEmpty().toFuture(),
				(work, body) -> work.fluxWaiting(body).singleOrEmpty().toFuture(),
				(work, body) -> work.fluxShort(body).singleOrEmpty().toFuture(),
				(work, body) -> work.fluxInterrupted(body).singleOrEmpty().toFuture());

		final BiFunction<Work, Body, CompletableFuture<?>> plain;

		final BiFunction<Work, Body, CompletableFuture<?>> skipping;

		final BiFunction<Work, Body, CompletableFuture<?>> fallingBack;

		final BiFunction<Work, Body, CompletableFuture<?>> waiting;

		final BiFunction<Work, Body, CompletableFuture<?>> shortLease;

		final BiFunction<Work, Body, CompletableFuture<?>> interrupted;

		Kind(BiFunction<Work, Body, CompletableFuture<?>> plain, BiFunction<Work, Body, CompletableFuture<?>> skipping,
				BiFunction<Work, Body, CompletableFuture<?>> fallingBack,
				BiFunction<Work, Body, CompletableFuture<?>> waiting,
				BiFunction<Work, Body, CompletableFuture<?>> shortLease,
				BiFunction<Work, Body, CompletableFuture<?>> interrupted) {
			this.plain = plain;
			this.skipping = skipping;
			this.fallingBack = fallingBack;
			this.waiting = waiting;
			this.shortLease = shortLease;
			this.interrupted = interrupted;
		}

	}

	/**
	 * What a method does, under the control of the test.
	 */
	static class Body {

		final CompletableFuture<String> result = new CompletableFuture<>();

		final List<String> started = new CopyOnWriteArrayList<>();

		@Nullable RuntimeException failure;

		CompletableFuture<String> start() {
			if (this.failure != null) {
				throw this.failure;
			}
			this.started.add("started");
			return this.result;
		}

		int starts() {
			return this.started.size();
		}

		void awaitStart() {
			await().until(() -> starts() > 0);
		}

	}

	static class Work {

		@DistributedLock("matrix")
		CompletableFuture<String> future(Body body) {
			return body.start();
		}

		@DistributedLock(name = "matrix", onContention = OnContention.SKIP)
		CompletableFuture<String> futureSkipping(Body body) {
			return body.start();
		}

		@DistributedLock(name = "matrix", fallbackMethod = "futureFallback")
		CompletableFuture<String> futureFallingBack(Body body) {
			return body.start();
		}

		CompletableFuture<String> futureFallback(Body body, LockNotAcquiredException busy) {
			return CompletableFuture.completedFuture("fallback of " + busy.getLockName());
		}

		@DistributedLock(name = "matrix", waitTime = 10)
		CompletableFuture<String> futureWaiting(Body body) {
			return body.start();
		}

		@DistributedLock(name = "matrix", timeoutString = "60s", onLost = LossReaction.THROW)
		CompletableFuture<String> futureShort(Body body) {
			return body.start();
		}

		@DistributedLock(name = "matrix", timeoutString = "60s", onLost = LossReaction.INTERRUPT)
		CompletableFuture<String> futureInterrupted(Body body) {
			return body.start();
		}

		@DistributedLock("matrix")
		CompletionStage<String> stage(Body body) {
			return body.start();
		}

		@DistributedLock(name = "matrix", onContention = OnContention.SKIP)
		CompletionStage<String> stageSkipping(Body body) {
			return body.start();
		}

		@DistributedLock(name = "matrix", fallbackMethod = "futureFallback")
		CompletionStage<String> stageFallingBack(Body body) {
			return body.start();
		}

		@DistributedLock(name = "matrix", waitTime = 10)
		CompletionStage<String> stageWaiting(Body body) {
			return body.start();
		}

		@DistributedLock(name = "matrix", timeoutString = "60s", onLost = LossReaction.THROW)
		CompletionStage<String> stageShort(Body body) {
			return body.start();
		}

		@DistributedLock(name = "matrix", timeoutString = "60s", onLost = LossReaction.INTERRUPT)
		CompletionStage<String> stageInterrupted(Body body) {
			return body.start();
		}

		@DistributedLock("matrix")
		Mono<String> mono(Body body) {
			return Mono.fromFuture(body.start());
		}

		@DistributedLock(name = "matrix", onContention = OnContention.SKIP)
		Mono<String> monoSkipping(Body body) {
			return Mono.fromFuture(body.start());
		}

		@DistributedLock(name = "matrix", fallbackMethod = "monoFallback")
		Mono<String> monoFallingBack(Body body) {
			return Mono.fromFuture(body.start());
		}

		Mono<String> monoFallback(Body body, LockNotAcquiredException busy) {
			return Mono.just("fallback of " + busy.getLockName());
		}

		@DistributedLock(name = "matrix", waitTime = 10)
		Mono<String> monoWaiting(Body body) {
			return Mono.fromFuture(body.start());
		}

		@DistributedLock(name = "matrix", timeoutString = "60s", onLost = LossReaction.THROW)
		Mono<String> monoShort(Body body) {
			return Mono.fromFuture(body.start());
		}

		@DistributedLock(name = "matrix", timeoutString = "60s", onLost = LossReaction.INTERRUPT)
		Mono<String> monoInterrupted(Body body) {
			return Mono.fromFuture(body.start());
		}

		@DistributedLock("matrix")
		Mono<String> around(Mono<String> inner) {
			return inner;
		}

		@DistributedLock("matrix")
		Mono<Long> token(@Nullable LockHandle handle) {
			return Mono.deferContextual((context) -> {
				assertThat(context.<LockHandle>get(LockHandle.class)).isSameAs(handle);
				return Mono.just(handle.fencingToken());
			});
		}

		@DistributedLock("matrix")
		Flux<String> flux(Body body) {
			return Flux.from(Mono.fromFuture(body.start()));
		}

		@DistributedLock(name = "matrix", onContention = OnContention.SKIP)
		Flux<String> fluxSkipping(Body body) {
			return Flux.from(Mono.fromFuture(body.start()));
		}

		@DistributedLock(name = "matrix", fallbackMethod = "fluxFallback")
		Flux<String> fluxFallingBack(Body body) {
			return Flux.from(Mono.fromFuture(body.start()));
		}

		Flux<String> fluxFallback(Body body, LockNotAcquiredException busy) {
			return Flux.just("fallback of " + busy.getLockName());
		}

		@DistributedLock(name = "matrix", waitTime = 10)
		Flux<String> fluxWaiting(Body body) {
			return Flux.from(Mono.fromFuture(body.start()));
		}

		@DistributedLock(name = "matrix", timeoutString = "60s", onLost = LossReaction.THROW)
		Flux<String> fluxShort(Body body) {
			return Flux.from(Mono.fromFuture(body.start()));
		}

		@DistributedLock(name = "matrix", timeoutString = "60s", onLost = LossReaction.INTERRUPT)
		Flux<String> fluxInterrupted(Body body) {
			return Flux.from(Mono.fromFuture(body.start()));
		}

		@DistributedLock("matrix")
		Future<String> opaque(Callable<@Nullable Future<String>> body) throws Exception {
			return body.call();
		}

	}

}
