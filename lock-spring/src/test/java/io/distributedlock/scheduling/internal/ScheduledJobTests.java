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

package io.distributedlock.scheduling.internal;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.scheduling.FireTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for jobs that the schedulers of Spring call on two instances, whose clocks
 * differ.
 */
class ScheduledJobTests {

	private static final Duration SOON = Duration.ofSeconds(60);

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final List<JobInstance> instances = new ArrayList<>();

	/** The instances that ran the job, in order. */
	private final List<String> runs = new CopyOnWriteArrayList<>();

	private final List<Instant> fireTimes = new CopyOnWriteArrayList<>();

	private final List<String> threads = new CopyOnWriteArrayList<>();

	@AfterEach
	void stop() {
		this.instances.forEach(JobInstance::close);
		this.store.close();
	}

	@Test
	void jobThatThreadsOfAPoolCallIsRunOncePerFireTime() {
		assertEachFireTimeIsRunOnce(PlatformThreads.class);
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void jobThatVirtualThreadsCallIsRunOncePerFireTime() {
		assertEachFireTimeIsRunOnce(VirtualThreads.class);
		assertThat(this.threads).isNotEmpty().allMatch((thread) -> thread.startsWith("VirtualThread["));
	}

	private void assertEachFireTimeIsRunOnce(Class<?> scheduler) {
		JobInstance first = start("first", Clock.systemUTC(), scheduler);
		// Calls when the first one has released the lock, unless the machine is slow
		JobInstance second = start("second", Clock.offset(Clock.systemUTC(), Duration.ofMillis(-400)), scheduler);
		await().atMost(SOON).until(() -> this.runs.size() >= 3);
		first.close();
		int before = this.runs.size();
		await().atMost(SOON).until(() -> this.runs.size() >= before + 2);
		second.close();
		assertThat(this.runs.subList(before, this.runs.size())).as("the other instance goes on").containsOnly("second");
		assertThat(this.fireTimes).hasSizeGreaterThanOrEqualTo(5).doesNotHaveDuplicates();
	}

	private JobInstance start(String name, Clock clock, Class<?> scheduler) {
		JobInstance instance = JobInstance.startWith(clock, name, this.store, this.runs, EverySecond.class, scheduler);
		instance.work().inside = () -> {
			this.threads.add(Thread.currentThread().toString());
			this.fireTimes.add(FireTime.current().orElseThrow());
		};
		this.instances.add(instance);
		return instance;
	}

	static class EverySecond {

		private final JobInstance.Work work;

		EverySecond(JobInstance.Work work) {
			this.work = work;
		}

		@Scheduled(cron = "* * * * * *", zone = "UTC")
		@OncePerFireTime(name = "every-second", maxHold = "1m")
		public void run() {
			this.work.run();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class PlatformThreads {

		@Bean
		ThreadPoolTaskScheduler taskScheduler(Clock clock) {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setClock(clock);
			return scheduler;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class VirtualThreads {

		@Bean
		SimpleAsyncTaskScheduler taskScheduler(Clock clock) {
			SimpleAsyncTaskScheduler scheduler = new SimpleAsyncTaskScheduler();
			scheduler.setClock(clock);
			scheduler.setVirtualThreads(true);
			return scheduler;
		}

	}

}
