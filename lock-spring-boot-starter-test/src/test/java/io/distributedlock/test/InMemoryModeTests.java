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
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.internal.LockRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link AutoConfigureDistributedLock} with locks in memory.
 */
@SpringBootTest(classes = InMemoryModeTests.Application.class)
@AutoConfigureDistributedLock
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@ExtendWith(OutputCaptureExtension.class)
class InMemoryModeTests {

	private static final LockOptions PATIENT = LockOptions.ofLease(Duration.ofSeconds(30))
		.withWaitTime(Duration.ofMinutes(5));

	/** Reachable, as a lock whose handle the collector has taken is released. */
	@SuppressWarnings("unused")
	private static @Nullable LockHandle leftHeld;

	private static CompletableFuture<LockHandle> leftWaiting = new CompletableFuture<>();

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
		leftHeld = this.service.acquire("left-by-the-application");
		leftWaiting = this.service.acquireAsync("left-behind", PATIENT);
		this.locks.failStore();
	}

	@Test
	@Order(2)
	void locksOfATestAreResetForTheNextTest() {
		assertThat(this.locks).isFree("left-behind").hasWaiters("left-behind", 0);
		assertThat(leftWaiting).failsWithin(Duration.ofSeconds(5))
			.withThrowableThat()
			.withMessageContaining("InMemoryModeTests.aLockHeldElsewhereIsBusyUntilItIsReleased");
		this.locks.hold("left-by-the-application");
		assertThat(this.service.tryAcquire("left-by-the-application")).isEmpty();
		assertThat(this.orders.order(1)).isEqualTo("ordered 1");
	}

	@Test
	void permitsAreHeldElsewhereOneByOne() {
		LockOptions three = LockOptions.defaults().withPermits(3);
		this.locks.hold("export", three);
		LockHandle second = this.locks.hold("export", three);
		assertThat(this.locks).hasHolders("export", 2);
		try (LockHandle here = this.service.acquire("export", three)) {
			assertThat(this.locks).hasHolders("export", 3).isHeldBy("export", "another-instance");
			assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> this.locks.hold("export", three))
				.withCauseInstanceOf(LockNotAcquiredException.class);
			assertThatExceptionOfType(AssertionError.class)
				.isThrownBy(() -> assertThat(this.locks).hasHolders("export", 2))
				.withMessage("Expected lock 'export' to have 2 holders, but it has 3.");
			assertThat(here.isHeld()).isTrue();
		}
		second.close();
		this.locks.expire("export");
		assertThat(this.locks).hasHolders("export", 0).isFree("export");
	}

	@Test
	void warningNamesTheLocksLeftByATest(CapturedOutput output) {
		this.locks.hold("a").close();
		this.locks.reset("OrderTests.clean");
		assertThat(output).doesNotContain("OrderTests.clean");
		leftHeld = this.service.acquire("left", PATIENT);
		this.service.acquireAsync("left", PATIENT);
		this.locks.reset("OrderTests.forgetful");
		assertThat(output).contains("Test 'OrderTests.forgetful' ended and left lock 'left' held by '"
				+ Thread.currentThread().getName() + "', 'async' waiting for lock 'left'.");
	}

	@Test
	void timePassesWhenTheTestSaysSo() {
		LockHandle handle = this.service.acquire("a", LockOptions.ofLease(Duration.ofSeconds(30)));
		this.locks.advance(Duration.ofSeconds(20));
		assertThat(handle.isHeld()).isTrue();
		this.locks.advance(Duration.ofSeconds(10));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::assertHeld);
		assertThat(this.locks).isFree("a");
	}

	@Test
	void assertionOnAnUnknownNameFailsWithAHint() {
		this.locks.hold("checkout:1").close();
		assertThat(this.locks).isFree("checkout:1");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(this.locks).isFree("chekout:1"))
			.withMessageContainingAll("'chekout:1'", "never taken", "Did you mean 'checkout:1'?");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(this.locks).isHeld("chekout:1"))
			.withMessageContaining("Did you mean 'checkout:1'?");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertThat(this.locks).hasWaiters("something-else", 1))
			.withMessageContaining("Nobody has asked for it so far, but for '");
		assertThat(this.locks.isHeld("chekout:1")).isFalse();
	}

	@Test
	void renewedLocksStayHeldWhileTimePasses() {
		LockHandle elsewhere = this.locks.hold("a");
		LockHandle handle = this.service.acquire("b", PATIENT.withAutoRenew());
		this.locks.advance(Duration.ofMinutes(10));
		assertThat(elsewhere.isHeld()).isTrue();
		assertThat(handle.isHeld()).isTrue();
	}

	@Test
	void timeOnlyGoesForward() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.advance(Duration.ofSeconds(-1)))
			.withMessageContaining("positive");
	}

	@Timeout(30)
	@Test
	void aWaitOfTheTestItselfEndsWithoutBeingMoved() {
		this.locks.hold("a");
		LockOptions options = PATIENT.withWaitTime(Duration.ofMillis(100));
		assertThat(this.service.tryAcquire("a", options)).isEmpty();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.service.acquire("a", options))
			.satisfies((ex) -> assertThat(ex.getWaited()).isEqualTo(options.waitTime()));
	}

	@Timeout(30)
	@ParameterizedTest
	@ValueSource(strings = { "blocking", "annotated", "future" })
	void waitOfTheApplicationEndsWhenTheTestMovesTheClockPastTheLimit(String way) {
		LockHandle elsewhere = this.locks.hold("a");
		CompletableFuture<String> waiting = switch (way) {
			case "blocking" -> CompletableFuture.supplyAsync(() -> this.orders.patiently("a"));
			case "annotated" -> CompletableFuture.supplyAsync(() -> this.orders.whenFree("a"));
			default -> this.orders.eventually("a");
		};
		await().untilAsserted(() -> assertThat(this.locks).hasWaiters("a", 1));
		this.locks.advance(Duration.ofSeconds(59));
		assertThat(this.locks).hasWaiters("a", 1);
		this.locks.advance(Duration.ofSeconds(1));
		assertThat(this.locks).hasWaiters("a", 0);
		assertThat(waiting).failsWithin(Duration.ofSeconds(4))
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
		assertThat(elsewhere.isHeld()).isTrue();
	}

	@Test
	void earlyExpiredLockIsLost() {
		LockHandle handle = this.service.acquire("a", LockOptions.ofLease(Duration.ofSeconds(30)));
		assertThat(this.locks).isHeld("a");
		this.locks.expire("a");
		assertThat(this.locks).isFree("a");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::release);
	}

	@Test
	void failingStoreIsUnavailable() {
		this.locks.failStore();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> this.orders.order(1));
		this.locks.restoreStore();
		assertThat(this.orders.order(1)).isEqualTo("ordered 1");
	}

	@Test
	void recordOfALockIsKeptUnlessTheStoreFails() throws Exception {
		LockRecord record = LockRecord.of(this.service.acquire("recorded"));
		this.locks.failStore();
		assertThat(record.replaceRecord(null, "one", Duration.ofMinutes(1))).failsWithin(Duration.ofSeconds(5))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockUnavailableException.class);
		this.locks.restoreStore();
		assertThat(record.replaceRecord(null, "one", Duration.ofMinutes(1)).get())
			.isEqualTo(new LockRecord.Answer(true, "one"));
	}

	@Test
	void waitersAreSeenAndServed() throws Exception {
		LockHandle elsewhere = this.locks.hold("a");
		CompletableFuture<String> patient = CompletableFuture.supplyAsync(() -> this.orders.patiently("a"));
		await().untilAsserted(() -> assertThat(this.locks).hasWaiters("a", 1));
		elsewhere.close();
		assertThat(patient.get(5, TimeUnit.SECONDS)).isEqualTo("done");
	}

	@Test
	void failedAssertionsDescribeTheLock() {
		this.locks.hold("a");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(this.locks).isFree("a"))
			.withMessage("Expected lock 'a' to be free, but it is held by 'another-instance'.");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(this.locks).isHeld("b"))
			.withMessageStartingWith("Expected lock 'b' to be held, but it is free.");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(this.locks).isHeldBy("a", "me"))
			.withMessage("Expected lock 'a' to be held by 'me', but it is held by 'another-instance'.");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> assertThat(this.locks).hasWaiters("a", 2))
			.withMessage("Expected 2 waiters for lock 'a', but there are 0.");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(OrderService.class)
	static class Application {

	}

}
