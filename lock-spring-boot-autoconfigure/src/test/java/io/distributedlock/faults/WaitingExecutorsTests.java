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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.kinds.EachKind;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.distributedlock.testsupport.RedisServer;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.concurrent.ThreadPoolExecutorFactoryBean;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for executors that let their tasks end when the application context closes. Each
 * task ends long after the grace period of the locks.
 */
@Timeout(120)
class WaitingExecutorsTests {

	private static final LockOptions RENEWED = LockOptions.ofLease(Duration.ofSeconds(30)).withAutoRenew();

	private static final Duration PERIOD = Duration.ofMinutes(1);

	@RegisterExtension
	static final TestBed bed = TestBed.on(RedisServer.builder());

	@ParameterizedTest
	@ValueSource(classes = { WaitingScheduler.class, WaitingAsyncScheduler.class, WaitingPool.class })
	void jobKeepsItsLockUntilAnExecutorOfTheApplicationIsClosed(Class<?> configuration) {
		assertHeldUntilTheEnd(LockKind.EXCLUSIVE, configuration);
	}

	@EachKind
	@Shows("Context closes while a task is on an executor that waits for its tasks")
	void jobKeepsItsLock(LockKind kind) {
		assertHeldUntilTheEnd(kind, WaitingScheduler.class);
	}

	@Test
	void jobKeepsItsLockThroughTheConnectionOfTheApplication() {
		assertHeldUntilTheEnd(LockKind.EXCLUSIVE, WaitingScheduler.class,
				"distributed-lock.redis.dedicated-connection=false");
	}

	@Test
	void jobKeepsItsLockOnJedis() {
		assertHeldUntilTheEnd(LockKind.EXCLUSIVE, WaitingScheduler.class, "spring.data.redis.client-type=jedis");
	}

	@Test
	void jobKeepsItsLockUntilTheSchedulerOfSpringBootIsClosed() {
		assertHeldUntilTheEnd(LockKind.EXCLUSIVE, SchedulerOfSpringBoot.class,
				"spring.task.scheduling.shutdown.await-termination=true",
				"spring.task.scheduling.shutdown.await-termination-period=1m");
	}

	@Test
	void jobKeepsItsLockUntilTheExecutorOfSpringBootIsClosed() {
		assertHeldUntilTheEnd(LockKind.EXCLUSIVE, ExecutorOfSpringBoot.class,
				"spring.task.execution.shutdown.await-termination=true",
				"spring.task.execution.shutdown.await-termination-period=1m");
	}

	@ParameterizedTest
	@ValueSource(classes = { SchedulerOfSpringBoot.class, ExecutorOfSpringBoot.class })
	@EnabledForJreRange(min = JRE.JAVA_21)
	void jobInAVirtualThreadKeepsItsLock(Class<?> configuration) {
		assertHeldUntilTheEnd(LockKind.EXCLUSIVE, configuration, "spring.threads.virtual.enabled=true",
				"spring.task.scheduling.shutdown.await-termination=true",
				"spring.task.scheduling.shutdown.await-termination-period=1m",
				"spring.task.execution.shutdown.await-termination=true",
				"spring.task.execution.shutdown.await-termination-period=1m");
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void jobKeepsItsLockUntilAnExecutorServiceIsClosed() {
		assertHeldUntilTheEnd(LockKind.EXCLUSIVE, PlainExecutorService.class);
	}

	private static void assertHeldUntilTheEnd(LockKind kind, Class<?> configuration, String... properties) {
		String name = kind.named("job");
		Instance there = bed.instance("there");
		ConfigurableApplicationContext context = start(configuration, properties);
		LockService here = context.getBean(LockService.class);
		Executor executor = context.getBean(Executor.class);
		CountDownLatch working = new CountDownLatch(1);
		CompletableFuture<Boolean> heldAtTheEnd = new CompletableFuture<>();
		executor.execute(() -> here.executeWithoutResult(name, kind.of(RENEWED), (handle) -> {
			working.countDown();
			awaitClosing(executor);
			heldAtTheEnd.complete(handle.isHeld() && there.locks.tryAcquire(name, RENEWED).isEmpty());
		}));
		await().atMost(TestBed.SOON).until(() -> working.getCount() == 0);
		context.close();
		assertThat(heldAtTheEnd).isCompletedWithValue(true);
		there.locks.acquire(name, RENEWED.withWaitTime(TestBed.SOON)).close();
	}

	private static void awaitClosing(Executor executor) {
		await().atMost(TestBed.SOON).until(() -> {
			try {
				executor.execute(() -> {
				});
				return false;
			}
			catch (RejectedExecutionException ex) {
				return true;
			}
		});
	}

	@Test
	void jobOutlastingTheExecutorLosesTheLockAndIsAwaitedOnlyOnce() {
		ConfigurableApplicationContext context = start(ImpatientScheduler.class);
		LockService here = context.getBean(LockService.class);
		ImpatientScheduler.awaited.set(0);
		CountDownLatch working = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<Boolean> heldAtTheEnd = new CompletableFuture<>();
		context.getBean(Executor.class).execute(() -> here.executeWithoutResult("job", RENEWED, (handle) -> {
			working.countDown();
			await().atMost(TestBed.SOON).until(() -> end.getCount() == 0);
			heldAtTheEnd.complete(handle.isHeld());
		}));
		await().atMost(TestBed.SOON).until(() -> working.getCount() == 0);
		context.close();
		assertThat(ImpatientScheduler.awaited).hasValue(1);
		assertThat(bed.holder("job")).isNull();
		end.countDown();
		assertThat(heldAtTheEnd).succeedsWithin(TestBed.SOON).isEqualTo(false);
	}

	@Test
	void executorsStayOpenForTheOthersIfNoLockIsHeld() {
		ConfigurableApplicationContext context = start(LateTask.class);
		context.close();
		assertThat(LateTask.done).isTrue();
	}

	@Test
	void eventLoopsStayOpenWhileALockIsHeld() {
		ConfigurableApplicationContext context = start(EventLoops.class);
		bed.closeLater(context.getBean(LockService.class).acquire("held", RENEWED));
		context.close();
		assertThat(EventLoops.openWhenTheOthersStop).isTrue();
	}

	private static ConfigurableApplicationContext start(Class<?> configuration, String... properties) {
		return bed
			.closeLater(new SpringApplicationBuilder(Application.class, configuration).web(WebApplicationType.NONE)
				.properties(bed.server().springProperties())
				.properties("distributed-lock.shutdown.grace-period=10ms", "distributed-lock.redis.command-timeout=5s")
				.properties(properties)
				.bannerMode(Banner.Mode.OFF)
				.run());
	}

	@Configuration(proxyBeanMethods = false)
	@Import(WatchedStore.class)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class })
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	static class WaitingScheduler {

		@Bean
		ThreadPoolTaskScheduler scheduler() {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setWaitForTasksToCompleteOnShutdown(true);
			scheduler.setAwaitTerminationSeconds((int) PERIOD.toSeconds());
			return scheduler;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WaitingAsyncScheduler {

		@Bean
		SimpleAsyncTaskScheduler scheduler() {
			SimpleAsyncTaskScheduler scheduler = new SimpleAsyncTaskScheduler();
			scheduler.setTaskTerminationTimeout(PERIOD.toMillis());
			return scheduler;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WaitingPool {

		@Bean
		ThreadPoolExecutorFactoryBean pool() {
			ThreadPoolExecutorFactoryBean pool = new ThreadPoolExecutorFactoryBean();
			pool.setWaitForTasksToCompleteOnShutdown(true);
			pool.setAwaitTerminationSeconds((int) PERIOD.toSeconds());
			return pool;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	@ImportAutoConfiguration(TaskSchedulingAutoConfiguration.class)
	static class SchedulerOfSpringBoot {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(TaskExecutionAutoConfiguration.class)
	static class ExecutorOfSpringBoot {

	}

	@Configuration(proxyBeanMethods = false)
	static class PlainExecutorService {

		/** This method waits for all tasks, and exists from JDK 19 on. */
		@Bean(destroyMethod = "close")
		ExecutorService executor() {
			return Executors.newFixedThreadPool(1);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ImpatientScheduler {

		static final AtomicInteger awaited = new AtomicInteger();

		@Bean
		ThreadPoolTaskScheduler scheduler() {
			ThreadPoolTaskScheduler scheduler = new CountingScheduler();
			scheduler.setDaemon(true);
			scheduler.setWaitForTasksToCompleteOnShutdown(true);
			scheduler.setAwaitTerminationMillis(50);
			return scheduler;
		}

		@SuppressWarnings("serial")
		private static final class CountingScheduler extends ThreadPoolTaskScheduler {

			@Override
			protected ScheduledExecutorService createExecutor(int poolSize, ThreadFactory threadFactory,
					RejectedExecutionHandler rejectedExecutionHandler) {
				return new ScheduledThreadPoolExecutor(poolSize, threadFactory, rejectedExecutionHandler) {

					@Override
					public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
						awaited.incrementAndGet();
						return super.awaitTermination(timeout, unit);
					}

				};
			}

		}

	}

	/**
	 * Gives the executor a task after the locks have stopped.
	 */
	@Configuration(proxyBeanMethods = false)
	static class LateTask extends WaitingScheduler {

		static final AtomicBoolean done = new AtomicBoolean();

		@Bean
		AfterTheLocks lateTask(ObjectProvider<Executor> executor) {
			done.set(false);
			// Would stop with its executor if that were injected
			return new AfterTheLocks(
					() -> CompletableFuture.runAsync(() -> done.set(true), executor.getObject()).join());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EventLoops {

		static final AtomicBoolean openWhenTheOthersStop = new AtomicBoolean();

		@Bean
		DefaultEventExecutorGroup eventLoops() {
			return new DefaultEventExecutorGroup(1);
		}

		@Bean
		AfterTheLocks look(DefaultEventExecutorGroup eventLoops) {
			openWhenTheOthersStop.set(false);
			return new AfterTheLocks(() -> openWhenTheOthersStop.set(!eventLoops.isShuttingDown()));
		}

	}

	/**
	 * Stops in the phase of connection factories.
	 */
	private static final class AfterTheLocks implements SmartLifecycle {

		private final Runnable work;

		private volatile boolean running;

		AfterTheLocks(Runnable work) {
			this.work = work;
		}

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
			this.work.run();
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return 0;
		}

	}

}
