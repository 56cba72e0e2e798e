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

import java.time.Instant;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.LockInspector;
import io.distributedlock.LockService;
import io.distributedlock.engine.Ticker;
import io.distributedlock.internal.DeclaredJobs;
import io.distributedlock.internal.DeclaredJobs.DeclaredJob;
import io.distributedlock.internal.DeclaredLock;
import io.distributedlock.internal.DeclaredLocks;
import io.distributedlock.internal.LastRun;
import io.distributedlock.internal.WallClock;
import io.distributedlock.metrics.LockMetrics;
import io.distributedlock.scheduling.internal.OverdueFireTimes;
import io.distributedlock.store.LockStore;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Meters of locks. Needs Micrometer.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBeans(value = LockService.class, single = MeterRegistry.class)
public class LockMetricsConfiguration {

	@Bean
	@ConditionalOnBeans(missing = LockMetrics.class)
	static LockMetrics distributedLockMetrics(MeterRegistry registry, ObjectProvider<LockInspector> inspector,
			LockSettings settings, ConfigurableListableBeanFactory beanFactory) {
		// Reading a gauge creates no lock service
		return new LockMetrics(registry,
				() -> LockServiceConfiguration.isServicePending(beanFactory) ? null : inspector.getIfAvailable(),
				settings.maxMeteredNames());
	}

	/**
	 * Created with the lock service, possibly before all other beans.
	 */
	@Bean
	@Lazy(false)
	static StoreErrorMeter distributedLockStoreErrorMeter(ObjectProvider<LockMetrics> metrics) {
		return new StoreErrorMeter(metrics);
	}

	@Bean
	@Lazy
	static DeclaredLockMeterRegistrar distributedLockDeclaredMeterRegistrar(LockMetrics metrics,
			ObjectProvider<DeclaredLocks> declaredLocks, ObjectProvider<DeclaredJobs> declaredJobs,
			ObjectProvider<LockStore> store, ObjectProvider<LockStoreCheck> check, ObjectProvider<WallClock> clock,
			ObjectProvider<Ticker> ticker, ConfigurableListableBeanFactory beanFactory, ApplicationContext context) {
		metrics.declareStoreWarnings(() -> LockServiceConfiguration.isServicePending(beanFactory) ? Double.NaN
				: check.stream().findFirst().map(LockStoreCheck::warnings).orElse(Double.NaN));
		Supplier<LastRun.@Nullable Source> runs = () -> LockServiceConfiguration.isServicePending(beanFactory) ? null
				: store.stream().findFirst().map(LockMetricsConfiguration::runsIn).orElse(null);
		Function<DeclaredJob, Supplier<Number>> overdue = (job) -> new OverdueFireTimes(job, runs,
				clock.getIfAvailable(() -> Instant::now), ticker.getIfAvailable(Ticker::system)::nanos);
		return new DeclaredLockMeterRegistrar(metrics, declaredLocks, declaredJobs, overdue, context);
	}

	private static LastRun.Source runsIn(LockStore store) {
		return new LastRun.Source(store::record,
				(name) -> store.find(name).thenApply((lock) -> lock.map((found) -> found.describe(name, null))));
	}

	/**
	 * Registers the locks and jobs that annotations declare with the meters, once they
	 * are known.
	 */
	static final class DeclaredLockMeterRegistrar implements ApplicationListener<ContextRefreshedEvent> {

		private final LockMetrics metrics;

		private final ObjectProvider<DeclaredLocks> declaredLocks;

		private final ObjectProvider<DeclaredJobs> declaredJobs;

		private final Function<DeclaredJob, Supplier<Number>> overdue;

		private final ApplicationContext context;

		DeclaredLockMeterRegistrar(LockMetrics metrics, ObjectProvider<DeclaredLocks> declaredLocks,
				ObjectProvider<DeclaredJobs> declaredJobs, Function<DeclaredJob, Supplier<Number>> overdue,
				ApplicationContext context) {
			this.metrics = metrics;
			this.declaredLocks = declaredLocks;
			this.declaredJobs = declaredJobs;
			this.overdue = overdue;
			this.context = context;
		}

		@Override
		public void onApplicationEvent(ContextRefreshedEvent event) {
			if (event.getApplicationContext() == this.context) {
				this.metrics.declare(this.declaredLocks.stream()
					.flatMap((locks) -> locks.declared().stream())
					.map(DeclaredLock::declaredName)
					.distinct()
					.toList());
				this.declaredJobs.stream().map(DeclaredJobs::declaredNames).forEach(this.metrics::declareJobs);
				this.declaredJobs.stream()
					.flatMap((jobs) -> jobs.jobs().stream())
					.forEach((job) -> this.metrics.declareOverdue(job.name(), this.overdue.apply(job)));
			}
		}

	}

}
