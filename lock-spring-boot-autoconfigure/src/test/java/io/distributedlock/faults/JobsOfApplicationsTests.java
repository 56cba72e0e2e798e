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
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import io.distributedlock.internal.WallClock;
import io.distributedlock.scheduling.FireTime;
import io.distributedlock.scheduling.JobListener;
import io.distributedlock.scheduling.JobRun;
import io.distributedlock.scheduling.JobRun.Outcome;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Jobs of applications on one Redis: while one of them stops, and while they share a
 * name.
 */
@Timeout(120)
class JobsOfApplicationsTests {

	private static final Instant THREE = Instant.parse("2026-11-27T03:00:00Z");

	private static final Instant NEXT_DAY = THREE.plus(Duration.ofDays(1));

	@RegisterExtension
	static final TestBed bed = TestBed.on(RedisServer.builder());

	private final CountDownLatch working = new CountDownLatch(1);

	private final AtomicReference<Instant> fireTime = new AtomicReference<>();

	@Test
	void jobThatOutlastsAShutdownIsRecordedAsRunningAndTheNextFireTimeIsRunElsewhere() {
		CompletableFuture<Void> interrupted = new CompletableFuture<>();
		Application here = startScheduled("here", (locks) -> {
			begin();
			LockHandle handle = LockContext.current().orElseThrow();
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				await().atMost(TestBed.SOON).until(() -> !handle.isHeld());
				interrupted.complete(null);
			}
		}, "spring.lifecycle.timeout-per-shutdown-phase=10ms", "distributed-lock.shutdown.grace-period=10ms");
		await().atMost(TestBed.SOON).until(() -> this.working.getCount() == 0);
		Application there = startScheduled("there", (locks) -> {
		});
		here.context().close();
		assertThat(interrupted).succeedsWithin(TestBed.SOON);
		await().atMost(TestBed.SOON)
			.untilAsserted(() -> assertThat(there.told()).extracting(JobRun::outcome)
				.containsSubsequence(Outcome.ABANDONED, Outcome.SUCCEEDED));
		assertThat(there.told()).filteredOn((run) -> run.outcome() == Outcome.ABANDONED)
			.singleElement()
			.satisfies((run) -> {
				assertThat(run.fireTime()).isEqualTo(this.fireTime.get());
				assertThat(run.instance()).startsWith("here");
			});
		assertThat(there.told()).filteredOn((run) -> run.outcome() == Outcome.SUCCEEDED)
			.allSatisfy((run) -> assertThat(run.fireTime()).isAfter(this.fireTime.get()));
	}

	@Test
	void jobThatAShutdownInterruptsIsRecordedAsFailedWithoutCounting() {
		Application here = startScheduled("here", (locks) -> {
			begin();
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException("interrupted");
			}
		}, "spring.lifecycle.timeout-per-shutdown-phase=10ms", "distributed-lock.shutdown.grace-period=10ms");
		await().atMost(TestBed.SOON).until(() -> this.working.getCount() == 0);
		here.context().close();
		assertThat(record()).contains(" " + this.fireTime.get().toEpochMilli() + " failed ")
			.endsWith(" java.lang.IllegalStateException 1");
		assertThat(bed.holder("every-second")).isNull();
	}

	@Test
	void jobThatEndsInTheGracePeriodOfAShutdownIsRecordedAsSucceeded() {
		Application here = startScheduled("here", (locks) -> {
			begin();
			awaitRefusal(locks);
		}, "spring.lifecycle.timeout-per-shutdown-phase=10ms",
				"distributed-lock.shutdown.grace-period=" + TestBed.SOON);
		await().atMost(TestBed.SOON).until(() -> this.working.getCount() == 0);
		assertThat(record()).contains(" " + this.fireTime.get().toEpochMilli() + " running ");
		here.context().close();
		assertThat(record()).contains(" " + this.fireTime.get().toEpochMilli() + " succeeded ");
		assertThat(bed.holder("every-second")).isNull();
	}

	private void begin() {
		this.fireTime.set(FireTime.current().orElseThrow());
		this.working.countDown();
	}

	/** By another thread: the one of a job may do more. */
	private static void awaitRefusal(LockService locks) {
		await().atMost(TestBed.SOON).until(() -> {
			try {
				locks.tryAcquire("new", LockOptions.defaults()).ifPresent(LockHandle::close);
				return false;
			}
			catch (LockUnavailableException ex) {
				return true;
			}
		});
	}

	private static String record() {
		return (String) bed.server().cli("GET", "{lock:every-second}:record");
	}

	@Test
	void jobNameIsThatOfOneJobForTwoApplicationsWithOnePrefix() {
		List<String> runs = new CopyOnWriteArrayList<>();
		AtomicReference<Instant> now = new AtomicReference<>(THREE);
		Runnable shop = startAtNight("shop", now, runs);
		Runnable billing = startAtNight("billing", now, runs);
		shop.run();
		billing.run();
		assertThat(runs).containsExactly("shop");
		now.set(NEXT_DAY);
		billing.run();
		shop.run();
		assertThat(runs).containsExactly("shop", "billing");
	}

	@Test
	void jobNameIsThatOfTwoJobsForTwoApplicationsWithPrefixesOfTheirOwn() {
		List<String> runs = new CopyOnWriteArrayList<>();
		AtomicReference<Instant> now = new AtomicReference<>(THREE);
		startAtNight("shop", now, runs, "distributed-lock.key-prefix=shop:").run();
		startAtNight("billing", now, runs, "distributed-lock.key-prefix=billing:").run();
		assertThat(runs).containsExactly("shop", "billing");
	}

	private static Application startScheduled(String name, Consumer<LockService> work, String... properties) {
		List<JobRun> told = new CopyOnWriteArrayList<>();
		return new Application(start(name, (context) -> {
			context.registerBean(EverySecond.class,
					() -> new EverySecond(() -> work.accept(context.getBean(LockService.class))));
			context.registerBean(JobListener.class, () -> told::add);
		}, new Class<?>[] { Locks.class, Scheduling.class }, properties), told);
	}

	private static Runnable startAtNight(String name, AtomicReference<Instant> now, List<String> runs,
			String... properties) {
		return start(name, (context) -> {
			context.registerBean(Nightly.class, () -> new Nightly(() -> runs.add(name)));
			context.registerBean(WallClock.class, () -> now::get);
		}, new Class<?>[] { Locks.class }, properties).getBean(Nightly.class)::clean;
	}

	private static ConfigurableApplicationContext start(String name, Consumer<GenericApplicationContext> beans,
			Class<?>[] configurations, String... properties) {
		return bed.closeLater(new SpringApplicationBuilder(configurations).web(WebApplicationType.NONE)
			.initializers((context) -> beans.accept((GenericApplicationContext) context))
			.properties(bed.server().springProperties())
			.properties("distributed-lock.instance-name=" + name, "distributed-lock.redis.command-timeout=5s")
			.properties(properties)
			.bannerMode(Banner.Mode.OFF)
			.run());
	}

	private record Application(ConfigurableApplicationContext context, List<JobRun> told) {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(WatchedStore.class)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class,
			LockAnnotationAutoConfiguration.class })
	static class Locks {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	@ImportAutoConfiguration({ LifecycleAutoConfiguration.class, TaskSchedulingAutoConfiguration.class })
	static class Scheduling {

	}

	static class EverySecond {

		private final Runnable work;

		EverySecond(Runnable work) {
			this.work = work;
		}

		@Scheduled(cron = "* * * * * *", zone = "UTC")
		@OncePerFireTime("every-second")
		public void run() {
			this.work.run();
		}

	}

	static class Nightly {

		private final Runnable work;

		Nightly(Runnable work) {
			this.work = work;
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("nightly")
		public void clean() {
			this.work.run();
		}

	}

}
