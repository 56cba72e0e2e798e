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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.OnLost;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ReactiveLocks} and {@link ReactiveLockContext}.
 */
class ReactiveLocksTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private static final LockOptions WAITING = LONG.withWaitTime(Duration.ofSeconds(10));

	private static final Duration SOON = Duration.ofSeconds(10);

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final DefaultLockService here = new DefaultLockService(this.store, EngineSettings.of("here"),
			List.of(this.events::add));

	private final DefaultLockService there = new DefaultLockService(this.store.connect(), EngineSettings.of("there"),
			List.of());

	private final ReactiveLocks locks = new ReactiveLocks(this.here);

	@AfterEach
	void stop() {
		await().untilAsserted(() -> {
			assertThat(this.here.held()).isEmpty();
			assertThat(this.here.waiting()).isEmpty();
			assertThat(this.there.isLocked("a")).isFalse();
		});
		this.here.close();
		this.there.close();
	}

	@Test
	void nothingIsAcquiredBeforeTheSubscriptionAndEachOneAcquiresAnew() {
		Mono<LockHandle> mono = this.locks.acquire("a", LONG);
		assertThat(this.here.held()).isEmpty();
		for (int i = 0; i < 2; i++) {
			StepVerifier.create(mono).assertNext((handle) -> {
				assertThat(this.there.isLocked("a")).isTrue();
				handle.close();
			}).expectComplete().verify(SOON);
		}
		emits(this.locks.acquire("a").doOnNext(LockHandle::close).map(LockHandle::name), "a");
	}

	@Test
	void optionsOfTheNameApplyIfNoneAreGiven() {
		emits(this.locks.tryAcquire("a").doOnNext(LockHandle::close).map(LockHandle::name), "a");
		emits(this.locks.execute("a", (handle) -> Mono.just(handle.name())), "a");
		emits(this.locks.executeMany("a", (handle) -> Flux.just(handle.name(), "b")), "a", "b");
	}

	@Test
	void busyLockIsAnErrorOrEmpty() {
		try (LockHandle elsewhere = this.there.acquire("a", LONG)) {
			fails(this.locks.acquire("a", LONG), LockNotAcquiredException.class);
			emits(this.locks.tryAcquire("a", LONG));
			fails(this.locks.execute("a", LONG, (handle) -> Mono.just("no")), LockNotAcquiredException.class);
			assertThat(elsewhere.isHeld()).isTrue();
		}
		emits(this.locks.tryAcquire("a", LONG).doOnNext(LockHandle::close).map(LockHandle::name), "a");
	}

	@Test
	void severalLocksAreTakenAllOrNone() {
		StepVerifier.create(this.locks.acquireAll(List.of("b", "a"), LONG)).assertNext((handle) -> {
			assertThat(handle.parts()).extracting(LockHandle::name).containsExactly("a", "b");
			handle.close();
		}).expectComplete().verify(SOON);
		try (LockHandle elsewhere = this.there.acquire("b", LONG)) {
			fails(this.locks.executeAll(List.of("a", "b"), LONG, (handle) -> Mono.just("no")),
					LockNotAcquiredException.class);
			assertThat(elsewhere.isHeld()).isTrue();
		}
		emits(this.locks.executeAll(List.of("a", "b"), LONG, (handle) -> Mono.just("yes")), "yes");
	}

	@Test
	void lockIsHeldDuringTheWorkAndFreeWhenTheSubscriberIsTold() {
		emits(this.locks.execute("a", LONG, (handle) -> Mono.fromCallable(() -> this.there.isLocked("a")))
			.doOnTerminate(() -> assertThat(this.here.held()).isEmpty()), true);
		emits(this.locks
			.executeMany("a", LONG,
					(handle) -> Flux.range(1, 3).doOnNext((each) -> assertThat(this.there.isLocked("a")).isTrue()))
			.doOnComplete(() -> assertThat(this.here.held()).isEmpty()), 1, 2, 3);
	}

	@Test
	void failureOfTheWorkIsPassedOnUnchanged() {
		IllegalStateException failure = new IllegalStateException("test");
		failsWith(this.locks.execute("a", LONG, (handle) -> Mono.error(failure)), failure);
		failsWith(this.locks.<String>execute("a", LONG, (handle) -> {
			throw failure;
		}), failure);
		failsWith(this.locks.executeMany("a", LONG, (handle) -> Flux.error(failure)), failure);
	}

	@Test
	void cancelledWorkGivesTheLockBack() {
		AtomicInteger started = new AtomicInteger();
		Disposable one = this.locks
			.execute("a", LONG, (handle) -> Mono.never().doOnSubscribe((subscription) -> started.incrementAndGet()))
			.subscribe();
		await().until(() -> started.get() == 1);
		assertThat(this.there.isLocked("a")).isTrue();
		one.dispose();
		await().until(() -> !this.there.isLocked("a"));
		emits(this.locks.executeMany("a", LONG, (handle) -> Flux.just(1, 2)).take(1), 1);
	}

	@Test
	void cancelledWaitLeavesNothingBehind() {
		try (LockHandle elsewhere = this.there.acquire("a", LONG)) {
			Disposable waiting = this.locks.acquire("a", WAITING).subscribe();
			await().until(() -> this.here.waiting().size() == 1);
			waiting.dispose();
			await().until(() -> this.here.waiting().isEmpty());
			assertThat(elsewhere.isHeld()).isTrue();
		}
	}

	@Test
	void cancellationAtAnyInstantLeavesNothing() {
		for (int round = 0; round < 200; round++) {
			Disposable subscription = this.locks.execute("a", WAITING, (handle) -> Mono.never()).subscribe();
			long end = System.nanoTime() + round * 2_000L;
			while (System.nanoTime() < end) {
				Thread.onSpinWait();
			}
			subscription.dispose();
			await().pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(1))
				.until(() -> this.here.held().isEmpty() && this.here.waiting().isEmpty());
		}
	}

	@Test
	void contextOutsideHasNoLock() {
		emits(Mono.deferContextual((context) -> Mono.just(ReactiveLockContext.current(context).isPresent())), false);
	}

	@Test
	void lossFailsOrEndsTheWorkIfAskedFor() {
		LockOptions brief = LockOptions.ofLease(Duration.ofMillis(500));
		fails(this.locks.execute("a", brief.withOnLost(OnLost.INTERRUPT), (handle) -> Mono.never()),
				LockLostException.class);
		StepVerifier
			.create(this.locks.executeMany("a", brief.withOnLost(OnLost.THROW),
					(handle) -> Flux.just("done").delaySequence(Duration.ofSeconds(1))))
			.expectNext("done")
			.expectError(LockLostException.class)
			.verify(SOON);
		emits(this.locks.execute("a", brief.withOnLost(OnLost.LOG),
				(handle) -> Mono.just("done").delayElement(Duration.ofSeconds(1))), "done");
	}

	@Test
	void releaseByTheWorkIsNoLoss() {
		emits(this.locks.execute("a", LONG.withOnLost(OnLost.THROW), (handle) -> {
			handle.close();
			return Mono.just("done");
		}), "done");
	}

	@Test
	void waitingSubscriberIsNotifiedInAnAsyncThread() {
		LockHandle elsewhere = this.there.acquire("a", LONG);
		StepVerifier
			.create(this.locks.execute("a", WAITING, (handle) -> Mono.just("done"))
				.map((value) -> Thread.currentThread().getName()))
			.then(elsewhere::close)
			.assertNext((thread) -> assertThat(thread).startsWith("distributed-lock-async-"))
			.expectComplete()
			.verify(SOON);
	}

	@ParameterizedTest
	@MethodSource
	void cleanUpBeforeTheLastSignalIsUnderTheLock(BiFunction<Mono<String>, Runnable, Mono<String>> work) {
		AtomicBoolean held = new AtomicBoolean();
		emits(this.locks.execute("a", LONG,
				(handle) -> work.apply(Mono.just("done"), () -> held.set(this.there.isLocked("a")))), "done");
		assertThat(held).isTrue();
	}

	static Stream<BiFunction<Mono<String>, Runnable, Mono<String>>> cleanUpBeforeTheLastSignalIsUnderTheLock() {
		return Stream.of((work, cleanUp) -> work.doOnNext((value) -> cleanUp.run()),
				(work, cleanUp) -> work.doOnSuccess((value) -> cleanUp.run()), Mono::doOnTerminate,
				(work, cleanUp) -> Mono.using(() -> 1, (resource) -> work, (resource) -> cleanUp.run()),
				(work, cleanUp) -> Mono.usingWhen(Mono.just(1), (resource) -> work,
						(resource) -> Mono.fromRunnable(cleanUp)));
	}

	/**
	 * Waits in it for the release, which would not come before its end if the lock were
	 * held until then.
	 */
	@ParameterizedTest
	@MethodSource
	void cleanUpAfterTheLastSignalIsOutsideTheLock(BiFunction<Mono<String>, Runnable, Mono<String>> work) {
		CompletableFuture<Boolean> free = new CompletableFuture<>();
		emits(this.locks.execute("a", LONG, (handle) -> work.apply(Mono.just("done"), () -> {
			await().atMost(SOON).until(() -> !this.there.isLocked("a"));
			free.complete(true);
		})), "done");
		assertThat(free).succeedsWithin(SOON);
	}

	static Stream<BiFunction<Mono<String>, Runnable, Mono<String>>> cleanUpAfterTheLastSignalIsOutsideTheLock() {
		return Stream.of((work, cleanUp) -> work.doFinally((signal) -> cleanUp.run()),
				(work, cleanUp) -> Mono.using(() -> 1, (resource) -> work, (resource) -> cleanUp.run(), false));
	}

	private static void emits(Publisher<?> work, Object... expected) {
		StepVerifier.<Object>create(work).expectNext(expected).expectComplete().verify(SOON);
	}

	private static void fails(Publisher<?> work, Class<? extends Throwable> failure) {
		StepVerifier.create(work).expectError(failure).verify(SOON);
	}

	private static void failsWith(Publisher<?> work, Throwable failure) {
		StepVerifier.create(work).expectErrorMatches((ex) -> ex == failure).verify(SOON);
	}

}
