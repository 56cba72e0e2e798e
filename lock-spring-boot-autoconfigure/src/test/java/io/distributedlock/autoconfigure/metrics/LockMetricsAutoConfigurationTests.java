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

package io.distributedlock.autoconfigure.metrics;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockHandle;
import io.distributedlock.LockListener;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import io.distributedlock.configuration.internal.LockStoreCheck;
import io.distributedlock.engine.Ticker;
import io.distributedlock.internal.LockRecord;
import io.distributedlock.internal.WallClock;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.metrics.LockMetrics;
import io.distributedlock.metrics.LockMetrics.StoreOperation;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreReport.Finding;
import io.distributedlock.store.StoreReport.Severity;
import io.distributedlock.store.StoreReport;
import io.distributedlock.testsupport.SettableTicker;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockMetricsAutoConfiguration}.
 */
class LockMetricsAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LockAnnotationAutoConfiguration.class, LockMetricsAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory");

	@Test
	void locksAreMeteredUnderTheDeclaredName() {
		metered().withBean(Work.class).run((context) -> {
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			context.getBean(Work.class).run(registry, 1);
			assertThat(context.getBean(Work.class).heldDuringTheRun()).isOne();
			assertThat(registry.get("distributed.lock.held").tag("lock.name", "Work.run").gauge().value()).isZero();
			assertThat(registry.get("distributed.lock.waiting").tag("lock.name", "Work.run").gauge().value()).isZero();
			assertThat(registry.get("distributed.lock.acquire")
				.tags("lock.name", "Work.run", "outcome", "acquired")
				.timer()
				.count()).isOne();
			assertThat(registry.get("distributed.lock.hold")
				.tags("lock.name", "Work.run", "outcome", "released")
				.timer()
				.count()).isOne();
		});
	}

	@Test
	void everySeriesOfADeclaredLockIsThereBeforeTheFirstCall() {
		metered().withBean(Work.class)
			.run((context) -> assertThat(context.getBean(MeterRegistry.class).getMeters())
				.filteredOn((meter) -> "Work.run".equals(meter.getId().getTag("lock.name")))
				.hasSize(26));
	}

	@Test
	void everySeriesOfAJobIsThereBeforeTheFirstRunWhichIsTimed() {
		metered().withBean(Nightly.class).run((context) -> {
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.getMeters()).filteredOn((meter) -> meter.getId().getName().contains(".job."))
				.extracting((meter) -> meter.getId().getTag("lock.name"))
				.hasSize(11)
				.containsOnly("nightly", "Nightly.message");
			Timer succeeded = registry.get("distributed.lock.job.run")
				.tags("lock.name", "nightly", "outcome", "succeeded")
				.timer();
			assertThat(succeeded.count()).isZero();
			context.getBean(Nightly.class).run();
			assertThat(succeeded.count()).isOne();
		});
	}

	@Test
	void overdueFireTimesOfAJobAreAGaugeUntilTheApplicationEnds() {
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		Instant start = Instant.parse("2026-11-27T02:59:00Z");
		AtomicReference<Instant> now = new AtomicReference<>(start);
		SettableTicker ticker = new SettableTicker();
		this.contextRunner.withBean(MeterRegistry.class, () -> registry)
			.withBean(WallClock.class, () -> now::get)
			.withBean(Ticker.class, () -> ticker::nanos)
			.withBean(Nightly.class)
			.run((context) -> {
				Gauge overdue = registry.get("distributed.lock.job.overdue").tag("lock.name", "nightly").gauge();
				overdue.value();
				assertThat(overdue.value()).isZero();
				now.set(start.plusSeconds(120));
				assertThat(overdue.value()).isOne();
				context.getBean(Nightly.class).run();
				ticker.advance(Duration.ofSeconds(5));
				overdue.value();
				assertThat(overdue.value()).isZero();
			});
		assertThat(registry.find("distributed.lock.job.overdue").gauges()).isEmpty();
		assertThat(registry.find("distributed.lock.job.run").timers()).isNotEmpty();
	}

	@Test
	void warningsOfTheLatestCheckOfTheStoreAreAGauge() {
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		AtomicReference<StoreReport> report = new AtomicReference<>(StoreReport.EMPTY);
		LockStore store = (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(),
				new Class<?>[] { LockStore.class },
				(proxy, method, arguments) -> method.getName().equals("inspect")
						? CompletableFuture.completedFuture(report.get())
						: method.invoke(new InMemoryLockStore(), arguments));
		this.contextRunner.withBean(MeterRegistry.class, () -> registry)
			.withBean(LockStore.class, () -> store)
			.run((context) -> {
				Gauge warnings = registry.get("distributed.lock.store.warnings").gauge();
				assertThat(warnings.value()).as("nobody uses a lock").isNaN();
				context.getBean(LockService.class);
				LockStoreCheck check = context.getBean(LockStoreCheck.class);
				check.repeat();
				assertThat(warnings.value()).isZero();
				Finding evicts = new Finding(Severity.WARNING, "It evicts keys.", "");
				report.set(new StoreReport(null, List.of(evicts)));
				check.repeat();
				assertThat(warnings.value()).isOne();
				report.set(new StoreReport(null, List.of(evicts, new Finding(Severity.OUTAGE, "It is away.", ""))));
				check.repeat();
				assertThat(warnings.value()).as("the rest is unknown").isNaN();
			});
		assertThat(registry.find("distributed.lock.store.warnings").gauges()).isEmpty();
	}

	@Test
	void jobThatSharesTheMetersOfOthersHasNoGauge() {
		metered().withBean(Nightly.class)
			.withPropertyValues("distributed-lock.metrics.max-names=0")
			.run((context) -> assertThat(
					context.getBean(MeterRegistry.class).find("distributed.lock.job.overdue").gauges())
				.isEmpty());
	}

	@Test
	void lossIsTimedSinceTheStoreLastConfirmedTheLock() {
		InMemoryLockStore store = new InMemoryLockStore();
		metered().withBean(LockStore.class, () -> store).run((context) -> {
			LockHandle handle = context.getBean(LockService.class).acquire("order:1");
			TimeUnit.MILLISECONDS.sleep(50);
			store.clear();
			handle.close();
			Timer timer = context.getBean(MeterRegistry.class)
				.get("distributed.lock.lost.unconfirmed")
				.tags("lock.name", "undeclared", "cause", "key_vanished")
				.timer();
			// Another thread may be announcing it
			await().untilAsserted(() -> assertThat(timer.count()).isOne());
			assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isBetween(50.0, 10_000.0);
		});
	}

	@ParameterizedTest
	@EnumSource
	void unansweredRequestsToTheStoreAreCounted(StoreOperation broken) {
		metered().withBean(LockStore.class, () -> storeWithout(broken)).run((context) -> {
			LockService service = context.getBean(LockService.class);
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			try (LockHandle handle = service.acquire("order:1")) {
				handle.extend(Duration.ofMinutes(1));
				service.find("order:1");
				LockRecord.of(handle).replaceRecord(null, "one", Duration.ofMinutes(1)).get();
			}
			catch (LockUnavailableException | ExecutionException ex) {
				// Expected
			}
			assertThat(errors(registry)).containsExactly(broken.name().toLowerCase());
		});
	}

	private static List<String> errors(MeterRegistry registry) {
		return registry.get("distributed.lock.store.errors")
			.counters()
			.stream()
			.filter((counter) -> counter.count() > 0)
			.map((counter) -> counter.getId().getTag("operation"))
			.toList();
	}

	private static LockStore storeWithout(StoreOperation broken) {
		LockStore store = new InMemoryLockStore();
		String method = (broken == StoreOperation.RECORD) ? "replaceRecord" : broken.name().toLowerCase();
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, called, args) -> {
					if (!called.getName().equals(method)) {
						return called.invoke(store, args);
					}
					CompletableFuture<Object> failed = CompletableFuture
						.failedFuture(new LockUnavailableException("order:1", "Connection reset.", null));
					return (broken == StoreOperation.EXTEND) ? List.of(failed) : failed;
				});
	}

	@Test
	void storeBeanIsNotReplaced() {
		metered().run((context) -> {
			assertThat(context).hasSingleBean(LockStore.class);
			assertThat(context.getBean(LockStore.class)).isInstanceOf(InMemoryLockStore.class);
		});
	}

	@Test
	void theNumberOfNamesIsLimited() {
		metered().withPropertyValues("distributed-lock.metrics.max-names=0").run((context) -> {
			context.getBean(LockService.class).acquire("order:1").close();
			assertThat(context.getBean(MeterRegistry.class)
				.get("distributed.lock.hold")
				.tag("lock.name", "other")
				.timer()
				.count()).isOne();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "distributed-lock.metrics.enabled=false", "distributed-lock.enabled=false" })
	void nothingIsMeteredWhenMetersOrLocksAreDisabled(String property) {
		metered().withPropertyValues(property)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(MeterRegistry.class)
				.doesNotHaveBean(LockMetrics.class));
	}

	@Test
	void nothingIsMeteredWithoutMicrometer() {
		metered().withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(LockService.class)
				.doesNotHaveBean(LockListener.class));
	}

	@Test
	void nothingIsMeteredWithoutARegistry() {
		this.contextRunner
			.run((context) -> assertThat(context).hasSingleBean(LockService.class).doesNotHaveBean(LockMetrics.class));
	}

	@ParameterizedTest
	@CsvSource({ "fail, strict, 6h, 6h", "warn, fail, , none" })
	void settingsThatAPlatformPrescribesAreTags(String check, String validation, @Nullable String limit, String shown) {
		metered()
			.withPropertyValues("distributed-lock.check=" + check, "distributed-lock.validation=" + validation,
					(limit != null) ? "distributed-lock.annotation.max-hold-limit=" + limit : "other=1")
			.run((context) -> {
				Gauge settings = context.getBean(MeterRegistry.class).get("distributed.lock.settings").gauge();
				assertThat(settings.value()).isOne();
				assertThat(settings.getId().getTags()).extracting((tag) -> tag.getKey() + " " + tag.getValue())
					.startsWith("check " + check, "max.hold.limit " + shown, "validation " + validation);
			});
	}

	@Test
	void theMetersOfTheUserAreUsed() {
		metered()
			.withBean("userMetrics", LockMetrics.class, () -> new LockMetrics(new SimpleMeterRegistry(), () -> null, 1))
			.run((context) -> assertThat(context).hasSingleBean(LockMetrics.class).hasBean("userMetrics"));
	}

	private ApplicationContextRunner metered() {
		return this.contextRunner.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
				CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class));
	}

	static class Nightly {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("nightly")
		public void run() {
		}

		@OncePerFireTime(name = "message:#{#id}", fireTime = "#time")
		public void message(int id, Instant time) {
		}

	}

	static class Work {

		private double held;

		@DistributedLock(name = "'work:' + #p1")
		public void run(MeterRegistry registry, int id) {
			this.held = registry.get("distributed.lock.held").tag("lock.name", "Work.run").gauge().value();
		}

		double heldDuringTheRun() {
			return this.held;
		}

	}

}
