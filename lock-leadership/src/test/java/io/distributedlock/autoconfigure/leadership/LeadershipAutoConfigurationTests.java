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

package io.distributedlock.autoconfigure.leadership;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import jakarta.annotation.PostConstruct;

import io.distributedlock.LockService;
import io.distributedlock.actuate.endpoint.LocksEndpoint;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.endpoint.LocksEndpointAutoConfiguration;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import io.distributedlock.autoconfigure.metrics.LockMetricsAutoConfiguration;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.LeaderElection.Candidacy;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.LeadershipEvent;
import io.distributedlock.leadership.LeadershipEvent.Elected;
import io.distributedlock.leadership.LeadershipEvent.Revoked;
import io.distributedlock.leadership.LeadershipEvent.Standing;
import io.distributedlock.leadership.LeadershipListener;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.LockStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.LifecycleProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.context.support.DefaultLifecycleProcessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeadershipAutoConfiguration}.
 */
@Timeout(60)
class LeadershipAutoConfigurationTests {

	private final ApplicationContextRunner contexts = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LeadershipAutoConfiguration.class, LockMetricsAutoConfiguration.class,
				LeadershipMetricsAutoConfiguration.class, LocksEndpointAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory");

	private final ApplicationContextRunner leader = this.contexts
		.withPropertyValues("distributed-lock.leadership.night-shift.timeout=20s");

	@Test
	void leadershipBeanStartsAndResignsWithTheContext() {
		List<LeadershipEvent> events = new CopyOnWriteArrayList<>();
		this.leader.withBean(Recorder.class, () -> new Recorder(events)).run((context) -> {
			Leadership leadership = context.getBean("distributedLockLeadership.night-shift", Leadership.class);
			assertThat(leadership.name()).isEqualTo("night-shift");
			await().until(leadership::isLeader);
			long token = leadership.fencingToken();
			await().untilAsserted(() -> assertThat(events).containsExactly(new Standing("night-shift"),
					new Elected("night-shift", token)));
			DefaultLockService locks = context.getBean(DefaultLockService.class);
			// Again after each renewal, should this come too late for the first lease
			await().untilAsserted(() -> assertThat(locks.held()).singleElement().satisfies((lock) -> {
				assertThat(lock.declaredName()).isEqualTo("night-shift");
				assertThat(lock.autoRenew()).isTrue();
				assertThat(lock.remaining()).hasSeconds(18);
			}));
			context.stop();
			assertThat(leadership.isLeader()).isFalse();
			assertThat(locks.held()).isEmpty();
			assertThat(events).last().isEqualTo(new Revoked("night-shift", token, null));
			context.start();
			await().untilAsserted(() -> assertThat(events).filteredOn(Elected.class::isInstance).hasSize(2));
		});
		assertThat(events).filteredOn(Revoked.class::isInstance).hasSize(2);
	}

	@Test
	void callbacksOfABeanAreCalledInOrderFromTheFirstTermOn() {
		for (int i = 0; i < 20; i++) {
			List<String> calls = new CopyOnWriteArrayList<>();
			this.leader.withBean(OrderedWorker.class, () -> new OrderedWorker(calls))
				.run((context) -> await().until(() -> calls.size() == OrderedWorker.CALLBACKS));
			List<String> expected = new ArrayList<>();
			IntStream.range(0, OrderedWorker.CALLBACKS).forEach((index) -> expected.add("elected " + index + " true"));
			IntStream.range(0, OrderedWorker.CALLBACKS).forEach((index) -> expected.add("revoked " + index));
			assertThat(calls).containsExactlyElementsOf(expected);
		}
	}

	@Test
	void blockedCallbackDoesNotKeepTheContextOpen() throws Exception {
		CountDownLatch returns = new CountDownLatch(1);
		CountDownLatch stopping = new CountDownLatch(1);
		try {
			this.leader
				.withBean(AbstractApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME, LifecycleProcessor.class, () -> {
					DefaultLifecycleProcessor processor = new DefaultLifecycleProcessor();
					processor.setTimeoutPerShutdownPhase(200);
					return processor;
				})
				.withPropertyValues("distributed-lock.shutdown.grace-period=10ms")
				.run((context) -> {
					Leadership leadership = context.getBean(Leadership.class);
					leadership.onRevoked((event) -> {
						stopping.countDown();
						awaitUninterruptibly(returns);
					});
					await().until(leadership::isLeader);
				});
			assertThat(stopping.await(10, TimeUnit.SECONDS)).isTrue();
		}
		finally {
			returns.countDown();
		}
	}

	@Test
	void configuredLeadershipsStandInTheElectionOfTheApplication() {
		this.leader.withUserConfiguration(OwnElection.class).run((context) -> {
			assertThat(context).hasSingleBean(LeaderElection.class).hasSingleBean(Leadership.class);
			assertThat(context.getBean(LeaderElection.class).candidacies()).extracting(Candidacy::name)
				.containsExactly("night-shift");
			await().until(context.getBean(Leadership.class)::isLeader);
		});
	}

	@Test
	void childContextSharesTheCandidateOfTheParent() {
		this.leader.run((parent) -> this.leader.withParent(parent).run((child) -> {
			assertThat(child).hasNotFailed();
			assertThat(child.getBean("distributedLockLeadership.night-shift"))
				.isSameAs(parent.getBean("distributedLockLeadership.night-shift"));
			assertThat(parent.getBean(LeaderElection.class).candidacies()).hasSize(1);
		}));
	}

	@ParameterizedTest
	@ValueSource(classes = { Object.class, OwnElection.class, TwoElections.class })
	void candidatesOfCodeResignBeforeTheLocksAreClosed(Class<?> configuration) {
		List<LeadershipEvent> events = new CopyOnWriteArrayList<>();
		this.contexts.withUserConfiguration(configuration).run((context) -> {
			Leadership leadership = context.getBeanProvider(LeaderElection.class)
				.stream()
				.findFirst()
				.orElseThrow()
				.campaign("imports");
			leadership.onRevoked(events::add);
			await().until(leadership::isLeader);
			context.stop();
			assertThat(leadership.isLeader()).as("as before: the context may start again").isTrue();
			context.start();
		});
		assertThat(events).singleElement()
			.isInstanceOfSatisfying(Revoked.class, (event) -> assertThat(event.loss()).isNull());
	}

	@Test
	void aChildContextDoesNotCloseTheElectionOfItsParent() {
		this.contexts.run((parent) -> {
			Leadership leadership = parent.getBean(LeaderElection.class).campaign("imports");
			await().until(leadership::isLeader);
			this.contexts.withParent(parent).run((child) -> assertThat(child).hasNotFailed());
			assertThat(leadership.isLeader()).isTrue();
		});
	}

	@Test
	void contextWaitsForAResignationUnderWay() {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch stopping = new CountDownLatch(1);
		CountDownLatch returns = new CountDownLatch(1);
		AtomicBoolean returned = new AtomicBoolean();
		this.leader.withPropertyValues("distributed-lock.shutdown.grace-period=10ms").run((context) -> {
			Leadership leadership = context.getBean(Leadership.class);
			LockService locks = context.getBean(LockService.class);
			leadership.onElected((handle) -> started.countDown(), (event) -> {
				stopping.countDown();
				awaitUninterruptibly(returns);
				returned.set(locks.isLocked("night-shift"));
			});
			awaitUninterruptibly(started);
			new Thread(leadership::close).start();
			awaitUninterruptibly(stopping);
			new Thread(() -> {
				// The context waits for what another thread has begun
				await().until(() -> Thread.getAllStackTraces()
					.keySet()
					.stream()
					.anyMatch((thread) -> thread.getName().equals("distributed-lock-resignation")
							&& thread.getState() == Thread.State.TIMED_WAITING));
				returns.countDown();
			}).start();
		});
		assertThat(returned).isTrue();
	}

	@Test
	void anErrorOfAListenerDoesNotKeepTheEventFromTheOthers() {
		List<LeadershipEvent> events = new CopyOnWriteArrayList<>();
		this.leader.withBean("first", LeadershipListener.class, () -> (event) -> {
			throw new NoClassDefFoundError("expected by the test");
		})
			.withBean("second", LeadershipListener.class, () -> events::add)
			.run((context) -> await().untilAsserted(() -> assertThat(events).last().isInstanceOf(Elected.class)));
		assertThat(events).last().isInstanceOf(Revoked.class);
	}

	@Test
	void disabledLeadershipIsABeanWithoutACandidate() {
		this.leader.withPropertyValues("distributed-lock.leadership.night-shift.enabled=false").run((context) -> {
			assertThat(context.getBean(Leadership.class).isLeader()).isFalse();
			context.start();
			context.getBean(ConfiguredLeadership.class).start();
			assertThat(context.getBean(LeaderElection.class).candidacies()).isEmpty();
		});
	}

	@Test
	void endpointAndGaugeShowTheLeadership() {
		this.leader.withPropertyValues("management.endpoints.web.exposure.include=locks")
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> {
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				Leadership leadership = context.getBean(Leadership.class);
				await().until(() -> gauge(registry, "night-shift") == 1);
				LocksDescriptor locks = (LocksDescriptor) context.getBean(LocksEndpoint.class).locks(null, null);
				assertThat(locks.leading()).singleElement().satisfies((leading) -> {
					assertThat(leading.name()).isEqualTo("night-shift");
					assertThat(leading.leader()).isTrue();
					assertThat(leading.fencingToken()).isEqualTo(leadership.fencingToken());
				});
				leadership.close();
				assertThat(gauge(registry, "night-shift")).isZero();
			});
	}

	@Test
	void theNamesOfGaugesAreLimited() {
		this.contexts.withPropertyValues("distributed-lock.metrics.max-names=2")
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> {
				LeaderElection election = context.getBean(LeaderElection.class);
				List<Leadership> candidates = List.of(election.campaign("a"), election.campaign("b"),
						election.campaign("c"), election.campaign("d"));
				await().until(() -> candidates.stream().allMatch(Leadership::isLeader));
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				assertThat(registry.find("distributed.lock.leader").gauges()).hasSize(3);
				assertThat(gauge(registry, "a")).isOne();
				assertThat(gauge(registry, "other")).isEqualTo(2);
			});
	}

	@Test
	void noLeadershipIsConfiguredUnlessThereAreLocks() {
		this.leader.withPropertyValues("distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Leadership.class));
		this.leader.withBean("otherStore", LockStore.class, InMemoryLockStore::new)
			.run((context) -> assertThat(context).hasSingleBean(Leadership.class));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					leadership.scheduler.timeout=10        | Write 'distributed-lock.leadership.scheduler.timeout=10s' for seconds
					leadership.scheduler.timeuot=10s       | Did you mean 'distributed-lock.leadership[scheduler].timeout'
					leadership.scheduler.wait-time=10s     | The settings of a leadership are enabled, timeout, renew-interval, max-hold
					leadership.a.b.timeout=10s             | Write 'distributed-lock.leadership[a.b].timeout'
					leadership.a/b.timeout=10s             | Write 'distributed-lock.leadership[a/b].timeout'
					leadership.scheduler.renew-interval=6s | Set distributed-lock.leadership[scheduler].renew-interval to at most half of the lease
					""")
	void wrongSettingsEndTheStart(String property, String action) {
		this.contexts.withPropertyValues("distributed-lock." + property)
			.run((context) -> assertThat(action(context.getStartupFailure())).contains(action));
	}

	@ParameterizedTest
	@ValueSource(strings = { "leaderships.scheduler.timeout", "leader.scheduler.max-hold",
			"laedership.scheduler.timeout", "leadership-s.a.b.enabled" })
	void aMisspelledGroupEndsTheStart(String property) {
		this.contexts.withPropertyValues("distributed-lock." + property + "=10s")
			.run((context) -> assertThat(action(context.getStartupFailure()))
				.startsWith("Did you mean 'distributed-lock.leadership["));
	}

	@Test
	void nameOfALeadershipIsTheQualifierForInjection() {
		this.leader.withPropertyValues("distributed-lock.leadership.[nightShift].timeout=20s")
			.withBean(Shifts.class)
			.run((context) -> {
				Shifts shifts = context.getBean(Shifts.class);
				assertThat(shifts.one().name()).isEqualTo("night-shift");
				assertThat(shifts.other().name()).isEqualTo("nightShift");
			});
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static String action(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof LockStartupException invalid) {
				return invalid.getAction();
			}
		}
		throw new AssertionError(failure);
	}

	private static double gauge(MeterRegistry registry, String name) {
		return registry.get("distributed.lock.leader").tag("lock.name", name).gauge().value();
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnElection {

		@Bean
		LeaderElection election(LockService locks) {
			return new LeaderElection(locks);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoElections {

		@Bean
		LeaderElection election(LockService locks) {
			return new LeaderElection(locks);
		}

		@Bean
		LeaderElection another(LockService locks) {
			return new LeaderElection(locks);
		}

	}

	record Recorder(List<LeadershipEvent> events) {

		@EventListener
		void on(LeadershipEvent event) {
			this.events.add(event);
		}

	}

	static class OrderedWorker {

		static final int CALLBACKS = 6;

		private final List<String> calls;

		@Autowired
		private Leadership leadership;

		OrderedWorker(List<String> calls) {
			this.calls = calls;
		}

		@PostConstruct
		void register() {
			for (int i = 0; i < CALLBACKS; i++) {
				int index = i;
				this.leadership.onElected((handle) -> this.calls
					.add("elected " + index + " " + (this.leadership.fencingToken() == handle.fencingToken())));
				this.leadership.onRevoked((event) -> this.calls.add("revoked " + index));
			}
		}

	}

	record Shifts(@Qualifier("night-shift") Leadership one, @Qualifier("nightShift") Leadership other) {
	}

}
