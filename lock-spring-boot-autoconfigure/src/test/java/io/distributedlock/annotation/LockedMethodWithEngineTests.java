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

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.InMemoryLockStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for annotated methods on the engine itself.
 */
class LockedMethodWithEngineTests {

	private final DefaultLockService locks = new DefaultLockService(new InMemoryLockStore(),
			EngineSettings.of("instance"), List.of());

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
	void sameRequestIsRefusedForTheMinimumHoldAfterSuccess() {
		this.payments.pay(1, "A", () -> {
		});
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.payments.pay(1, "A", () -> {
		})).withMessageContaining("pay:1:A");
		this.payments.pay(1, "B", () -> {
		});
	}

	@Test
	void sameRequestMayBeTriedAgainAtOnceAfterAFailure() {
		assertThatIllegalStateException().isThrownBy(() -> this.payments.pay(1, "A", () -> {
			throw new IllegalStateException("declined");
		})).withMessage("declined");
		this.payments.pay(1, "A", () -> {
		});
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

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static class Payments {

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

		@DistributedLock("#ids.!['stock:' + #this]")
		public int move(List<Integer> ids) {
			return ids.size();
		}

	}

}
