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

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.OnLost;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.Ticker;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.LockStore;
import io.distributedlock.testsupport.SettableTicker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.util.context.Context;

import org.springframework.aop.support.AopUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for reactive work that runs under a lock which it asks for again.
 */
class ReactiveReentryTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private static final LockOptions LONGER = LONG.withLease(Duration.ofMinutes(20));

	private static final Duration SOON = Duration.ofSeconds(30);

	private static final LockOptions WAITING = LONG.withWaitTime(SOON);

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final List<String> commands = new CopyOnWriteArrayList<>();

	private final Ticker system = Ticker.system();

	private final SettableTicker ahead = new SettableTicker();

	/** Goes by itself, and can be moved ahead. */
	private final Ticker ticker = () -> this.system.nanos() + this.ahead.nanos();

	private final InMemoryLockStore store = new InMemoryLockStore(this.ticker::nanos);

	private final DefaultLockService here = new DefaultLockService(recording(this.store, this.commands),
			EngineSettings.of("here"), List.of(this.events::add), this.ticker);

	private final DefaultLockService there = new DefaultLockService(this.store.connect(), EngineSettings.of("there"),
			List.of(), this.ticker);

	private final ReactiveLocks locks = new ReactiveLocks(this.here);

	@AfterEach
	void stop() {
		await().untilAsserted(() -> {
			assertThat(this.here.held()).isEmpty();
			assertThat(this.here.waiting()).isEmpty();
			assertThat(List.of("a", "b", "c")).noneMatch(this.there::isLocked);
		});
		this.here.close();
		this.there.close();
	}

	@Test
	void workWithinTakesPartInTheLockOfTheContext() {
		emits(this.locks.execute("a", LONG, (outer) -> this.locks.execute("a", LONG, (inner) -> {
			assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
			return Mono.deferContextual((context) -> {
				assertThat(ReactiveLockContext.current(context)).containsSame(inner);
				assertThat(ReactiveLockContext.all(context)).containsExactly(inner, outer);
				assertThat(ReactiveLockContext.find(context, "a")).containsSame(inner);
				assertThat(ReactiveLockContext.find(context, "b")).isEmpty();
				return Mono.just("inner");
			});
		}).doOnNext((inner) -> assertThat(this.there.isLocked("a")).isTrue())), "inner");
		assertThat(this.events).filteredOn(LockEvent.Acquired.class::isInstance).hasSize(1);
	}

	@Test
	void theStoreIsNotAskedWhereTheLeaseSuffices() {
		emits(this.locks.execute("a", LONG, (outer) -> {
			this.commands.clear();
			return this.locks.execute("a", LONG, (inner) -> Mono.just("inner"))
				.doOnNext((inner) -> assertThat(this.commands).isEmpty());
		}), "inner");
		assertThat(this.commands).containsExactly("release");
	}

	@Test
	void eachReenteredLockIsLengthened() {
		for (List<String> inside : List.of(List.of("a", "b"), List.of("a", "b", "c"))) {
			emits(this.locks.executeAll(List.of("a", "b"), LONG,
					(outer) -> this.locks.executeAll(inside, LONGER, (inner) -> {
						assertThat(inner.parts()).extracting(LockHandle::name).isEqualTo(inside);
						await().until(() -> outer.remaining().compareTo(Duration.ofMinutes(10)) > 0);
						return Mono.just("inner");
					})), "inner");
		}
	}

	@Test
	void shorterLeaseWithinDoesNotShortenTheLock() {
		emits(this.locks.execute("a", LONG,
				(outer) -> this.locks
					.execute("a", LockOptions.ofLease(Duration.ofSeconds(1)), (inner) -> Mono.just("inner"))
					.doOnNext((inner) -> assertThat(outer.remaining()).isGreaterThan(Duration.ofMinutes(4)))),
				"inner");
	}

	@Test
	void lockOfAnotherServiceIsNotEntered() {
		LockStore otherStore = new InMemoryLockStore();
		try (DefaultLockService other = new DefaultLockService(otherStore, EngineSettings.of("other"), List.of())) {
			ReactiveLocks otherLocks = new ReactiveLocks(other);
			LockHandle elsewhere = other.acquireAsync("a", LONG).join();
			fails(this.locks.execute("a", LONG, (outer) -> otherLocks.execute("a", LONG, (inner) -> Mono.just("no"))),
					LockNotAcquiredException.class);
			elsewhere.close();
			emits(this.locks.execute("a", LONG,
					(outer) -> otherLocks.execute("a", LONG, (between) -> this.locks.execute("a", LONG, (inner) -> {
						assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
						return Mono.just("inner");
					}))), "inner");
		}
	}

	@Test
	void innerWorkKeepsTheLockAfterTheOuterWork() {
		Sinks.One<String> sink = Sinks.one();
		emits(this.locks.execute("a", LONG, (outer) -> Mono.deferContextual((context) -> {
			this.locks.execute("a", LONG, (inner) -> sink.asMono()).contextWrite(Context.of(context)).subscribe();
			return Mono.just("outer");
		})), "outer");
		assertThat(this.there.isLocked("a")).isTrue();
		sink.tryEmitValue("inner");
		await().until(() -> !this.there.isLocked("a"));
	}

	@Test
	void onlyMissingLocksAreAcquired() {
		emits(this.locks.execute("b", LONG,
				(outer) -> this.locks.executeAll(List.of("c", "b", "a", "b"), LONG, (inner) -> {
					assertThat(inner.parts()).extracting(LockHandle::name).containsExactly("a", "b", "c");
					assertThat(inner.parts().get(1).fencingToken()).isEqualTo(outer.fencingToken());
					return Mono.just("inner");
				}).doOnNext((inner) -> {
					assertThat(this.there.isLocked("b")).isTrue();
					assertThat(this.there.isLocked("a") || this.there.isLocked("c")).isFalse();
				})), "inner");
	}

	@Test
	void missingLockHeldElsewhereLeavesTheOuterLockAlone() {
		try (LockHandle elsewhere = this.there.acquire("c", LONG)) {
			emits(this.locks.execute("a", LONG,
					(outer) -> this.locks.executeAll(List.of("a", "b", "c"), LONG, (inner) -> Mono.just("no"))
						.onErrorResume(LockNotAcquiredException.class, (busy) -> Mono.just("busy"))
						.doOnNext((result) -> assertThat(outer.isHeld()).isTrue())),
					"busy");
			assertThat(elsewhere.isHeld()).isTrue();
			assertThat(this.there.isLocked("a")).isFalse();
		}
	}

	@Test
	void workBesideDoesNotShareTheLock() {
		Sinks.One<String> sink = Sinks.one();
		Disposable first = this.locks.execute("a", LONG, (handle) -> sink.asMono()).subscribe();
		await().until(() -> this.here.held().size() == 1);
		fails(this.locks.execute("a", LONG, (handle) -> Mono.just("no")), LockNotAcquiredException.class);
		first.dispose();
	}

	@Test
	void lostLockIsNotEnteredAgain() {
		emits(this.locks.execute("a", LONG,
				(outer) -> Mono.fromRunnable(this::endLease)
					.then(this.locks.execute("a", LONG,
							(inner) -> Mono.just(inner.isHeld() && inner.fencingToken() > outer.fencingToken())))),
				true);
	}

	@Test
	void lossOfTheOuterLockFailsInnerWorkThatAsksForFailure() {
		for (OnLost onLost : List.of(OnLost.THROW, OnLost.INTERRUPT)) {
			fails(this.locks.execute("a", LONG,
					(outer) -> this.locks.execute("a", LONG.withOnLost(onLost),
							(inner) -> Mono.just("done").doOnSubscribe((subscription) -> endLease()))),
					LockLostException.class);
		}
	}

	@Test
	void failureWithinLeavesTheMinimumHoldToTheOuterWork() {
		emits(this.locks.execute("a", LONG.withMinHold(Duration.ofMinutes(2)),
				(outer) -> this.locks
					.<String>execute("a", LONG, (inner) -> Mono.error(new IllegalStateException("test")))
					.onErrorReturn("recovered")),
				"recovered");
		assertThat(this.there.isLocked("a")).isTrue();
		this.ahead.advance(Duration.ofMinutes(2));
	}

	@Test
	void cancellationAtAnyInstantLeavesNothing() {
		for (int round = 0; round < 2000; round++) {
			Disposable subscription = this.locks
				.execute("a", WAITING,
						(outer) -> this.locks.executeAll(List.of("a", "b"), WAITING, (inner) -> Mono.never()))
				.subscribe();
			long end = System.nanoTime() + (round % 100) * 1_000L;
			while (System.nanoTime() < end) {
				Thread.onSpinWait();
			}
			subscription.dispose();
		}
		await().untilAsserted(() -> assertThat(this.here.held()).isEmpty());
	}

	/**
	 * The lock is there before the subscriber has asked for anything.
	 */
	@Test
	void cancellationBeforeTheRequestLeavesNothing() {
		LockService atOnce = (LockService) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { LockService.class }, (proxy, method, arguments) -> {
					Object result = method.invoke(this.here, arguments);
					return (result instanceof CompletableFuture<?> future)
							? CompletableFuture.completedFuture(future.join()) : result;
				});
		ReactiveLocks ready = new ReactiveLocks(atOnce);
		for (Mono<?> mono : List.of(ready.acquire("a", LONG), ready.tryAcquire("a", LONG),
				ready.execute("a", LONG, (handle) -> Mono.just("no")))) {
			mono.subscribe(new BaseSubscriber<Object>() {

				@Override
				protected void hookOnSubscribe(Subscription subscription) {
					cancel();
				}

			});
			assertThat(this.here.held()).isEmpty();
		}
		assertThat(ready.acquire("a", LONG).blockOptional(SOON)).hasValueSatisfying(LockHandle::close);
	}

	private static void emits(Publisher<?> work, Object... expected) {
		StepVerifier.<Object>create(work).expectNext(expected).expectComplete().verify(SOON);
	}

	private static void fails(Publisher<?> work, Class<? extends Throwable> failure) {
		StepVerifier.create(work).expectError(failure).verify(SOON);
	}

	private static LockStore recording(LockStore store, List<String> commands) {
		return (LockStore) Proxy.newProxyInstance(ReactiveReentryTests.class.getClassLoader(),
				new Class<?>[] { LockStore.class }, (proxy, method, arguments) -> {
					commands.add(method.getName());
					return AopUtils.invokeJoinpointUsingReflection(store, method, arguments);
				});
	}

	private void endLease() {
		this.ahead.advance(LONG.lease());
		this.here.catchUp();
	}

}
