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

import java.util.Set;
import java.util.function.Supplier;

import io.distributedlock.LockObserver;
import io.distributedlock.LockService;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.DistributedLockProperties;
import io.distributedlock.autoconfigure.DistributedLockProperties.Observations;
import io.distributedlock.observation.DefaultLockAcquireObservationConvention;
import io.distributedlock.observation.DefaultLockHoldObservationConvention;
import io.distributedlock.observation.LockAcquireObservationConvention;
import io.distributedlock.observation.LockHoldObservationConvention;
import io.distributedlock.observation.LockObservations;
import io.distributedlock.observation.LockObservations.Spans;
import io.distributedlock.observation.internal.LockTracingObservationHandler;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.Order;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * {@linkplain AutoConfiguration Auto-configuration} of the observations of locks.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class,
		afterName = { "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
				"org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration" })
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({ LockService.class, ObservationRegistry.class, DistributedLockProperties.class })
@Conditional(LockObservationAutoConfiguration.OnSpans.class)
public final class LockObservationAutoConfiguration {

	/**
	 * Created with the lock service, possibly before all other beans.
	 */
	@Bean
	@Lazy(false)
	static CurrentObservationRegistry distributedLockObservationRegistry(ObjectProvider<ObservationRegistry> registry) {
		return new CurrentObservationRegistry(registry);
	}

	@Bean
	@ConditionalOnMissingBean(LockObserver.class)
	LockObservations distributedLockObservations(CurrentObservationRegistry registry,
			DistributedLockProperties properties, ObjectProvider<LockAcquireObservationConvention> acquireConvention,
			ObjectProvider<LockHoldObservationConvention> holdConvention) {
		Observations observations = properties.observations();
		return new LockObservations(registry, observations.spans(),
				new LockObservations.Conventions(
						observations.includeName() ? DefaultLockAcquireObservationConvention.includingName()
								: new DefaultLockAcquireObservationConvention(),
						observations.includeName() ? DefaultLockHoldObservationConvention.includingName()
								: new DefaultLockHoldObservationConvention(),
						acquireConvention.getIfAvailable(), holdConvention.getIfAvailable()));
	}

	/**
	 * Provides the observation registry once all other singletons exist, when listeners
	 * get their first event: the lock service may be needed before the registry, or by a
	 * dependency of the registry. Nothing is observed before.
	 */
	static final class CurrentObservationRegistry implements Supplier<ObservationRegistry>, SmartInitializingSingleton {

		private final ObjectProvider<ObservationRegistry> beans;

		private volatile ObservationRegistry registry = ObservationRegistry.NOOP;

		CurrentObservationRegistry(ObjectProvider<ObservationRegistry> beans) {
			this.beans = beans;
		}

		@Override
		public void afterSingletonsInstantiated() {
			this.registry = this.beans.getIfAvailable(() -> ObservationRegistry.NOOP);
		}

		@Override
		public ObservationRegistry get() {
			return this.registry;
		}

	}

	/**
	 * Keeps observations of locks from writing meters. {@code LockMetrics} times all
	 * acquisitions and holds, under the same names; those that are observed are a part of
	 * them, and most are observed when they are over, so that their observations last for
	 * no time. The timers of Micrometer's handler of observations are known by their tag
	 * {@code error}.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterFilter.class)
	static class MeterConfiguration {

		private static final Set<String> TIMERS = Set.of("distributed.lock.acquire", "distributed.lock.hold");

		private static final Set<String> LONG_TASK_TIMERS = Set.of("distributed.lock.acquire.active",
				"distributed.lock.hold.active");

		@Bean
		static MeterFilter distributedLockObservationMeterFilter() {
			return MeterFilter.deny((id) -> LONG_TASK_TIMERS.contains(id.getName())
					|| (TIMERS.contains(id.getName()) && id.getTag("error") != null));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ Tracer.class, DefaultTracingObservationHandler.class })
	static class TracingConfiguration {

		/** Comes before the default one. */
		@Bean
		@Order(0)
		@ConditionalOnBean(Tracer.class)
		LockTracingObservationHandler distributedLockTracingObservationHandler(Tracer tracer) {
			return new LockTracingObservationHandler(tracer);
		}

	}

	/**
	 * Matches unless observations are off. Compares the property as it is bound: YAML
	 * reads {@code off} as {@code false}.
	 */
	static final class OnSpans extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			Spans spans = Binder.get(context.getEnvironment())
				.bind("distributed-lock.observations.spans", Spans.class)
				.orElse(Spans.CONTENDED);
			return new ConditionOutcome(spans != Spans.OFF,
					ConditionMessage.forCondition("Spans of locks").because("they are set to " + spans));
		}

	}

}
