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

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.faults.RedisInstances;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Annotated methods with permits, and shared ones, on two instances and a real Redis.
 */
@ExtendWith(RedisExtension.class)
@Timeout(60)
class LockPermitsTests {

	private static final LockOptions PROBE = LockOptions.ofLease(Duration.ofSeconds(30));

	private RedisInstances instances;

	private DefaultLockService hereService;

	private DefaultLockService thereService;

	private LockFixture hereFixture;

	private LockFixture thereFixture;

	private Exports here;

	private Exports there;

	private final ExecutorService pool = Executors.newCachedThreadPool();

	@BeforeEach
	void start(RedisServer server) {
		this.instances = new RedisInstances(server);
		this.hereService = this.instances.start("here");
		this.hereFixture = new LockFixture(this.hereService);
		this.thereService = this.instances.start("there");
		this.thereFixture = new LockFixture(this.thereService);
		Exports.MOST.set(0);
		Exports.CALLS.set(0);
		this.here = this.hereFixture.property("parallel", "2").start(Exports.class);
		this.there = this.thereFixture.property("parallel", "2").start(Exports.class);
	}

	@AfterEach
	void stop() throws Exception {
		this.pool.shutdownNow();
		this.hereFixture.close();
		this.thereFixture.close();
		this.instances.close();
	}

	@Test
	void neverMoreThanThePermitsOnAllInstancesTogether() throws Exception {
		List<Future<?>> calls = new ArrayList<>();
		for (int i = 0; i < 60; i++) {
			Exports exports = (i % 2 == 0) ? this.here : this.there;
			calls.add(this.pool.submit(() -> {
				exports.export();
				return null;
			}));
		}
		for (Future<?> call : calls) {
			call.get(30, TimeUnit.SECONDS);
		}
		assertThat(Exports.MOST.get()).isBetween(1, 3);
		assertThat(Exports.CALLS).hasValue(60);
		assertThat(this.hereService.find("export")).isEmpty();
	}

	@Test
	void permitsMayComeFromAnArgument() throws Exception {
		try (Blocked first = block((work) -> this.here.ask("acme", 2, work))) {
			try (Blocked second = block((work) -> this.there.ask("acme", 2, work))) {
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> this.here.ask("acme", 2, null));
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> this.here.ask("acme", 1, null));
				this.here.ask("other", 1, null);
			}
			this.here.ask("acme", 2, null);
		}
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "0", "-3", "2.5", "many", "", "1e99", "NaN" })
	void permitsOfACallThatAreNotPositiveNumbersAreRefused(@Nullable String permits) {
		assertThatExceptionOfType(InvalidLockDefinitionException.class)
			.isThrownBy(() -> this.here.ask("acme", permits, null))
			.withMessageContaining("permitsString")
			.withMessageContaining("It gave " + permits);
		assertThat(this.hereService.find("ask:acme")).isEmpty();
	}

	static Stream<Object> noPermits() {
		return Stream.of(0, -1L, Integer.MIN_VALUE, 2.5, Double.NEGATIVE_INFINITY, new BigDecimal("0.5"), true, 'x',
				LockMode.SHARED, Optional.of(3), List.of(3), new int[] { 3 }, new Object());
	}

	@ParameterizedTest
	@MethodSource("noPermits")
	void permitsOfACallThatAreOfAnotherKindAreRefused(Object permits) {
		assertThatExceptionOfType(InvalidLockDefinitionException.class)
			.isThrownBy(() -> this.here.ask("acme", permits, null))
			.withMessageContaining("permitsString")
			.withMessageContaining("which is not a whole number of at least 1");
		assertThat(this.hereService.find("ask:acme")).isEmpty();
	}

	@Test
	void morePermitsThanCanEverBeUsedAreNoMistake() throws Exception {
		try (Blocked first = block((work) -> this.here.ask("acme", 1L << 31, work))) {
			this.there.ask("acme", 1L << 40, null);
			this.there.ask("acme", "2", null);
		}
	}

	@Test
	void permitsMayComeFromTheConfiguration() throws Exception {
		try (Blocked first = block((work) -> this.here.configured(work));
				Blocked second = block((work) -> this.here.configured(work))) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.there.configured(null));
		}
		this.there.configured(null);
	}

	@Test
	void readersRunSideBySideAndAWriterAlone() throws Exception {
		try (Blocked one = block((work) -> this.here.read(work));
				Blocked two = block((work) -> this.there.read(work))) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.here.write(null));
		}
		try (Blocked writer = block((work) -> this.there.write(work))) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.here.read(null));
		}
		this.here.read(null);
	}

	@Test
	void aWriterMayReadAndAReaderMustNotWrite() {
		this.here.write(() -> {
			this.here.read(null);
			return null;
		});
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> this.here.read(() -> {
			this.here.write(null);
			return null;
		})).withMessageContaining("Release the lock first");
		assertThat(this.hereService.find("index")).isEmpty();
	}

	@Test
	void futuresAndPublishersHavePermitsToo() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> first = this.here.future(2, work);
		CompletableFuture<String> second = this.there.mono(2, work).toFuture();
		await().until(() -> this.hereService.held().size() + this.thereService.held().size() == 2);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.here.mono(2, CompletableFuture.completedFuture("late")).block());
		work.complete("done");
		assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(this.here.future(0, work)).isCompletedExceptionally();
		assertThat(this.here.mono(2, work).block()).isEqualTo("done");
		assertThat(this.hereService.tryAcquire("work", PROBE)).hasValueSatisfying(LockHandle::close);
	}

	@Test
	void aHundredWaitingPermitsAreServedWhenAHundredAreReturned() throws Exception {
		LockOptions hundred = PROBE.withPermits(100).withWaitTime(Duration.ofSeconds(30));
		List<LockHandle> held = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			held.add(this.hereService.acquireAsync("hundred", hundred).get());
		}
		LockService other = this.instances.start("other");
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			waiting.add(other.acquireAsync("hundred", hundred));
		}
		TimeUnit.MILLISECONDS.sleep(500);
		assertThat(waiting).noneMatch(CompletableFuture::isDone);
		long from = System.nanoTime();
		held.forEach(LockHandle::close);
		for (CompletableFuture<LockHandle> each : waiting) {
			each.get(10, TimeUnit.SECONDS);
		}
		assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(5));
	}

	@Test
	void aWriterIsServedAmongReadersThatNeverCease() throws Exception {
		CountDownLatch stop = new CountDownLatch(1);
		for (int i = 0; i < 50; i++) {
			Exports exports = (i % 2 == 0) ? this.here : this.there;
			this.pool.submit(() -> {
				while (stop.getCount() > 0) {
					exports.waitAndRead();
				}
			});
		}
		for (int i = 0; i < 5; i++) {
			this.here.waitAndWrite();
		}
		stop.countDown();
	}

	/**
	 * Begin a call, which stays in its method until this is closed.
	 */
	private Blocked block(Consumer<Callable<?>> call) throws Exception {
		CountDownLatch entered = new CountDownLatch(1);
		CountDownLatch left = new CountDownLatch(1);
		Future<?> returned = this.pool.submit(() -> call.accept(() -> {
			entered.countDown();
			return left.await(30, TimeUnit.SECONDS);
		}));
		assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();
		return () -> {
			left.countDown();
			returned.get(10, TimeUnit.SECONDS);
		};
	}

	private interface Blocked extends AutoCloseable {

	}

	static class Exports {

		private static final Callable<?> NOTHING = () -> null;

		/** Of all instances. */
		static final AtomicInteger INSIDE = new AtomicInteger();

		static final AtomicInteger MOST = new AtomicInteger();

		static final AtomicInteger CALLS = new AtomicInteger();

		@DistributedLock(name = "'export'", permits = 3, waitTime = 30)
		public void export() throws InterruptedException {
			MOST.accumulateAndGet(INSIDE.incrementAndGet(), Math::max);
			TimeUnit.MILLISECONDS.sleep(2);
			CALLS.incrementAndGet();
			INSIDE.decrementAndGet();
		}

		@DistributedLock(name = "'ask:' + #tenant", permitsString = "#parallel")
		public void ask(String tenant, @Nullable Object parallel, @Nullable Callable<?> work) {
			run(work);
		}

		@DistributedLock(name = "'configured'", permitsString = "${parallel}")
		public void configured(@Nullable Callable<?> work) {
			run(work);
		}

		@DistributedLock(name = "'index'", mode = LockMode.SHARED)
		public void read(@Nullable Callable<?> work) {
			run(work);
		}

		@DistributedLock(name = "'index'")
		public void write(@Nullable Callable<?> work) {
			run(work);
		}

		@DistributedLock(name = "'book'", mode = LockMode.SHARED, waitTime = 30)
		public void waitAndRead() {
		}

		@DistributedLock(name = "'book'", waitTime = 30)
		public void waitAndWrite() {
		}

		@DistributedLock(name = "'work'", permitsString = "#parallel")
		public CompletableFuture<String> future(int parallel, CompletableFuture<String> work) {
			return work;
		}

		@DistributedLock(name = "'work'", permitsString = "#parallel")
		public Mono<String> mono(int parallel, CompletableFuture<String> work) {
			return Mono.fromFuture(work);
		}

		private static void run(@Nullable Callable<?> work) {
			try {
				((work != null) ? work : NOTHING).call();
			}
			catch (RuntimeException ex) {
				throw ex;
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
