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

package io.distributedlock.autoconfigure.observation;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInspector;
import io.distributedlock.LockObserver;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockState;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import io.distributedlock.autoconfigure.ReactiveLocksAutoConfiguration;
import io.distributedlock.autoconfigure.metrics.LockMetricsAutoConfiguration;
import io.distributedlock.observation.DefaultLockHoldObservationConvention;
import io.distributedlock.observation.LockHoldObservationContext;
import io.distributedlock.observation.LockHoldObservationConvention;
import io.distributedlock.observation.internal.LockTracingObservationHandler;
import io.distributedlock.reactive.ReactiveLocks;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.observation.LettuceObservationAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockObservationAutoConfiguration}, with the tracing that Spring Boot's
 * starter for OpenTelemetry configures.
 */
@Timeout(60)
@ExtendWith(RedisExtension.class)
class LockObservationAutoConfigurationTests {

	private static final LockOptions WAITING = LockOptions.defaults()
		.withWaitTime(Duration.ofSeconds(30))
		.withDeclaredName("declared");

	private final InMemorySpanExporter spans = InMemorySpanExporter.create();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LockAnnotationAutoConfiguration.class, LockMetricsAutoConfiguration.class,
				LockObservationAutoConfiguration.class, ReactiveLocksAutoConfiguration.class,
				MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class,
				SimpleMetricsExportAutoConfiguration.class, PrometheusMetricsExportAutoConfiguration.class,
				ObservationAutoConfiguration.class, MicrometerTracingAutoConfiguration.class,
				OpenTelemetrySdkAutoConfiguration.class, OpenTelemetryTracingAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory", "management.tracing.sampling.probability=1")
		.withBean(SpanProcessor.class, () -> SimpleSpanProcessor.create(this.spans))
		.withBean(Work.class);

	@Test
	void waitOfACallIsTracedWithItsTimes() {
		this.contextRunner.run((context) -> {
			Instant before = Instant.now();
			Instant released = contended(context, "work:1", () -> context.getBean(Work.class).run(1));
			assertChildrenOfTheCaller("Work.run");
			SpanData acquire = span("acquire lock Work.run");
			assertThat(acquire.getStartEpochNanos()).isBetween(nanos(before), nanos(released));
			// The tracer reads the clock once in a trace, and goes on by the monotonic
			// one
			long end = nanos(released) - TimeUnit.MILLISECONDS.toNanos(1);
			assertThat(acquire.getEndEpochNanos()).isGreaterThan(end);
			assertThat(acquire.getAttributes().asMap()).containsOnlyKeys(key("lock.name"), key("outcome"))
				.containsEntry(key("outcome"), "acquired");
			SpanData hold = span("hold lock Work.run");
			assertThat(hold.getStartEpochNanos()).isGreaterThan(end);
			assertThat(hold.getAttributes().asMap()).containsOnlyKeys(key("lock.name"), key("outcome"), key("cause"))
				.containsEntry(key("lock.name"), "Work.run")
				.containsEntry(key("outcome"), "released")
				.containsEntry(key("cause"), "none");
			assertThat(hold.getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
		});
	}

	@ParameterizedTest
	@CsvSource({ "contended, 0", "all, 2", "off, 0", "false, 0" })
	void withoutContentionOnlyAllIsTraced(String mode, int traced) {
		this.contextRunner.withPropertyValues("distributed-lock.observations.spans=" + mode).run((context) -> {
			inCaller(context, () -> context.getBean(Work.class).run(1));
			assertThat(lockSpans()).hasSize(traced);
			if (traced > 0) {
				assertChildrenOfTheCaller("Work.run");
			}
		});
	}

	@Test
	void nothingIsTracedIfSpansAreOff() {
		this.contextRunner.withPropertyValues("distributed-lock.observations.spans=off").run((context) -> {
			contended(context, "work:1", () -> context.getBean(Work.class).run(1));
			assertThat(this.spans.getFinishedSpanItems()).extracting(SpanData::getName)
				.containsExactlyInAnyOrder("inner", "caller");
			assertThat(context).doesNotHaveBean(LockObserver.class)
				.doesNotHaveBean(LockTracingObservationHandler.class)
				.doesNotHaveBean("lockObservationMeterFilter");
		});
	}

	@Test
	void anObserverOfTheApplicationIsUsedInstead() {
		LockObserver own = mock(LockObserver.class);
		this.contextRunner.withBean(LockObserver.class, () -> own).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(LockObserver.class);
			context.getBean(LockService.class).acquire("work:1").close();
			then(own).should().onRequest();
		});
	}

	@Test
	void refusalOfACallIsTraced() {
		this.contextRunner.run((context) -> {
			LockService service = context.getBean(LockService.class);
			LockHandle handle = CompletableFuture.supplyAsync(() -> service.acquire("work:1").detach()).join();
			inCaller(context, () -> {
				context.getBean(Work.class).skip(1);
				return null;
			});
			handle.close();
			SpanData span = span("acquire lock Work.skip");
			assertThat(span.getParentSpanId()).isEqualTo(span("caller").getSpanId());
			assertThat(span.getAttributes().asMap()).containsEntry(key("outcome"), "busy");
			assertThat(span.getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
			assertThat(lockSpans()).hasSize(1);
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "contended", "all" })
	void aLossIsAnErrorOfTheHold(String mode) {
		this.contextRunner.withPropertyValues("distributed-lock.observations.spans=" + mode).run((context) -> {
			LockService service = context.getBean(LockService.class);
			Instant before = Instant.now();
			inCaller(context, () -> {
				LockHandle handle = service.acquire("a",
						WAITING.withLease(Duration.ofMillis(500)).withDeclaredName("short"));
				await().until(() -> handle.state() == LockState.LOST);
				handle.close();
				return null;
			});
			await()
				.untilAsserted(() -> assertThat(lockSpans()).extracting(SpanData::getName).contains("hold lock short"));
			SpanData hold = span("hold lock short");
			assertThat(hold.getParentSpanId()).isEqualTo(span("caller").getSpanId());
			assertThat(hold.getStartEpochNanos()).isGreaterThanOrEqualTo(nanos(before));
			assertThat(hold.getEndEpochNanos() - hold.getStartEpochNanos())
				.isGreaterThan(Duration.ofMillis(50).toNanos());
			assertThat(hold.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
			// A busy machine pauses the process
			assertThat(hold.getAttributes().asMap()).containsEntry(key("outcome"), "lost")
				.hasEntrySatisfying(key("cause"), (cause) -> assertThat(cause).isIn("lease_expired", "process_paused"));
			assertThat(lockSpans()).filteredOn((span) -> span.getName().startsWith("hold")).hasSize(1);
		});
	}

	@Test
	void spansHaveEvaluatedNameHolderAndTokenOnRequest() {
		this.contextRunner
			.withPropertyValues("distributed-lock.observations.include-name=true",
					"distributed-lock.observations.spans=all")
			.run((context) -> {
				inCaller(context, () -> context.getBean(Work.class).run(1));
				for (String name : List.of("acquire lock Work.run", "hold lock Work.run")) {
					assertThat(span(name).getAttributes().asMap()).containsEntry(key("lock.evaluated-name"), "work:1")
						.containsEntry(key("lock.holder"), Thread.currentThread().getName())
						.hasEntrySatisfying(key("lock.fencing-token"),
								(token) -> assertThat((String) token).matches("[0-9]+"));
				}
			});
	}

	@ParameterizedTest
	@CsvSource({ "true, true", "true, false", "false, true" })
	void eachEventWritesAMeterOnce(boolean metered, boolean prometheus) {
		this.contextRunner
			.withPropertyValues("distributed-lock.observations.spans=all",
					"distributed-lock.metrics.enabled=" + metered,
					"management.prometheus.metrics.export.enabled=" + prometheus)
			.run((context) -> {
				contended(context, "work:1", () -> context.getBean(Work.class).run(1));
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				assertThat(registry)
					.isExactlyInstanceOf(prometheus ? PrometheusMeterRegistry.class : SimpleMeterRegistry.class);
				assertThat(registry.getMeters().stream().map(Meter::getId))
					.noneMatch((id) -> id.getName().startsWith("distributed.lock") && id.getTag("error") != null)
					.noneMatch((id) -> id.getName().startsWith("distributed.lock") && id.getName().endsWith("active"))
					.anyMatch((id) -> id.getName().equals("caller") && id.getTag("error") != null);
				for (String name : List.of("distributed.lock.acquire", "distributed.lock.hold")) {
					assertThat(registry.find(name)
						.tag("lock.name", "Work.run")
						.timers()
						.stream()
						.mapToLong(Timer::count)
						.sum()).as(name).isEqualTo(metered ? 1 : 0);
				}
			});
	}

	@Test
	void workSeesTheObservationOfTheCallerIfObservationsOfLocksAreOff() {
		this.contextRunner
			.withPropertyValues("distributed-lock.observations.spans=all",
					"management.observations.enable.distributed.lock=false")
			.run((context) -> {
				Work work = context.getBean(Work.class);
				inCaller(context, () -> work.run(1));
				assertThat(lockSpans()).isEmpty();
				assertThat(span("inner").getParentSpanId()).isEqualTo(span("caller").getSpanId());
				this.spans.reset();
				Observation caller = Observation.start("caller", context.getBean(ObservationRegistry.class));
				work.mono(1).contextWrite((view) -> view.put("micrometer.observation", caller)).block();
				caller.stop();
				assertThat(span("inner").getParentSpanId()).isEqualTo(span("caller").getSpanId());
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "execute", "executeAsync", "reactive", "future", "mono" })
	void theWorkSeesTheHold(String kind) {
		this.contextRunner.run((context) -> {
			LockService service = context.getBean(LockService.class);
			Work work = context.getBean(Work.class);
			String declaredName = switch (kind) {
				case "future" -> "Work.future";
				case "mono" -> "Work.mono";
				default -> "declared";
			};
			contended(context, "work:1", () -> switch (kind) {
				case "execute" -> service.execute("work:1", WAITING, work::inner);
				case "executeAsync" ->
					service.executeAsync("work:1", WAITING, (handle) -> CompletableFuture.completedFuture(work.inner()))
						.join();
				case "reactive" -> context.getBean(ReactiveLocks.class)
					.execute("work:1", WAITING, (handle) -> work.innerMono())
					.block();
				case "future" -> work.future(1).join();
				default -> work.mono(1).block();
			});
			assertChildrenOfTheCaller(declaredName);
		});
	}

	@Test
	void aReactiveCallerIsFoundInItsContext() {
		this.contextRunner.withPropertyValues("distributed-lock.observations.spans=all").run((context) -> {
			Observation caller = Observation.start("caller", context.getBean(ObservationRegistry.class));
			context.getBean(Work.class)
				.mono(1)
				.contextWrite((view) -> view.put("micrometer.observation", caller))
				.block();
			caller.stop();
			assertChildrenOfTheCaller("Work.mono");
		});
	}

	@Test
	void allLocksOfOneCallHaveTheSameParent() {
		this.contextRunner.withPropertyValues("distributed-lock.observations.spans=all").run((context) -> {
			LockService service = context.getBean(LockService.class);
			inCaller(context, () -> {
				service.acquireAllAsync(List.of("a", "b"), WAITING).join().close();
				return null;
			});
			assertThat(lockSpans()).hasSize(4)
				.allMatch((span) -> span.getParentSpanId().equals(span("caller").getSpanId()));
		});
	}

	@Test
	void reentryIsNotTraced() {
		this.contextRunner.withPropertyValues("distributed-lock.observations.spans=all").run((context) -> {
			LockService service = context.getBean(LockService.class);
			inCaller(context, () -> service.execute("work:1", WAITING, () -> context.getBean(Work.class).run(1)));
			assertChildrenOfTheCaller("declared");
			assertThat(lockSpans()).hasSize(2);
		});
	}

	@Test
	void aConventionOfTheApplicationIsUsed() {
		this.contextRunner.withPropertyValues("distributed-lock.observations.spans=all")
			.withBean(LockHoldObservationConvention.class, () -> new DefaultLockHoldObservationConvention() {

				@Override
				public String getContextualName(LockHoldObservationContext context) {
					return "own " + context.getLockName();
				}

			})
			.run((context) -> {
				inCaller(context, () -> context.getBean(Work.class).run(1));
				assertThat(lockSpans()).extracting(SpanData::getName).contains("own work:1");
			});
	}

	/**
	 * Each renewal would be a trace of its own.
	 */
	@Test
	void onlyCommandsOfTheApplicationAreSpans(RedisServer redis) {
		this.contextRunner
			.withConfiguration(
					AutoConfigurations.of(DataRedisAutoConfiguration.class, LettuceObservationAutoConfiguration.class))
			.withPropertyValues(redis.springProperties())
			.withPropertyValues("distributed-lock.provider=redis", "distributed-lock.observations.spans=off",
					"distributed-lock.redis.command-timeout=10s", "spring.data.redis.timeout=10s")
			.run((context) -> {
				assertThat(context.getBean(LockService.class).tryAcquire("a")).hasValueSatisfying((handle) -> {
					handle.extend(Duration.ofMinutes(1));
					handle.close();
				});
				context.getBean(StringRedisTemplate.class).hasKey("b");
				await().untilAsserted(() -> assertThat(this.spans.getFinishedSpanItems()).extracting(SpanData::getName)
					.contains("exists"));
				assertThat(this.spans.getFinishedSpanItems()).extracting(SpanData::getName)
					.doesNotContain("evalsha", "eval", "subscribe", "script");
			});
	}

	@Test
	void locksWorkWithoutTracing() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("io.micrometer.tracing", "io.opentelemetry"))
			.withPropertyValues("distributed-lock.observations.spans=all")
			.run((context) -> {
				assertThat(context).hasSingleBean(LockObserver.class)
					.doesNotHaveBean(LockTracingObservationHandler.class);
				context.getBean(LockService.class).acquire("a").close();
			});
	}

	@Test
	void nothingIsObservedWithoutARegistry() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
					LockObservationAutoConfiguration.class))
			.withPropertyValues("distributed-lock.provider=in-memory")
			.run((context) -> assertThat(context).hasSingleBean(LockService.class).doesNotHaveBean(LockObserver.class));
	}

	/**
	 * Let a call wait for a lock that another thread has.
	 * @return when that thread began to release it
	 */
	private Instant contended(ApplicationContext context, String name, Supplier<?> call) {
		LockService service = context.getBean(LockService.class);
		LockHandle handle = CompletableFuture
			.supplyAsync(() -> service.acquire(name, WAITING.withDeclaredName("before")).detach())
			.join();
		CompletableFuture<?> done = CompletableFuture.runAsync(() -> inCaller(context, call));
		await().until(() -> !context.getBean(LockInspector.class).waiting().isEmpty());
		Instant released = Instant.now();
		handle.close();
		done.join();
		return released;
	}

	private static Object inCaller(ApplicationContext context, Supplier<?> call) {
		return Observation.createNotStarted("caller", context.getBean(ObservationRegistry.class)).observe(call);
	}

	private void assertChildrenOfTheCaller(String declaredName) {
		await().untilAsserted(() -> assertThat(lockSpans()).hasSize(2));
		SpanData caller = span("caller");
		SpanData acquire = span("acquire lock " + declaredName);
		SpanData hold = span("hold lock " + declaredName);
		assertThat(acquire.getParentSpanId()).isEqualTo(caller.getSpanId());
		assertThat(hold.getParentSpanId()).isEqualTo(caller.getSpanId());
		assertThat(span("inner").getParentSpanId()).isEqualTo(hold.getSpanId());
	}

	private List<SpanData> lockSpans() {
		return this.spans.getFinishedSpanItems()
			.stream()
			.filter((span) -> !List.of("inner", "caller").contains(span.getName()))
			.toList();
	}

	private SpanData span(String name) {
		return this.spans.getFinishedSpanItems()
			.stream()
			.filter((span) -> span.getName().equals(name))
			.findFirst()
			.orElseThrow(() -> new AssertionError("No span " + name + " in " + this.spans.getFinishedSpanItems()));
	}

	private static AttributeKey<String> key(String name) {
		return AttributeKey.stringKey(name);
	}

	private static long nanos(Instant instant) {
		return ChronoUnit.NANOS.between(Instant.EPOCH, instant);
	}

	public static class Work {

		private final ObservationRegistry registry;

		public Work(ObservationRegistry registry) {
			this.registry = registry;
		}

		@DistributedLock(name = "'work:' + #p0", waitTime = 30)
		public int run(int id) {
			return inner();
		}

		@DistributedLock(name = "'work:' + #p0", onContention = OnContention.SKIP)
		public void skip(int id) {
		}

		@DistributedLock(name = "'work:' + #p0", waitTime = 30)
		public CompletableFuture<Integer> future(int id) {
			return CompletableFuture.completedFuture(inner());
		}

		@DistributedLock(name = "'work:' + #p0", waitTime = 30)
		public Mono<Integer> mono(int id) {
			return innerMono();
		}

		int inner() {
			return Observation.createNotStarted("inner", this.registry).observe(() -> 1);
		}

		Mono<Integer> innerMono() {
			// As propagation of the context does: the caller's thread may have a span of
			// its own
			return Mono.deferContextual(
					(context) -> Mono.just(context.<Observation>get("micrometer.observation").scoped(this::inner)));
		}

	}

}
