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
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.kinds.Shows;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockToken;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Holders that share a lock die, and are replaced by others with another limit.
 */
@Timeout(600)
class SeveralHoldersTests {

	/** How many rounds with killed holders; thousands take minutes. */
	private static final int ROUNDS = Integer.getInteger("several-holders.rounds", 200);

	private static final int LANES = 32;

	private static final String KILLED = "killed~";

	private static final Duration LEASE = Duration.ofMillis(300);

	private static final Duration LONG = Duration.ofSeconds(30);

	/** Longer than a round takes on a busy machine. */
	private static final Duration LONGEST = Duration.ofMinutes(5);

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	/**
	 * Nobody releases what a killed instance holds, renews it, or listens to what it is
	 * granted: it is a token that was seen once.
	 */
	@Test
	@Shows("Holders killed, others wait for their permits (permits)")
	void thePermitsOfKilledHoldersComeBackWhenTheirLeasesEnd() throws Exception {
		List<Instance> living = List.of(bed.instance("a"), bed.instance("b"));
		AtomicInteger round = new AtomicInteger();
		AtomicLong latest = new AtomicLong();
		inParallel(LANES, (lane) -> {
			SplittableRandom random = new SplittableRandom(lane);
			while (round.getAndIncrement() < ROUNDS) {
				latest.accumulateAndGet(killAndWait(living, "lane-" + lane, random), Math::max);
			}
		});
		// Those who wait look once a second; the rest is for a busy machine
		assertThat(Duration.ofNanos(latest.get())).isLessThan(Duration.ofSeconds(10));
		bed.assertNothingIsLeft(Duration.ofSeconds(15));
	}

	/**
	 * Return how long after the end of the last lease all permits were back. The leases
	 * are long until everybody waits for their ends.
	 */
	private long killAndWait(List<Instance> living, String name, SplittableRandom random) throws Exception {
		int permits = 2 + random.nextInt(3);
		int killed = 1 + random.nextInt(permits);
		LockOptions options = LockOptions.ofLease(LONGEST).withPermits(permits);
		List<LockHandle> handles = new ArrayList<>();
		for (int i = killed; i < permits; i++) {
			handles.add(living.get(i % 2).locks.acquireAsync(name, options).get());
		}
		List<LockToken> dead = new ArrayList<>();
		for (int i = 0; i < killed; i++) {
			dead.add(killedToken());
			assertThat(ask(living.get(0), name, dead.get(i), permits, null)).isInstanceOf(AcquireOutcome.Granted.class);
		}
		AcquireRequest.Waiting place = new AcquireRequest.Waiting(LONG, 0, random.nextLong());
		if (random.nextBoolean()) {
			assertThat(ask(living.get(0), name, killedToken(), permits, place)).isInstanceOf(AcquireOutcome.Busy.class);
		}
		List<Future<LockHandle>> waiting = new ArrayList<>();
		LockOptions patient = options.withWaitTime(LONGEST);
		for (int i = 0; i < killed; i++) {
			waiting.add(living.get(i % 2).locks.acquireAsync(name, patient).toCompletableFuture());
		}
		// Many lanes ask at the same time
		await().atMost(TestBed.SOON).pollInterval(Duration.ofMillis(100)).until(() -> livingInQueue(name) == killed);
		assertThat(living.get(1).locks.tryAcquire(name, options)).isEmpty();
		long earliest = System.nanoTime() + LEASE.toNanos();
		for (LockToken token : dead) {
			end(living.get(0), name, token, permits);
		}
		long last = System.nanoTime() + LEASE.toNanos();
		for (Future<LockHandle> each : waiting) {
			handles.add(each.get(20, TimeUnit.SECONDS));
			assertThat(System.nanoTime()).isGreaterThanOrEqualTo(earliest);
		}
		long late = System.nanoTime() - last;
		assertThat(handles).hasSize(permits).allMatch(LockHandle::isHeld);
		assertThat(living.get(0).locks.tryAcquire(name, options)).isEmpty();
		handles.forEach(LockHandle::release);
		return late;
	}

	private static LockToken killedToken() {
		return new LockToken(KILLED + Long.toHexString(System.nanoTime()), 1);
	}

	private static AcquireOutcome ask(Instance living, String name, LockToken token, int permits,
			AcquireRequest.Waiting place) throws Exception {
		return living.store.acquire(new AcquireRequest(name, token, LONGEST, 1, place, permits))
			.get(20, TimeUnit.SECONDS);
	}

	private static long livingInQueue(String name) {
		List<?> queue = (List<?>) bed.server().cli("ZRANGE", TestBed.queue(name), "0", "-1");
		return queue.stream().filter((token) -> !((String) token).startsWith(KILLED)).count();
	}

	private static void end(Instance living, String name, LockToken token, int permits) throws Exception {
		LeaseExtension rest = new LeaseExtension(name, token, LEASE, LeaseExtension.Mode.EXACTLY, permits);
		assertThat(living.store.extend(List.of(rest)).get(0).get(20, TimeUnit.SECONDS))
			.isEqualTo(ExtendOutcome.EXTENDED);
	}

	@Test
	@Shows("Instances with other permits replace each other (permits)")
	void permitsLimitTheHoldersWhileInstancesWithOtherPermitsReplaceTheFleet() throws Exception {
		Company company = new Company();
		List<Worker> fleet = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			fleet.add(new Worker(bed.instance("three-" + i), 3, company));
		}
		company.awaitGrants(300);
		assertThat(company.most()).isEqualTo(3);
		replaceAll(fleet, 5, company);
		company.awaitGrants(300);
		assertThat(company.most()).isEqualTo(5);
		replaceAll(fleet, 3, company);
		company.forgetMost();
		company.awaitGrants(300);
		assertThat(company.most()).isEqualTo(3);
		for (Worker worker : fleet) {
			worker.stop();
		}
		assertThat(company.tooLarge()).isEmpty();
		bed.assertNothingIsLeft(Duration.ofSeconds(15));
	}

	private void replaceAll(List<Worker> fleet, int permits, Company company) throws Exception {
		for (int i = 0; i < fleet.size(); i++) {
			fleet.get(i).stop();
			fleet.set(i, new Worker(bed.instance("with-" + permits + "-" + i), permits, company));
			company.awaitGrants(100);
		}
	}

	private interface Lane {

		void run(int lane) throws Exception;

	}

	private static void inParallel(int lanes, Lane work) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(lanes);
		try {
			List<Callable<Void>> tasks = new ArrayList<>();
			for (int lane = 0; lane < lanes; lane++) {
				int number = lane;
				tasks.add(() -> {
					work.run(number);
					return null;
				});
			}
			for (Future<Void> future : executor.invokeAll(tasks)) {
				future.get();
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

	/**
	 * An instance whose threads want the lock all the time.
	 */
	private static final class Worker {

		private static final int THREADS = 4;

		private final Instance instance;

		private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

		private final Collection<Throwable> failures = ConcurrentHashMap.newKeySet();

		private volatile boolean stopped;

		Worker(Instance instance, int permits, Company company) {
			this.instance = instance;
			for (int i = 0; i < THREADS; i++) {
				this.threads.execute(() -> work(permits, company));
			}
		}

		private void work(int permits, Company company) {
			LockOptions options = LockOptions.ofLease(LONG).withPermits(permits).withWaitTime(LONG);
			while (!this.stopped) {
				try (LockHandle handle = this.instance.locks.acquire("rolling", options)) {
					company.enter(options);
					TimeUnit.MILLISECONDS.sleep(2);
					company.leave(options);
				}
				catch (Exception ex) {
					this.failures.add(ex);
					return;
				}
			}
		}

		void stop() throws InterruptedException {
			this.stopped = true;
			this.threads.shutdown();
			assertThat(this.threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
			this.instance.stop(Duration.ZERO);
			assertThat(this.failures).isEmpty();
		}

	}

}
