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

package io.distributedlock.configuration.internal;

import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockObserver;
import io.distributedlock.LockOptions;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockAdvisor;
import io.distributedlock.annotation.DistributedLockConfiguration;
import io.distributedlock.annotation.InvalidLockDefinitionException;
import io.distributedlock.annotation.LockValidation;
import io.distributedlock.annotation.LockValidationException;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.Ticker;
import io.distributedlock.internal.DeclaredLocks;
import io.distributedlock.leadership.annotation.LeaderOnly;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.metrics.LockMetrics;
import io.distributedlock.reactive.ReactiveLocks;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreReport;
import io.distributedlock.testsupport.ClassPath;
import io.distributedlock.transaction.internal.LockedTransactionPostProcessor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link DistributedLockConfiguration} and what it imports.
 */
class LockConfigurationTests {

	@Test
	void beansOfTheApplicationApplyToTheService() {
		List<String> seen = new ArrayList<>();
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(EngineSettings.class,
				() -> EngineSettings.of("shop")
					.withDefaults(LockOptions.ofLease(Duration.ofSeconds(42)))
					.withCustomizer((name, options) -> options.withWaitTime(Duration.ofSeconds(7))));
		context.registerBean(LockOptionsCustomizer.class,
				() -> (name, options) -> options.withMinHold(options.waitTime()));
		context.registerBean(LockListener.class, () -> (event) -> seen.add(event.name()));
		context.registerBean(LockObserver.class, () -> new LockObserver() {

			@Override
			public @Nullable Object onAcquired(@Nullable Object request, LockEvent.Acquired event, String holder,
					Duration elapsed) {
				seen.add("observed");
				return null;
			}

		});
		try (context) {
			start(context, Application.class);
			LockService locks = context.getBean(LockService.class);
			assertThat(locks.defaults().lease()).hasSeconds(42);
			assertThat(locks.optionsFor("order").waitTime()).hasSeconds(7);
			assertThat(locks.optionsFor("order").minHold()).as("the bean comes after the settings").hasSeconds(7);
			locks.acquire("order", locks.defaults()).close();
			assertThat(seen).contains("order", "observed");
			assertThat(context.getBean(DefaultLockService.class).instanceId()).startsWith("shop~");
		}
	}

	@Test
	void serviceOfTheApplicationReplacesTheServiceOfTheLibrary() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean("own", LockService.class,
				() -> new DefaultLockService(new InMemoryLockStore(), EngineSettings.of("own"), List.of()));
		try (context) {
			start(context, Application.class);
			assertThat(context.getBeansOfType(LockService.class)).containsOnlyKeys("own");
			assertThat(context.getBeansOfType(LockServiceLifecycle.class)).isEmpty();
			assertThat(context.getBean(Work.class).isLocked()).isTrue();
		}
	}

	@Test
	void applicationWithoutAStoreStarts() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(
				DistributedLockConfiguration.class)) {
			assertThat(context.getBeansOfType(LockService.class)).isEmpty();
			assertThat(context.getBeansOfType(DistributedLockAdvisor.class)).hasSize(1);
		}
	}

	@Test
	void twoServicesOfTheApplicationHaveNoReactiveLocks() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		Supplier<LockService> service = () -> new DefaultLockService(new InMemoryLockStore(), EngineSettings.of("own"),
				List.of());
		context.registerBean("one", LockService.class, service);
		context.registerBean("other", LockService.class, service);
		context.register(DistributedLockConfiguration.class);
		try (context) {
			context.refresh();
			assertThat(context.getBeansOfType(ReactiveLocks.class)).isEmpty();
		}
		AnnotationConfigApplicationContext withPrimary = new AnnotationConfigApplicationContext();
		withPrimary.registerBean("one", LockService.class, service, (definition) -> definition.setPrimary(true));
		withPrimary.registerBean("other", LockService.class, service);
		withPrimary.register(DistributedLockConfiguration.class);
		try (withPrimary) {
			withPrimary.refresh();
			assertThat(withPrimary.getBeansOfType(ReactiveLocks.class)).hasSize(1);
		}
	}

	@Test
	void storeIsCheckedAgainAfterAStartThatFailed() {
		StoreReport problem = new StoreReport(null,
				List.of(new StoreReport.Finding(StoreReport.Severity.ERROR, "It is full.", "")));
		LockStore store = mock(LockStore.class, delegatesTo(new InMemoryLockStore()));
		doReturn(CompletableFuture.completedFuture(problem)).when(store).inspect();
		LockSettings.Start start = starting(LockStoreCheck.Reaction.FAIL);
		LockSettings settings = new LockSettings(EngineSettings.of("shop"), start, false, Duration.ZERO, 0, false);
		try (GenericApplicationContext context = new GenericApplicationContext()) {
			context.registerBean(LockService.class, () -> mock());
			context.registerBean(LockStore.class, () -> store);
			context.registerBean(LockStoreCheck.class, () -> new LockStoreCheck(store, start, Ticker.system()));
			context.refresh();
			LockServiceLifecycle lifecycle = new LockServiceLifecycle(context.getBeanProvider(LockService.class),
					context.getBeanProvider(LockStore.class), context.getBeanProvider(LockStoreCheck.class), settings,
					context.getBeanProvider(DeclaredLocks.class), context);
			for (int i = 0; i < 2; i++) {
				assertThatIllegalStateException().isThrownBy(lifecycle::start).withMessageContaining("It is full.");
				assertThat(lifecycle.isRunning()).isFalse();
			}
			doReturn(CompletableFuture.completedFuture(StoreReport.EMPTY)).when(store).inspect();
			lifecycle.start();
			assertThat(lifecycle.isRunning()).isTrue();
		}
	}

	@Test
	void startThatDoesNotDependOnAnAnswerAsksOnceMore() {
		StoreReport doubtful = new StoreReport("Redis 7",
				List.of(new StoreReport.Finding(StoreReport.Severity.WARNING, "It evicts keys.", "")));
		LockStore store = mock(LockStore.class, delegatesTo(new InMemoryLockStore()));
		CompletableFuture<StoreReport> none = CompletableFuture.failedFuture(new IllegalStateException("No answer."));
		doReturn(none, CompletableFuture.completedFuture(doubtful)).when(store).inspect();
		List<StoreReport> told = new ArrayList<>();
		LockStoreCheck check = new LockStoreCheck(store, starting(LockStoreCheck.Reaction.WARN), Ticker.system());
		check.run(told::add);
		assertThat(told).containsExactly(StoreReport.EMPTY, doubtful);
		doReturn(none).when(store).inspect();
		check.run(told::add);
		assertThat(told).containsExactly(StoreReport.EMPTY, doubtful, StoreReport.EMPTY);
		verify(store, times(4)).inspect();
		doReturn(CompletableFuture.completedFuture(doubtful)).when(store).inspect();
		check.run(told::add);
		verify(store, times(5)).inspect();
	}

	@Test
	void startThatDependsOnAnAnswerAsksAgain() {
		LockStore store = mock(LockStore.class, delegatesTo(new InMemoryLockStore()));
		doReturn(CompletableFuture.failedFuture(new IllegalStateException("No answer.")),
				CompletableFuture.completedFuture(new StoreReport("Redis 7", List.of())))
			.when(store)
			.inspect();
		LockStoreCheck check = new LockStoreCheck(store, starting(LockStoreCheck.Reaction.FAIL), Ticker.system());
		check.run((report) -> assertThat(report.version()).isEqualTo("Redis 7"));
		doReturn(CompletableFuture.failedFuture(new IllegalStateException("No answer."))).when(store).inspect();
		assertThatIllegalStateException().isThrownBy(() -> check.run((report) -> {
		})).withMessageContaining("No answer.");
		verify(store, times(5)).inspect();
	}

	@Test
	void startThatDependsOnAnAnswerAsksAgainWhatTheStoreRefused() {
		LockStore store = mock(LockStore.class, delegatesTo(new InMemoryLockStore()));
		StoreReport loading = new StoreReport(null,
				List.of(new StoreReport.Finding(StoreReport.Severity.ERROR, "LOADING", "")));
		doReturn(CompletableFuture.completedFuture(loading),
				CompletableFuture.completedFuture(new StoreReport("Redis 7", List.of())))
			.when(store)
			.inspect();
		LockStoreCheck check = new LockStoreCheck(store, starting(LockStoreCheck.Reaction.STRICT), Ticker.system());
		check.run((report) -> assertThat(report.version()).isEqualTo("Redis 7"));
		verify(store, times(2)).inspect();
	}

	private static LockSettings.Start starting(LockStoreCheck.Reaction reaction) {
		return new LockSettings.Start(reaction, (problem, instead) -> new IllegalStateException(problem), "");
	}

	@Test
	void failureOfTheCheckIsAnErrorOnlyUntilTheStoreAnswers() {
		LockStore store = mock(LockStore.class, delegatesTo(new InMemoryLockStore()));
		doReturn(CompletableFuture.failedFuture(new IllegalStateException("No answer."))).when(store).inspect();
		AtomicLong nanos = new AtomicLong();
		LockStoreCheck check = new LockStoreCheck(store, starting(LockStoreCheck.Reaction.WARN), nanos::get);
		check.run((report) -> assertThat(report).isEqualTo(StoreReport.EMPTY));
		assertThat(check.get()).as("asked again").isEqualTo(noAnswer(""));
		CompletableFuture<StoreReport> late = new CompletableFuture<>();
		doReturn(late).when(store).inspect();
		nanos.addAndGet(Duration.ofSeconds(26).toNanos());
		StoreReport unanswered = noAnswer(
				"This was 26s ago. The store has been asked again, and has not answered yet: look again in a moment.");
		assertThat(check.get()).isEqualTo(unanswered);
		assertThat(check.get()).as("not asked twice").isEqualTo(unanswered);
		late.complete(new StoreReport("Redis 7", List.of()));
		assertThat(check.get()).isEqualTo(new StoreReport("Redis 7", List.of()));
	}

	private static StoreReport noAnswer(String action) {
		return new StoreReport(null,
				List.of(new StoreReport.Finding(StoreReport.Severity.ERROR, "No answer.", action)));
	}

	@Test
	void fencedMethodWithoutTheModuleOfFencingEndsTheStart() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			assertThatThrownBy(() -> start(context, Application.class, OnlyFenced.class))
				.isInstanceOf(LockValidationException.class)
				.hasMessageContaining("Fencing is a module of its own, lock-fencing, which is not on the class path")
				.hasMessageContaining("<artifactId>lock-fencing</artifactId>")
				.hasMessageContaining("implementation(\"io.distributedlock:lock-fencing:");
		}
	}

	@Test
	void methodForTheLeaderWithoutTheModuleOfLeadershipEndsTheStart() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			assertThatThrownBy(() -> start(context, Application.class, OnlyForTheLeader.class))
				.isInstanceOf(LockValidationException.class)
				.hasMessageContaining("OnlyForTheLeader.clean()")
				.hasMessageContaining(
						"Leadership is a module of its own, lock-leadership, which is not on the class path")
				.hasMessageContaining("<artifactId>lock-leadership</artifactId>")
				.hasMessageContaining("implementation(\"io.distributedlock:lock-leadership:");
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "WARN", "OFF" })
	void methodForTheLeaderThrowsWithoutTheModuleWhereTheStartGoesOn(LockValidation validation) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(LockedMethodSettings.class,
					() -> new LockedMethodSettings(validation, LockedMethodSettings.DEFAULTS.order(), null));
			assertThatThrownBy(() -> {
				start(context, Application.class, OnlyForTheLeader.class);
				context.getBean(OnlyForTheLeader.class).clean();
			}).isInstanceOf(InvalidLockDefinitionException.class).hasMessageContaining("lock-leadership");
		}
	}

	@Test
	void onlyBeansNeededByTheApplicationAreCreated() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			start(context, Application.class);
			assertThat(context.getBeansOfType(LockedTransactionPostProcessor.class)).hasSize(1);
			assertThat(context.getBeansOfType(LockMetrics.class)).as("without a meter registry").isEmpty();
			assertThat(context.containsBean("distributedLockExceptionResolver")).as("without Spring MVC").isFalse();
			assertThat(context.containsBean("distributedLockWebExceptionHandler")).as("without WebFlux").isFalse();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring-tx", "micrometer-core", "micrometer-observation", "reactor-core", "netty-common",
			"spring-web-", "spring-webmvc", "spring-webflux", "jakarta.servlet-api", "aspectjweaver", "kotlin" })
	void methodsAreLockedWithoutTheLibrary(String library) throws Exception {
		try (URLClassLoader loader = ClassPath.without(library)) {
			Object started = loader.loadClass(Started.class.getName()).getConstructor().newInstance();
			assertThat(((Supplier<?>) started).get()).isEqualTo("locked");
		}
	}

	private static void start(AnnotationConfigApplicationContext context, Class<?>... configurations) {
		context.register(configurations);
		context.refresh();
	}

	/**
	 * Runs in the class loader without a library.
	 */
	public static class Started implements Supplier<String> {

		@Override
		public String get() {
			try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
				context.setClassLoader(getClass().getClassLoader());
				start(context, Application.class);
				return context.getBean(Work.class).isLocked() ? "locked" : "not locked";
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ DistributedLockConfiguration.class, InMemoryLockStore.class, Work.class })
	static class Application {

	}

	static class Work {

		@DistributedLock("work")
		public boolean isLocked() {
			return LockContext.current().isPresent();
		}

	}

	static class OnlyForTheLeader {

		@LeaderOnly("cleaner")
		public void clean() {
		}

	}

	static class OnlyFenced {

		@Transactional
		@DistributedLock(name = "order", fenced = true)
		public void pay() {
		}

	}

}
