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

package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockListener;
import io.distributedlock.LockService;
import io.distributedlock.configuration.internal.LockServiceLifecycle;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.LockStore;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.after;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;

/**
 * Tests for the end of the lock service, and for its listeners.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockServiceLifecycleTests {

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
		.withBean("connectedStore", LockStore.class, this.store::connect);

	@Test
	void heldLockIsReleasedAfterTheGracePeriod() {
		this.contextRunner.withPropertyValues("distributed-lock.shutdown.grace-period=10ms").run((context) -> {
			context.getBean(LockService.class).acquire("order:1");
			assertThat(holder()).isPresent();
		});
		assertThat(holder()).isEmpty();
	}

	@Test
	void failedConnectionInTheBackgroundIsAWarning(CapturedOutput output) {
		LockStore broken = mock(LockStore.class, delegatesTo(this.store));
		doThrow(new NoClassDefFoundError("expected by the test")).when(broken).warmUp();
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withBean("brokenStore", LockStore.class, () -> broken)
			.withBean(AskingListener.class)
			.run((context) -> {
				await().until(() -> output.getAll().contains("The lock store could not be checked."));
				context.getBean(LockService.class).acquire("order:1").close();
			});
	}

	@Test
	void theStoreIsNotConnectedWhileTheApplicationStarts() {
		LockStore recording = mock(LockStore.class, delegatesTo(this.store));
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withBean("recordingStore", LockStore.class, () -> recording)
			.withBean(AskingListener.class)
			.withInitializer((context) -> context
				.addApplicationListener((PriorityListener) (event) -> verify(recording, never()).warmUp()))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				verify(recording, timeout(10_000)).warmUp();
			});
	}

	@Test
	void theStoreIsConnectedWhenTheApplicationIsReady() {
		LockStore recording = mock(LockStore.class, delegatesTo(this.store));
		try (ConfigurableApplicationContext context = start(recording,
				(arguments) -> verify(recording, after(200).never()).warmUp())) {
			verify(recording, timeout(10_000)).warmUp();
		}
	}

	@Test
	void storeIsConnectedWhileARunnerIsRunning() {
		LockStore recording = mock(LockStore.class, delegatesTo(this.store));
		try (ConfigurableApplicationContext context = start(recording,
				(arguments) -> verify(recording, timeout(10_000)).warmUp())) {
			assertThat(context.isActive()).isTrue();
		}
	}

	private static ConfigurableApplicationContext start(LockStore store, ApplicationRunner runner) {
		SpringApplication application = new SpringApplication(DistributedLockAutoConfiguration.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.addInitializers((context) -> {
			GenericApplicationContext generic = (GenericApplicationContext) context;
			generic.registerBean("recordingStore", LockStore.class, () -> store);
			generic.registerBean("runner", ApplicationRunner.class, () -> runner);
			generic.registerBean(AskingListener.class);
		});
		return application.run();
	}

	@Test
	void nothingIsCreatedOrConnectedBeforeSomebodyAsksForLocks() {
		LockStore recording = mock(LockStore.class, delegatesTo(this.store));
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withBean("recordingStore", LockStore.class, () -> recording)
			.run((context) -> {
				ConfigurableApplicationContext configurable = context.getSourceApplicationContext();
				configurable.stop();
				configurable.start();
				configurable.close();
				assertThat(configurable.getBeanFactory().containsSingleton("distributedLockService")).isFalse();
			});
		verify(recording).close();
		verifyNoMoreInteractions(recording);
	}

	@Test
	void startThatDependsOnTheCheckIsCheckedAlsoWithoutLocks() {
		LockStore recording = mock(LockStore.class, delegatesTo(this.store));
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withBean("recordingStore", LockStore.class, () -> recording)
			.withPropertyValues("distributed-lock.check=fail")
			.run((context) -> verify(recording).inspect());
	}

	@Test
	void nothingIsAcquiredAfterTheEnd() {
		List<LockService> services = new ArrayList<>();
		this.contextRunner.run((context) -> services.add(context.getBean(LockService.class)));
		assertThatThrownBy(() -> services.get(0).acquire("order:1")).isInstanceOf(RuntimeException.class);
		assertThat(holder()).isEmpty();
	}

	@Test
	void locksStopAfterTheBeansThatUseLocks() {
		this.contextRunner.withBean(LateWork.class).run((context) -> {
			assertThat(context).hasSingleBean(LateWork.class);
			LateWork.outcomes.clear();
		});
		assertThat(LateWork.outcomes).containsExactly("locked");
	}

	@Test
	void restartedContextKeepsItsLocks() {
		this.contextRunner.run((context) -> {
			ConfigurableApplicationContext configurable = context.getSourceApplicationContext();
			LockService service = context.getBean(LockService.class);
			LockHandle handle = service.acquire("order:1");
			configurable.stop();
			configurable.start();
			assertThat(handle.isHeld()).isTrue();
			handle.close();
			service.acquire("order:2").close();
		});
	}

	@Test
	void stoppedContextHasNoConnectionToRedisUntilTheNextStart() {
		try (RedisServer redis = RedisServer.start()) {
			new ApplicationContextRunner()
				.withConfiguration(
						AutoConfigurations.of(DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class))
				.withPropertyValues(redis.springProperties())
				.run((context) -> {
					ConfigurableApplicationContext configurable = context.getSourceApplicationContext();
					LockService service = context.getBean(LockService.class);
					waitFor(service, redis);
					assertThat(connections(redis)).isGreaterThanOrEqualTo(2);
					LockHandle held = service.acquire("held");
					configurable.stop();
					await().untilAsserted(() -> assertThat(connections(redis)).isZero());
					configurable.start();
					await().untilAsserted(() -> assertThat(connections(redis)).isGreaterThanOrEqualTo(2));
					waitFor(service, redis);
					held.release();
				});
		}
	}

	/**
	 * Wait for a lock until another client frees it.
	 */
	private static void waitFor(LockService service, RedisServer redis) throws Exception {
		redis.cli("SET", "lock:a", "other", "PX", "60000");
		CompletableFuture<LockHandle> waiting = service.acquireAsync("a",
				service.defaults().withWaitTime(Duration.ofMinutes(1)));
		await().until(() -> !((List<?>) redis.cli("PUBSUB", "CHANNELS", "lock:inbox:*")).isEmpty());
		redis.cli("DEL", "lock:a");
		waiting.get(10, TimeUnit.SECONDS).close();
	}

	private static long connections(RedisServer redis) {
		// Without the one that asks
		return String.valueOf(redis.cli("CLIENT", "LIST"))
			.lines()
			.filter((line) -> !line.contains("cmd=client"))
			.count();
	}

	@Test
	void pausedContextKeepsItsLocks() {
		this.contextRunner.run((context) -> {
			ConfigurableApplicationContext configurable = context.getSourceApplicationContext();
			LockHandle handle = context.getBean(LockService.class).acquire("order:1");
			configurable.pause();
			assertThat(handle.isHeld()).isTrue();
			assertThat(context.getBean(LockServiceLifecycle.class).isRunning()).isTrue();
			configurable.restart();
			handle.close();
		});
	}

	@Test
	void listenersAreCalledInOrderDespiteAFailingListener(CapturedOutput output) {
		List<String> calls = Collections.synchronizedList(new ArrayList<>());
		this.contextRunner.withBean("failing", LockListener.class, () -> (event) -> throwFailure("out of order"))
			.withBean("counting", LockListener.class,
					() -> (event) -> calls.add(event.getClass().getSimpleName() + " " + event.name()))
			.run((context) -> context.getBean(LockService.class).acquire("order:1").close());
		assertThat(calls).containsExactly("Acquired order:1", "Released order:1");
		assertThat(output).contains("out of order").contains("The lock and the other listeners are not affected");
	}

	@Test
	void aListenerMayUseTheLockService() {
		this.contextRunner.withBean(AskingListener.class).run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(LockService.class).acquire("order:1").close();
			assertThat(context.getBean(AskingListener.class).defaults).containsExactly(Duration.ofSeconds(30));
		});
	}

	@Test
	void listenersAreCalledInAnApplicationWithLazyBeans() {
		List<String> calls = Collections.synchronizedList(new ArrayList<>());
		this.contextRunner
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.withBean("counting", LockListener.class, () -> (event) -> calls.add(event.name()))
			.run((context) -> context.getBean(LockService.class).acquire("order:1").close());
		assertThat(calls).containsExactly("order:1", "order:1");
	}

	private Optional<?> holder() {
		return this.store.find("order:1").join();
	}

	private static void throwFailure(String message) {
		throw new IllegalStateException(message);
	}

	/**
	 * Takes a lock when it is stopped, as a scheduler does whose last job is running.
	 */
	static class LateWork implements SmartLifecycle {

		static final List<String> outcomes = Collections.synchronizedList(new ArrayList<>());

		private final LockService service;

		private volatile boolean running;

		LateWork(LockService service) {
			this.service = service;
		}

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
			outcomes.add(this.service.execute("late", this.service.defaults(),
					(handle) -> handle.isHeld() ? "locked" : "unlocked"));
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return Integer.MAX_VALUE / 2;
		}

	}

	static class AskingListener implements LockListener {

		private final List<Duration> defaults = new ArrayList<>();

		private final LockService service;

		AskingListener(LockService service) {
			this.service = service;
		}

		@Override
		public void onLockEvent(LockEvent event) {
			if (event instanceof LockEvent.Acquired) {
				this.defaults.add(this.service.defaults().lease());
			}
		}

	}

	/**
	 * Is called before the listeners of the library.
	 */
	interface PriorityListener extends ApplicationListener<ContextRefreshedEvent>, PriorityOrdered {

		@Override
		default int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

	}

}
