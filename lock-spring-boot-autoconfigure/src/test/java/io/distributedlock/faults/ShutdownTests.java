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

package io.distributedlock.faults;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LockState;
import io.distributedlock.LossCause;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An instance stops in an orderly way: work that is under way may end, and nothing of the
 * instance is left.
 */
@Timeout(120)
class ShutdownTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private static final LockOptions RENEWED = LONG.withAutoRenew(Duration.ofMinutes(1));

	private static final LockOptions PATIENT = LONG.withWaitTime(Duration.ofMinutes(1));

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private Set<Thread> threadsBefore;

	@BeforeEach
	void somebodyElseHoldsALock() {
		bed.server().cli("SET", "lock:busy", "somebody else");
		this.threadsBefore = new HashSet<>(Threads.ofLocks());
	}

	@Test
	void nothingOfAnInstanceIsLeft() {
		Instance here = bed.instance("here");
		bed.closeLater(here.locks.acquire("held", LONG));
		bed.closeLater(here.locks.acquire("renewed", RENEWED));
		CompletableFuture<LockHandle> future = here.locks.acquireAsync("busy", PATIENT);
		Call<LockHandle> waiting = Call.start(() -> here.locks.acquire("busy", PATIENT));
		bed.awaitQueueLength("busy", 1);
		await().atMost(TestBed.SOON).until(() -> inboxes() == 1);
		here.close();
		assertThat(waiting.failure()).isInstanceOf(LockUnavailableException.class);
		assertThat(future).failsWithin(TestBed.SOON);
		here.awaitLosses(LossCause.SHUTDOWN, LossCause.SHUTDOWN);
		assertNothingIsLeft();
	}

	@Test
	void anotherInstanceHasTheLockAtOnce() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		LockHandle held = here.locks.acquire("held", LONG);
		Call<LockHandle> next = Call.start(() -> there.locks.acquire("held", PATIENT));
		bed.awaitQueueLength("held", 1);
		await().atMost(TestBed.SOON).until(() -> inboxes() == 1);
		long closed = System.nanoTime();
		here.close();
		assertThat(next.get().isHeld()).isTrue();
		assertThat(next.tookSince(closed)).isLessThan(TestBed.SOON);
		assertThat(held.state()).isEqualTo(LockState.LOST);
		next.get().release();
	}

	@Test
	void workThatIsUnderWayEndsWithItsLockRenewed() throws Exception {
		Instance here = bed.instance("here");
		CountDownLatch working = new CountDownLatch(1);
		AtomicBoolean heldAtTheEnd = new AtomicBoolean();
		Call<Void> work = Call.start(() -> {
			here.locks.executeWithoutResult("work", RENEWED, (handle) -> {
				working.countDown();
				awaitRefusal(here.locks);
				// Longer than the lease
				for (int i = 0; i < 5; i++) {
					here.advance(Duration.ofMinutes(1));
					await().atMost(TestBed.SOON).until(() -> handle.remaining().compareTo(Duration.ofMinutes(4)) > 0);
				}
				// Nothing new, but what is held may be entered again
				try (LockHandle inner = here.locks.acquire("work", RENEWED)) {
					heldAtTheEnd.set(inner.isHeld() && handle.isHeld() && bed.isHeldBy(here, "work"));
				}
			});
			return null;
		});
		working.await();
		Call<Void> stopping = Call.start(() -> {
			here.stop(Duration.ofHours(1));
			return null;
		});
		assertThat(work.failure()).isNull();
		assertThat(heldAtTheEnd).isTrue();
		assertThat(stopping.failure()).isNull();
		assertThat(stopping.took()).isLessThan(TestBed.SOON);
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
		here.close();
		assertNothingIsLeft();
	}

	@Test
	void anInstanceStopsAlthoughRedisDoesNotAnswer() {
		Instance here = bed.impatientInstance("here");
		bed.closeLater(here.locks.acquire("held", RENEWED.withWaitTime(TestBed.SOON)));
		bed.server().pause();
		Call<Void> closing = Call.start(() -> {
			here.close();
			return null;
		});
		assertThat(closing.failure()).isNull();
		assertThat(closing.took()).isLessThan(TestBed.SOON);
		bed.server().resume();
		await().atMost(TestBed.SOON).until(() -> bed.holder("held") == null);
		assertNothingIsLeft();
	}

	@Test
	void whatGetsNoAnswerIsReleasedAgainUntilTheNetworkIsBack() {
		Instance here = bed.impatientInstanceBehindProxy("here");
		LockHandle held = here.locks.acquire("held", LONG.withWaitTime(TestBed.SOON));
		bed.proxy.blackHole();
		Call<Void> closing = Call.start(() -> {
			here.stop(Duration.ofSeconds(3));
			return null;
		});
		await().atMost(TestBed.SOON).until(() -> held.state() == LockState.LOST);
		assertThat(bed.isHeldBy(here, "held")).isTrue();
		TestBed.always(Duration.ofMillis(200), () -> bed.isHeldBy(here, "held"));
		bed.proxy.heal();
		await().atMost(TestBed.SOON).until(() -> {
			here.advance(Duration.ofSeconds(1));
			return closing.isDone();
		});
		assertThat(closing.failure()).isNull();
		assertThat(bed.holder("held")).isNull();
		here.close();
		assertNothingIsLeft();
	}

	@Test
	void nothingOfAnApplicationIsLeftAfterItsContextWasClosed() throws Exception {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.properties(bed.server().springProperties())
			.properties("spring.application.name=here", "distributed-lock.instance-name=here",
					"distributed-lock.redis.command-timeout=5s", "distributed-lock.shutdown.grace-period=2500ms")
			.bannerMode(Banner.Mode.OFF)
			.run();
		LockService locks = context.getBean(LockService.class);
		bed.closeLater(locks.acquire("held", LONG));
		CompletableFuture<LockHandle> waiting = locks.acquireAsync("busy", PATIENT);
		CountDownLatch working = new CountDownLatch(1);
		Call<Boolean> work = Call.start(() -> locks.execute("work", RENEWED, (handle) -> {
			working.countDown();
			awaitRefusal(locks);
			return handle.isHeld() && bed.holder("work").startsWith("here~");
		}));
		working.await();
		bed.awaitQueueLength("busy", 1);
		await().atMost(TestBed.SOON).until(() -> inboxes() == 1);

		Call<Void> closing = Call.start(() -> {
			context.close();
			return null;
		});
		assertThat(work.get()).isTrue();
		assertThat(waiting).failsWithin(TestBed.SOON);
		assertThat(closing.failure()).isNull();
		assertNothingIsLeft();
	}

	/**
	 * Wait until the shutdown has begun: new acquisitions are refused, by another thread
	 * too.
	 */
	private static void awaitRefusal(LockService locks) {
		await().atMost(TestBed.SOON).untilAsserted(() -> assertThat(Call.start(() -> {
			locks.tryAcquire("new", LONG).ifPresent(LockHandle::close);
			return null;
		}).failure()).isInstanceOf(LockUnavailableException.class));
	}

	private void assertNothingIsLeft() {
		bed.server().cli("DEL", "lock:busy");
		bed.assertNothingIsLeft();
		await().atMost(TestBed.SOON).untilAsserted(() -> {
			assertThat(inboxes()).isZero();
			// That which asks is there
			assertThat(((String) bed.server().cli("CLIENT", "LIST")).lines()).hasSize(1);
			assertThat(Threads.ofLocks()).filteredOn((thread) -> !this.threadsBefore.contains(thread)).isEmpty();
		});
	}

	private long inboxes() {
		return ((List<?>) bed.server().cli("PUBSUB", "CHANNELS", "lock:inbox:*")).size();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class })
	static class Application {

	}

}
