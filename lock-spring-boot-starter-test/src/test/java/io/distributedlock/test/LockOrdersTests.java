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

package io.distributedlock.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.annotation.DirtiesContext.ClassMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link TestLocksAssert#hasNoOrderInversion()}.
 */
@SpringBootTest(classes = LockOrdersTests.Application.class)
@AutoConfigureDistributedLock
@DirtiesContext(classMode = ClassMode.AFTER_EACH_TEST_METHOD)
class LockOrdersTests {

	private static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofSeconds(30));

	@Autowired
	private Warehouse warehouse;

	@Autowired
	private LockService service;

	@Autowired
	private TestLocks locks;

	private void isInverted(String... expected) {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(this.locks).hasNoOrderInversion())
			.withMessageContainingAll(expected);
	}

	@Test
	void twoMethodsThatTakeTwoLocksInContradictingOrdersAreReportedWithBothPlaces() {
		this.warehouse.ship("7");
		assertThat(this.locks).hasNoOrderInversion();
		this.warehouse.restock("9");
		isInverted("'Shelves.take', then 'orders': io.distributedlock.test.LockOrdersTests$Warehouse.lambda$restock$",
				"'orders', then 'Shelves.take': io.distributedlock.test.LockOrdersTests$Warehouse.lambda$ship$",
				"acquireAll");
	}

	@Test
	void lockOrdersAreComparedAcrossTests() {
		this.warehouse.ship("7");
		this.locks.reset("FirstTests.one");
		this.warehouse.restock("9");
		isInverted("'orders', then 'Shelves.take'");
	}

	@Test
	void twoLocksOfOneKindAreComparedByTheirNames() {
		nested("account:1", "account:2");
		nested("account:2", "account:3");
		assertThat(this.locks).hasNoOrderInversion();
		nested("account:2", "account:1");
		isInverted("'account:2', then 'account:1'", "'account:1', then 'account:2'");
	}

	@Test
	void aCircleOfThreeLocksIsAnInversion() {
		nested("a", "b");
		nested("b", "c");
		nested("c", "a");
		isInverted("'a', then 'b'", "'b', then 'c'", "'c', then 'a'");
	}

	@Test
	void refusedLockCountsForTheOrder() {
		nested("a", "b");
		try (LockHandle elsewhere = this.locks.hold("a"); LockHandle b = this.service.acquire("b", OPTIONS)) {
			assertThat(this.service.tryAcquire("a", OPTIONS)).isEmpty();
		}
		isInverted("'b', then 'a'");
	}

	@Test
	void locksThatAreTakenTogetherHaveOneOrder() {
		this.service.executeAll(List.of("a", "b"), OPTIONS, (handle) -> "done");
		this.service.executeAll(List.of("b", "a"), OPTIONS, (handle) -> "done");
		assertThat(this.locks).hasNoOrderInversion();
		nested("b", "a");
		isInverted("'a', then 'b'");
	}

	@Test
	void severalAnnotationsOfOneMethodHaveTheOrderOfTheirNames() {
		this.warehouse.count("a");
		this.warehouse.count("z");
		assertThat(this.locks).hasNoOrderInversion();
	}

	@Test
	void reentryIsNoStep() {
		try (LockHandle a = this.service.acquire("a", OPTIONS);
				LockHandle b = this.service.acquire("b", OPTIONS);
				LockHandle again = this.service.acquire("a", OPTIONS)) {
			assertThat(again.isHeld()).isTrue();
		}
		assertThat(this.locks).hasNoOrderInversion();
	}

	@Test
	void locksThatOneThreadDoesNotHoldTogetherHaveNoOrder() {
		nested("a", "b");
		this.service.acquire("b", OPTIONS).close();
		this.service.acquire("a", OPTIONS).close();
		try (LockHandle b = this.service.acquire("b", OPTIONS)) {
			CompletableFuture.runAsync(() -> this.service.acquire("a", OPTIONS).close()).join();
		}
		try (LockHandle detached = this.service.acquire("b", OPTIONS).detach()) {
			this.service.acquire("a", OPTIONS).close();
		}
		assertThat(this.locks).hasNoOrderInversion();
	}

	private void nested(String first, String second) {
		this.service.execute(first, OPTIONS, (outer) -> this.service.execute(second, OPTIONS, (inner) -> "done"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Warehouse.class, Shelves.class, Orders.class })
	static class Application {

	}

	static class Warehouse {

		private final Orders orders;

		private final Shelves shelves;

		Warehouse(Orders orders, Shelves shelves) {
			this.orders = orders;
			this.shelves = shelves;
		}

		void ship(String shelf) {
			this.orders.with(() -> this.shelves.take(shelf, () -> {
			}));
		}

		void restock(String shelf) {
			this.shelves.take(shelf, () -> this.orders.with(() -> {
			}));
		}

		@DistributedLock(name = "#id", timeout = 30)
		@DistributedLock(name = "m", timeout = 30)
		public void count(String id) {
		}

	}

	static class Orders {

		@DistributedLock(name = "orders", timeout = 30)
		public void with(Runnable work) {
			work.run();
		}

	}

	static class Shelves {

		@DistributedLock(name = "'shelf:' + #id", timeout = 30)
		public void take(String id, Runnable work) {
			work.run();
		}

	}

}
