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

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import io.distributedlock.autoconfigure.leadership.LeadershipAutoConfiguration;
import io.distributedlock.autoconfigure.leadership.LeadershipMetricsAutoConfiguration;
import io.distributedlock.metrics.LockMetrics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the table of meters in docs/observability.md with the meters that an
 * application has as soon as it has started.
 */
class DocumentedMetersTests {

	/** Their values depend on the application. */
	private static final Set<String> OPEN_TAGS = Set.of("lock.name", "check", "validation", "max.hold.limit",
			"version");

	private static final Pattern LINE = Pattern
		.compile("\\| `(distributed\\.lock\\.[a-z.]+)` \\| ([a-z ]+) \\| (.*?) \\| .* \\|");

	private static final Pattern TAG = Pattern.compile("`([a-z.]+)`(?:: ((?:`[a-z_]+`(?:, )?)+))?");

	@Test
	void theTableListsAllMetersWithTheirKindsAndTags() throws Exception {
		Map<String, String> documented = documented();
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
					LockAnnotationAutoConfiguration.class, LeadershipAutoConfiguration.class,
					LockMetricsAutoConfiguration.class, LeadershipMetricsAutoConfiguration.class))
			.withPropertyValues("distributed-lock.provider=in-memory",
					"distributed-lock.leadership.scheduler.enabled=true")
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean(Work.class)
			.run((context) -> {
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				context.getBeanProvider(MeterBinder.class).forEach((binder) -> binder.bindTo(registry));
				assertThat(existing(registry)).isEqualTo(documented).hasSizeGreaterThan(10);
			});
	}

	@Test
	void theNumberOfTimeSeriesIsDocumented() throws Exception {
		MeterRegistry registry = new SimpleMeterRegistry();
		LockMetrics metrics = new LockMetrics(registry, () -> null, 100);
		metrics.declareStoreWarnings(() -> 0);
		// And distributed.lock.settings
		int base = series(registry) + 1;
		metrics.declare(Set.of("a"));
		int lock = series(registry) + 1 - base;
		metrics.declareJobs(Set.of("a"));
		int job = series(registry) + 1 - base - lock;
		assertThat(Files.readString(Path.of("..", "docs", "observability.md")))
			.contains("Each name has %d time series in Prometheus, and a job %d more".formatted(lock, job));
		assertThat(Files.readString(Path.of("..", "docs", "adoption.md"))).contains(
				"%d for each instance, %d for each declared lock, %d more for each job".formatted(base, lock, job));
	}

	/** A timer or summary is a count, a sum and a maximum. */
	private static int series(MeterRegistry registry) {
		return registry.getMeters().stream().mapToInt((meter) -> switch (meter.getId().getType()) {
			case TIMER, DISTRIBUTION_SUMMARY -> 3;
			default -> 1;
		}).sum();
	}

	private static Map<String, String> documented() throws Exception {
		Matcher line = LINE.matcher(Files.readString(Path.of("..", "docs", "observability.md")));
		Map<String, String> meters = new TreeMap<>();
		while (line.find()) {
			Map<String, Set<String>> tags = new TreeMap<>();
			Matcher tag = TAG.matcher(line.group(3));
			while (tag.find()) {
				tags.put(tag.group(1), (tag.group(2) != null)
						? new TreeSet<>(Set.of(tag.group(2).replace("`", "").split(", "))) : Set.of());
			}
			meters.put(line.group(1), line.group(2) + " " + tags);
		}
		return meters;
	}

	private static Map<String, String> existing(MeterRegistry registry) {
		return registry.getMeters()
			.stream()
			.collect(Collectors.groupingBy((meter) -> meter.getId().getName(), TreeMap::new, Collectors
				.collectingAndThen(Collectors.toList(), (meters) -> kind(meters.get(0)) + " " + tags(meters))));
	}

	private static Map<String, Set<String>> tags(Collection<Meter> meters) {
		Map<String, Set<String>> tags = new TreeMap<>();
		meters.stream()
			.flatMap((meter) -> meter.getId().getTags().stream())
			.forEach((tag) -> add(tags.computeIfAbsent(tag.getKey(), (key) -> new TreeSet<>()), tag));
		return tags;
	}

	private static void add(Set<String> values, Tag tag) {
		if (!OPEN_TAGS.contains(tag.getKey())) {
			values.add(tag.getValue());
		}
	}

	private static String kind(Meter meter) {
		return (meter instanceof TimeGauge) ? "time gauge"
				: meter.getId().getType().name().replace("DISTRIBUTION_", "").toLowerCase(Locale.ROOT);
	}

	static class Work {

		@DistributedLock
		public void run() {
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("nightly-report")
		public void writeReport() {
		}

	}

}
