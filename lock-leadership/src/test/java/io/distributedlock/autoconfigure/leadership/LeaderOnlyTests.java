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

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.distributedlock.LockHandle;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.InvalidLockDefinitionException;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.LockValidationException;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.annotation.LeaderOnly;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.LockStore;
import jakarta.annotation.PostConstruct;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaderOnly}.
 */
@Timeout(60)
class LeaderOnlyTests {

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final ApplicationContextRunner contexts = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LeadershipAutoConfiguration.class, LockAnnotationAutoConfiguration.class))
		.withBean(LockStore.class, () -> this.store);

	private final ApplicationContextRunner candidate = this.contexts
		.withPropertyValues("distributed-lock.leadership.scheduler.timeout=10s");

	private final ApplicationContextRunner neverLeading = this.candidate
		.withPropertyValues("distributed-lock.leadership.scheduler.enabled=false");

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void onlyTheInstanceThatLeadsRunsTheMethod(boolean classProxies) {
		ApplicationContextRunner instance = this.candidate
			.withPropertyValues("spring.aop.proxy-target-class=" + classProxies)
			.withBean("work", CountedWork.class);
		instance.run((first) -> {
			Leadership leadership = first.getBean(Leadership.class);
			await().until(leadership::isLeader);
			Work here = first.getBean(Work.class);
			assertThat(AopUtils.isCglibProxy(here)).isEqualTo(classProxies);
			assertThat(AopUtils.isAopProxy(here)).isTrue();
			assertRuns(here);
			instance.run((second) -> {
				Work there = second.getBean(Work.class);
				assertSkips(there);
				leadership.close();
				assertSkips(here);
				await().until(second.getBean(Leadership.class)::isLeader);
				assertRuns(there);
			});
		});
	}

	private static void assertRuns(Work work) {
		int before = work.runs();
		work.run();
		assertThat(work.optional()).hasValue("done");
		assertThat(work.future()).isCompletedWithValue("done");
		assertThat(work.text()).isEqualTo("done");
		assertThat(work.runs()).isEqualTo(before + 4);
	}

	private static void assertSkips(Work work) {
		int before = work.runs();
		work.run();
		assertThat(work.optional()).isEmpty();
		assertThat(work.future()).isCompletedWithValue(null);
		assertThat(work.text()).isNull();
		assertThat(work.runs()).isEqualTo(before);
	}

	@Test
	void scheduledMethodRunsOnTheLeaderAndThenOnTheNextLeader() {
		ApplicationContextRunner instance = this.candidate.withUserConfiguration(Scheduling.class)
			.withBean(Ticks.class);
		instance.run((second) -> {
			await().until(second.getBean(Leadership.class)::isLeader);
			Ticks there = second.getBean(Ticks.class);
			instance.run((first) -> {
				Ticks here = first.getBean(Ticks.class);
				await().until(() -> there.limited() > 3 && here.everywhere() > 3);
				assertThat(here.limited()).isZero();
				second.getBean(Leadership.class).close();
				await().until(() -> here.limited() > 0);
				int before = there.everywhere();
				await().until(() -> there.everywhere() > before + 1);
				int last = there.limited();
				await().until(() -> there.everywhere() > before + 4);
				assertThat(there.limited()).isEqualTo(last);
			});
		});
	}

	@Test
	void aSkippedCallDoesNotAskForItsLock() {
		this.neverLeading.withBean(Locked.class).run((context) -> {
			try (LockHandle handle = context.getBean(LockService.class).acquire("work")) {
				assertThat(handle.isHeld()).isTrue();
				assertThatNoException().isThrownBy(() -> onAnotherThread(context.getBean(Locked.class)::run));
			}
		});
	}

	private static void onAnotherThread(Runnable task) {
		CompletableFuture.runAsync(task).join();
	}

	@Test
	void aLeadershipOfCodeIsABean() {
		this.contexts.withUserConfiguration(Candidate.class).withBean(CountedWork.class).run((context) -> {
			await().until(context.getBean(Leadership.class)::isLeader);
			assertRuns(context.getBean(Work.class));
		});
	}

	@Test
	void nameOfNoLeadershipEndsTheStart() {
		assertThat(problems(this.candidate, Misspelled.class)).isEqualTo(
				"""
						Misspelled.run(): @LeaderOnly("schedular") cannot work. This application has no leadership of this name, only 'scheduler'. \
						Did you mean 'scheduler'? If not: Declare a bean of type Leadership with this name, or with Spring Boot set 'distributed-lock.leadership[schedular].timeout=10s'.""");
		assertThat(problems(this.contexts, Misspelled.class)).contains(
				"This application has no leadership. Declare a bean of type Leadership with this name, or with Spring Boot");
	}

	@Test
	void unknownLeadershipEndsTheStartWithoutValidationAndTheCallWithWarnings() {
		this.candidate.withPropertyValues("distributed-lock.validation=off")
			.withBean(Misspelled.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockDefinitionException.class)
				.hasMessageContaining("Did you mean 'scheduler'?"));
		this.candidate.withPropertyValues("distributed-lock.validation=warn")
			.withBean(Misspelled.class)
			.run((context) -> assertThatExceptionOfType(InvalidLockDefinitionException.class)
				.isThrownBy(context.getBean(Misspelled.class)::run));
	}

	@Test
	void impossibleLeaderOnlyMethodsEndTheStart() {
		assertThat(problems(this.candidate, Impossible.class).lines()).satisfiesExactlyInAnyOrder(
				(line) -> assertThat(line).contains("primitive()").contains("returns int, which has no empty value"),
				(line) -> assertThat(line).contains("reactive()").contains("returns Mono, and would ask long before"),
				(line) -> assertThat(line).contains("isPrivate()")
					.contains("every instance would run the method: a proxy cannot intercept a static or private"),
				(line) -> assertThat(line).contains("isStatic()").contains("static or private"),
				(line) -> assertThat(line).contains("isFinal()").contains("cannot override a final method"),
				(line) -> assertThat(line).contains("callback()").contains("has @PostConstruct"));
		assertThat(problems(this.candidate, FinalClass.class)).contains("a proxy cannot extend a final class");
		assertThat(problems(
				this.candidate.withInitializer(
						(context) -> context.getBeanFactory().registerSingleton("finished", new CountedWork())),
				Locked.class)
			.lines()).hasSize(4).allMatch((line) -> line.contains("registered as a finished object"));
	}

	private static String problems(ApplicationContextRunner contexts, Class<?> bean) {
		StringBuilder problems = new StringBuilder();
		contexts.withBean(bean).run((context) -> {
			Throwable failure = context.getStartupFailure();
			assertThat(failure).isInstanceOf(LockValidationException.class);
			problems.append(((LockValidationException) failure).getFindings()
				.stream()
				.map(LockFinding::toString)
				.map((finding) -> finding.substring(finding.indexOf('$') + 1))
				.collect(Collectors.joining("\n")));
		});
		return problems.toString();
	}

	interface Work {

		void run();

		Optional<String> optional();

		CompletableFuture<String> future();

		@Nullable String text();

		int runs();

	}

	static class CountedWork implements Work {

		private final AtomicInteger runs = new AtomicInteger();

		@Override
		@LeaderOnly("scheduler")
		public void run() {
			this.runs.incrementAndGet();
		}

		@Override
		@LeaderOnly("scheduler")
		public Optional<String> optional() {
			run();
			return Optional.of("done");
		}

		@Override
		@LeaderOnly("scheduler")
		public CompletableFuture<String> future() {
			run();
			return CompletableFuture.completedFuture("done");
		}

		@Override
		@LeaderOnly("scheduler")
		public @Nullable String text() {
			run();
			return "done";
		}

		@Override
		public int runs() {
			return this.runs.get();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Candidate {

		@Bean
		Leadership mine(LeaderElection election) {
			return election.campaign("scheduler");
		}

	}

	@EnableScheduling
	static class Scheduling {

	}

	static class Ticks {

		private final AtomicInteger limited = new AtomicInteger();

		private final AtomicInteger everywhere = new AtomicInteger();

		@Scheduled(fixedRate = 10)
		@LeaderOnly("scheduler")
		void tick() {
			this.limited.incrementAndGet();
		}

		@Scheduled(fixedRate = 10)
		void tickEverywhere() {
			this.everywhere.incrementAndGet();
		}

		int limited() {
			return this.limited.get();
		}

		int everywhere() {
			return this.everywhere.get();
		}

	}

	static class Locked {

		@LeaderOnly("scheduler")
		@DistributedLock(name = "work", waitTime = 0)
		public void run() {
			throw new AssertionError("It does not lead");
		}

	}

	static class Misspelled {

		@LeaderOnly("schedular")
		public void run() {
		}

	}

	static class Impossible {

		@LeaderOnly("scheduler")
		public int primitive() {
			return 0;
		}

		@LeaderOnly("scheduler")
		public Mono<String> reactive() {
			return Mono.empty();
		}

		@LeaderOnly("scheduler")
		private void isPrivate() {
		}

		@LeaderOnly("scheduler")
		public static void isStatic() {
		}

		@LeaderOnly("scheduler")
		public final void isFinal() {
		}

		@PostConstruct
		@LeaderOnly("scheduler")
		public void callback() {
		}

	}

	static final class FinalClass {

		@LeaderOnly("scheduler")
		public void run() {
		}

	}

}
