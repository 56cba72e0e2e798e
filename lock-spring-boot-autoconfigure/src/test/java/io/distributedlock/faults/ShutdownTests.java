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
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LockState;
import io.distributedlock.LossCause;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
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
import org.springframework.context.annotation.Import;

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
	void holdLockAsForeignClient() {
		LockKind.forEach((kind) -> bed.server().cli("SET", "lock:" + kind.named("busy"), "somebody else"));
		this.threadsBefore = new HashSet<>(Threads.ofLocks());
	}

	@Test
	@Shows({ "Context closes", "The grace period of a shutdown ends" })
	void instanceLeavesNothing() {
		Instance here = bed.instance("here");
		Map<LockKind, LockHandle> held = acquireAll(here, "held", LONG);
		Map<LockKind, LockHandle> renewed = acquireAll(here, "renewed", RENEWED);
		Map<LockKind, CompletableFuture<LockHandle>> futures = LockKind
			.map((kind) -> here.locks.acquireAsync(kind.named("busy"), kind.of(PATIENT)));
		Map<LockKind, Call<LockHandle>> waiting = LockKind
			.map((kind) -> Call.start(() -> here.locks.acquire(kind.named("busy"), kind.of(PATIENT))));
		awaitQueued("busy");
		await().atMost(TestBed.SOON).until(() -> here.locks.waiting().size() == 6 && inboxes() == 1);
		here.close();
		LockKind.forEach((kind) -> {
			assertThat(waiting.get(kind).failure()).isInstanceOf(LockUnavailableException.class);
			assertThat(futures.get(kind)).failsWithin(TestBed.SOON);
			here.awaitLoss(held.get(kind).name(), LossCause.SHUTDOWN);
			here.awaitLoss(renewed.get(kind).name(), LossCause.SHUTDOWN);
		});
		assertNothingIsLeft();
	}

	@Test
	@Shows("Context closes")
	void anotherInstanceHasTheLockImmediately() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		Map<LockKind, LockHandle> held = acquireAll(here, "held", LONG);
		Map<LockKind, Call<LockHandle>> next = LockKind
			.map((kind) -> Call.start(() -> there.locks.acquire(kind.named("held"), PATIENT)));
		awaitQueued("held");
		bed.awaitInbox(there);
		long closed = System.nanoTime();
		here.close();
		LockKind.forEach((kind) -> {
			assertThat(next.get(kind).get().isHeld()).isTrue();
			assertThat(next.get(kind).tookSince(closed)).isLessThan(TestBed.SOON);
			assertThat(held.get(kind).state()).isEqualTo(LockState.LOST);
			next.get(kind).get().release();
		});
	}

	@Test
	@Shows("Context closes")
	void workThatIsUnderWayEndsWithItsLockRenewed() throws Exception {
		Instance here = bed.instance("here");
		CountDownLatch working = new CountDownLatch(3);
		CountDownLatch closing = new CountDownLatch(1);
		Queue<LockHandle> handles = new ConcurrentLinkedQueue<>();
		Map<LockKind, Call<Boolean>> work = LockKind
			.map((kind) -> Call.start(() -> here.locks.execute(kind.named("work"), kind.of(RENEWED), (handle) -> {
				handles.add(handle);
				working.countDown();
				awaitRefusal(here.locks);
				closing.await();
				// Nothing new, but what is held may be entered again
				try (LockHandle inner = here.locks.acquire(kind.named("work"), kind.of(RENEWED))) {
					return inner.isHeld() && handle.isHeld() && bed.isHeldBy(here, kind.named("work"));
				}
			})));
		working.await();
		Call<Void> stopping = Call.start(() -> {
			here.stop(Duration.ofHours(1));
			return null;
		});
		awaitRefusal(here.locks);
		// Longer than the lease
		for (int i = 0; i < 5; i++) {
			here.advance(Duration.ofMinutes(1));
			await().atMost(TestBed.SOON)
				.until(() -> handles.stream()
					.allMatch((handle) -> handle.remaining().compareTo(Duration.ofMinutes(4)) > 0));
		}
		closing.countDown();
		LockKind.forEach((kind) -> assertThat(work.get(kind).get()).isTrue());
		assertThat(stopping.failure()).isNull();
		assertThat(stopping.took()).isLessThan(TestBed.SOON);
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
		here.close();
		assertNothingIsLeft();
	}

	@Test
	@Shows("Context closes")
	void instanceStopsAlthoughRedisDoesNotAnswer() {
		Instance here = bed.impatientInstance("here");
		acquireAll(here, "held", RENEWED.withWaitTime(TestBed.SOON));
		bed.server().pause();
		Call<Void> closing = Call.start(() -> {
			here.close();
			return null;
		});
		assertThat(closing.failure()).isNull();
		assertThat(closing.took()).isLessThan(TestBed.SOON);
		bed.server().resume();
		assertNothingIsLeft();
	}

	@Test
	@Shows("Context closes")
	void releaseWithoutAnAnswerIsRepeatedUntilTheNetworkIsBack() {
		Instance here = bed.impatientInstanceBehindProxy("here");
		Map<LockKind, LockHandle> held = acquireAll(here, "held", LONG.withWaitTime(TestBed.SOON));
		bed.proxy.blackHole();
		Call<Void> closing = Call.start(() -> {
			here.stop(Duration.ofSeconds(3));
			return null;
		});
		await().atMost(TestBed.SOON)
			.until(() -> held.values().stream().allMatch((handle) -> handle.state() == LockState.LOST));
		TestBed.pass(Duration.ofMillis(200));
		LockKind.forEach((kind) -> assertThat(bed.isHeldBy(here, kind.named("held"))).isTrue());
		bed.proxy.heal();
		await().atMost(TestBed.SOON).until(() -> {
			here.advance(Duration.ofSeconds(1));
			return closing.isDone();
		});
		assertThat(closing.failure()).isNull();
		LockKind.forEach((kind) -> assertThat(bed.holders(kind.named("held"))).isEmpty());
		here.close();
		assertNothingIsLeft();
	}

	@Test
	@Shows("Context closes")
	void applicationLeavesNothingAfterItsContextWasClosed() throws Exception {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.properties(bed.server().springProperties())
			.properties("spring.application.name=here", "distributed-lock.instance-name=here",
					"distributed-lock.redis.command-timeout=5s", "distributed-lock.shutdown.grace-period=2500ms")
			.bannerMode(Banner.Mode.OFF)
			.run();
		LockService locks = context.getBean(LockService.class);
		LockKind.forEach((kind) -> locks.acquire(kind.named("held"), kind.of(LONG)));
		Map<LockKind, CompletableFuture<LockHandle>> waiting = LockKind
			.map((kind) -> locks.acquireAsync(kind.named("busy"), kind.of(PATIENT)));
		CountDownLatch working = new CountDownLatch(3);
		Map<LockKind, Call<Boolean>> work = LockKind
			.map((kind) -> Call.start(() -> locks.execute(kind.named("work"), kind.of(RENEWED), (handle) -> {
				working.countDown();
				awaitRefusal(locks);
				return handle.isHeld() && bed.holder(kind.named("work")).startsWith("here~");
			})));
		working.await();
		awaitQueued("busy");
		await().atMost(TestBed.SOON).until(() -> inboxes() == 1);

		Call<Void> closing = Call.start(() -> {
			context.close();
			return null;
		});
		LockKind.forEach((kind) -> {
			assertThat(work.get(kind).get()).isTrue();
			assertThat(waiting.get(kind)).failsWithin(TestBed.SOON);
		});
		assertThat(closing.failure()).isNull();
		assertNothingIsLeft();
	}

	private static Map<LockKind, LockHandle> acquireAll(Instance instance, String name, LockOptions options) {
		return LockKind.map((kind) -> bed.closeLater(instance.locks.acquire(kind.named(name), kind.of(options))));
	}

	private static void awaitQueued(String name) {
		LockKind.forEach((kind) -> await().atMost(TestBed.SOON).until(() -> bed.queueLength(kind.named(name)) > 0));
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
		LockKind.forEach((kind) -> bed.server().cli("DEL", "lock:" + kind.named("busy")));
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
	@Import(WatchedStore.class)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class })
	static class Application {

	}

}
