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

package io.distributedlock.leadership.configuration.internal;

import io.distributedlock.configuration.internal.ConditionalOnBeans;
import io.distributedlock.configuration.internal.LockSettings;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.metrics.LeadershipMetrics;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * Meters of leaderships. Needs Micrometer.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBeans(value = LeaderElection.class, single = MeterRegistry.class)
public class LeadershipMetricsConfiguration {

	@Bean
	@ConditionalOnBeans(missing = LeadershipMetrics.class)
	static LeadershipMetrics distributedLockLeadershipMetrics(MeterRegistry registry,
			ObjectProvider<LeaderElection> election, LockSettings settings) {
		return new LeadershipMetrics(registry, election::getIfAvailable, settings.maxMeteredNames());
	}

	/**
	 * Catch up with candidates that stood before the meters were there.
	 */
	@Bean
	@Lazy(false)
	static SmartInitializingSingleton distributedLockLeadershipMeterRegistrar(
			ObjectProvider<LeadershipMetrics> metrics) {
		return () -> metrics.ifAvailable(LeadershipMetrics::update);
	}

}
