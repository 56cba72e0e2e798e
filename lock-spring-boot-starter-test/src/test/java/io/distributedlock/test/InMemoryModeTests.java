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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link AutoConfigureDistributedLock} with locks in memory.
 */
@SpringBootTest(classes = InMemoryModeTests.Application.class)
@AutoConfigureDistributedLock
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class InMemoryModeTests {

	@Autowired
	private OrderService orders;

	@Autowired
	private LockService service;

	@Autowired
	private TestLocks locks;

	@Test
	@Order(1)
	void aLockHeldElsewhereIsBusyUntilItIsReleased() {
		LockHandle elsewhere = this.locks.hold("order:1");
		assertThat(this.locks).isHeldBy("order:1", "another-instance");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.orders.order(1));
		assertThat(this.orders.order(2)).isEqualTo("ordered 2");
		elsewhere.close();
		assertThat(this.orders.order(1)).isEqualTo("ordered 1");
		this.locks.hold("left-behind");
		this.locks.failStore();
	}

	@Test
	@Order(2)
	void whatATestDidIsUndone() {
		assertThat(this.locks).isFree("left-behind");
		assertThat(this.orders.order(1)).isEqualTo("ordered 1");
	}

	@Test
	void timePassesWhenTheTestSaysSo() {
		LockHandle handle = this.service.acquire("a", LockOptions.lease(Duration.ofSeconds(30)));
		this.locks.advance(Duration.ofSeconds(20));
		assertThat(handle.isHeld()).isTrue();
		this.locks.advance(Duration.ofSeconds(10));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::assertHeld);
		assertThat(this.locks).isFree("a");
	}

	@Test
	void aLockThatExpiresEarlyIsLost() {
		LockHandle handle = this.service.acquire("a", LockOptions.lease(Duration.ofSeconds(30)));
		assertThat(this.locks).isHeld("a");
		this.locks.expire("a");
		assertThat(this.locks).isFree("a");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::release);
	}

	@Test
	void aStoreThatFailsIsUnavailable() {
		this.locks.failStore();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.orders.order(1));
		this.locks.restoreStore();
		assertThat(this.orders.order(1)).isEqualTo("ordered 1");
	}

	@Test
	void waitersAreSeenAndServed() throws Exception {
		LockHandle elsewhere = this.locks.hold("a");
		CompletableFuture<String> patient = CompletableFuture.supplyAsync(() -> this.orders.patiently("a"));
		await().untilAsserted(() -> assertThat(this.locks).hasWaiters("a", 1));
		elsewhere.close();
		await().until(() -> {
			this.locks.advance(Duration.ofSeconds(1));
			return patient.isDone();
		});
		assertThat(patient.get(5, TimeUnit.SECONDS)).isEqualTo("done");
	}

	@Test
	void assertionsTellWhatIsWrong() {
		this.locks.hold("a");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(this.locks).isFree("a"))
			.withMessage("Expected lock 'a' to be free, but it is held by 'another-instance'.");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(this.locks).isHeld("b"))
			.withMessage("Expected lock 'b' to be held, but it is free.");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(this.locks).isHeldBy("a", "me"))
			.withMessage("Expected lock 'a' to be held by 'me', but it is held by 'another-instance'.");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(this.locks).hasWaiters("a", 2))
			.withMessage("Expected 2 waiters for lock 'a', but there are 0.");
	}

	@Test
	void theRuleFindsSelfInvocation() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(
					() -> LockRules.noSelfInvocation().check(new ClassFileImporter().importClasses(OrderService.class)))
			.withMessageContaining("OrderService.selfInvocation()")
			.withMessageContaining("OrderService.order(long)");
		LockRules.noSelfInvocation().check(new ClassFileImporter().importClasses(InMemoryModeTests.class));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(OrderService.class)
	static class Application {

	}

}
