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

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.Ticker;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.testsupport.SettableTicker;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Mono;

import org.springframework.scheduling.annotation.Async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for annotated methods on the engine itself.
 */
class LockedMethodWithEngineTests {

	private final List<LockEvent> events = new CopyOnWriteArrayList<>();

	private final Ticker system = Ticker.system();

	private final SettableTicker ahead = new SettableTicker();

	/** Goes by itself, and can be moved ahead. */
	private final Ticker ticker = () -> this.system.nanos() + this.ahead.nanos();

	private final DefaultLockService locks = new DefaultLockService(new InMemoryLockStore(this.ticker::nanos),
			EngineSettings.of("instance"), List.of(this.events::add), this.ticker);

	private final LockFixture fixture = new LockFixture(this.locks);

	private Payments payments;

	@BeforeEach
	void start() {
		this.payments = this.fixture.start(Payments.class);
		this.payments.setSelf(this.payments);
	}

	@AfterEach
	void stop() {
		this.fixture.close();
		this.locks.close();
	}

	@Test
	void fiveCallsAtOnceMakeOnePayment() throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(5);
		CountDownLatch refused = new CountDownLatch(4);
		List<Future<String>> calls = executor.invokeAll(Collections.nCopies(5, () -> {
			try {
				this.payments.pay(1, "A", () -> await(refused));
				return "paid";
			}
			catch (LockNotAcquiredException ex) {
				refused.countDown();
				return "refused";
			}
		}), 30, TimeUnit.SECONDS);
		executor.shutdownNow();
		assertThat(calls).extracting(Future::get).containsOnlyOnce("paid").filteredOn("refused"::equals).hasSize(4);
	}

	@Test
	void lockedMethodMayCallAnotherOneWithTheSameLock() {
		assertThat(this.payments.outer(null)).isPositive();
		assertThat(this.locks.held()).isEmpty();
	}

	@Test
	void severalLocksAreAllOrNone() {
		try (LockHandle elsewhere = this.locks.acquireAsync("stock:2", this.locks.defaults()).join()) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.payments.move(List.of(3, 2, 1)));
			assertThat(this.locks.held()).hasSize(1);
			assertThat(elsewhere.isHeld()).isTrue();
		}
		assertThat(this.payments.move(List.of(3, 2, 1))).isEqualTo(3);
		assertThat(this.locks.held()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void futureMethodSharesTheLockWithCalledMethods(Twins twins) {
		CompletableFuture<Long> body = CompletableFuture.completedFuture(1L);
		assertThat(twins.call.apply(this.payments, body)).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(1L);
		assertThat(this.locks.held()).isEmpty();
	}

	@Test
	void lockIsHeldUntilTheLastOfTheFuturesThatShareItIsDone() {
		CompletableFuture<Long> body = new CompletableFuture<>();
		CompletableFuture<Long> result = this.payments.futureAbandoning(body);
		assertThat(result).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(0L);
		assertThat(this.locks.held()).hasSize(1);
		body.complete(1L);
		assertThat(this.locks.held()).isEmpty();
	}

	@Test
	void futureMethodAcquiresOnlyTheLocksMissingInTheCaller() {
		CompletableFuture<Long> body = new CompletableFuture<>();
		CompletableFuture<Long> result = this.payments.futureOfSeveral(body);
		Awaitility.await().until(() -> this.locks.held().size() == 3);
		body.complete(1L);
		assertThat(result).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(3L);
		assertThat(this.locks.held()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void methodDoesNotStartIfALockIsLostWhileItWaitsForAnother(Waits method) {
		LockHandle elsewhere = this.locks.acquireAsync("second", this.locks.defaults()).join();
		CompletableFuture<Long> call = CompletableFuture.supplyAsync(() -> method.call.apply(this.payments))
			.thenCompose((result) -> result);
		Awaitility.await().until(() -> !this.locks.waiting().isEmpty());
		// The lease of the first one, less than the other ones have, and than the call
		// waits
		this.ahead.advance(Duration.ofSeconds(10));
		this.locks.catchUp();
		Awaitility.await()
			.until(() -> this.events.stream()
				.anyMatch((event) -> event instanceof LockEvent.Lost lost && lost.name().equals("first")));
		elsewhere.close();
		assertThat(call).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(LockLostException.class)
			.withMessageContaining("first");
		assertThat(this.payments.started()).isZero();
		Awaitility.await().until(() -> this.locks.held().isEmpty());
		assertThat(method.call.apply(this.payments)).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(1L);
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A method that waits for its second lock under the first, which has a short lease.
	 */
	enum Waits {

		BLOCKING((payments) -> CompletableFuture.completedFuture(payments.repeated())),
		FUTURE(Payments::repeatedFuture), MONO((payments) -> payments.repeatedMono().toFuture()),
		FUTURE_IN_FUTURE(Payments::futureCallingNext);

		private final Function<Payments, CompletableFuture<Long>> call;

		Waits(Function<Payments, CompletableFuture<Long>> call) {
			this.call = call;
		}

	}

	/**
	 * A method, and another one with the same lock that it calls.
	 */
	enum Twins {

		FUTURE_CALLS_BLOCKING(Payments::futureCallingBlocking), FUTURE_CALLS_FUTURE(Payments::futureCallingFuture),

		BLOCKING_CALLS_FUTURE((payments, body) -> {
			payments.blockingCallingFuture(body);
			return body;
		}), ASYNC_CALLS_BLOCKING(Payments::asyncCallingBlocking), ASYNC_CALLS_FUTURE(Payments::asyncCallingFuture);

		private final BiFunction<Payments, CompletableFuture<Long>, CompletableFuture<Long>> call;

		Twins(BiFunction<Payments, CompletableFuture<Long>, CompletableFuture<Long>> call) {
			this.call = call;
		}

	}

	static class Payments {

		private final AtomicLong started = new AtomicLong();

		private Payments self;

		public void setSelf(Payments self) {
			this.self = self;
		}

		@DistributedLock(name = "'pay:' + #userId + ':' + #orderId", timeout = 60, minHold = 60)
		public void pay(long userId, String orderId, Runnable payment) {
			payment.run();
		}

		@DistributedLock(name = "nested", timeout = 60)
		public long outer(@Nullable LockHandle handle) {
			assertThat(this.self.inner(null)).isEqualTo(handle.fencingToken());
			assertThat(handle.isHeld()).isTrue();
			return handle.fencingToken();
		}

		@DistributedLock(name = "nested", timeout = 1)
		public long inner(@Nullable LockHandle handle) {
			return handle.fencingToken();
		}

		@DistributedLock(name = "twin", timeout = 60, waitTime = 60)
		public long blocking(CompletableFuture<Long> body) {
			return body.join();
		}

		@DistributedLock(name = "twin", timeout = 60, waitTime = 60)
		public CompletableFuture<Long> future(CompletableFuture<Long> body) {
			return body;
		}

		@DistributedLock(name = "twin", timeout = 60)
		public CompletableFuture<Long> futureCallingBlocking(CompletableFuture<Long> body) {
			return CompletableFuture.completedFuture(this.self.blocking(body));
		}

		@DistributedLock(name = "twin", timeout = 60)
		public CompletableFuture<Long> futureCallingFuture(CompletableFuture<Long> body) {
			return this.self.future(body).thenApply((value) -> value);
		}

		@DistributedLock(name = "twin", timeout = 60)
		public long blockingCallingFuture(CompletableFuture<Long> body) {
			return this.self.future(body).join();
		}

		@Async
		@DistributedLock(name = "twin", timeout = 60)
		public CompletableFuture<Long> asyncCallingBlocking(CompletableFuture<Long> body) {
			return CompletableFuture.completedFuture(this.self.blocking(body));
		}

		@Async
		@DistributedLock(name = "twin", timeout = 60)
		public CompletableFuture<Long> asyncCallingFuture(CompletableFuture<Long> body) {
			return this.self.future(body);
		}

		@DistributedLock(name = "twin", timeout = 60)
		public CompletableFuture<Long> futureAbandoning(CompletableFuture<Long> body) {
			this.self.future(body);
			return CompletableFuture.completedFuture(0L);
		}

		@DistributedLock(name = "twin", timeout = 60)
		public CompletableFuture<Long> futureOfSeveral(CompletableFuture<Long> body) {
			return this.self.several(null, body);
		}

		@DistributedLock(name = { "z", "twin", "a" }, timeout = 60)
		public CompletableFuture<Long> several(@Nullable LockHandle handle, CompletableFuture<Long> body) {
			assertThat(handle.parts()).extracting(LockHandle::name).containsExactly("a", "twin", "z");
			return body.thenApply((value) -> (long) handle.parts().size());
		}

		public long started() {
			return this.started.get();
		}

		@DistributedLock(name = "first", timeout = 10)
		@DistributedLock(name = "second", waitTime = 20)
		public long repeated() {
			return this.started.incrementAndGet();
		}

		@DistributedLock(name = "first", timeout = 10)
		@DistributedLock(name = "second", waitTime = 20)
		public CompletableFuture<Long> repeatedFuture() {
			return CompletableFuture.completedFuture(this.started.incrementAndGet());
		}

		@DistributedLock(name = "first", timeout = 10)
		@DistributedLock(name = "second", waitTime = 20)
		public Mono<Long> repeatedMono() {
			return Mono.fromSupplier(this.started::incrementAndGet);
		}

		@DistributedLock(name = "first", timeout = 10)
		public CompletableFuture<Long> futureCallingNext() {
			return this.self.next();
		}

		@DistributedLock(name = { "first", "second" }, timeout = 10, waitTime = 20)
		public CompletableFuture<Long> next() {
			return CompletableFuture.completedFuture(this.started.incrementAndGet());
		}

		@DistributedLock("#ids.!['stock:' + #this]")
		public int move(List<Integer> ids) {
			return ids.size();
		}

	}

}
