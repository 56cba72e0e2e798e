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

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;

import io.distributedlock.LockService;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.DistributedLockProperties;
import io.distributedlock.autoconfigure.internal.ConditionalOnLockSwitch;
import io.distributedlock.autoconfigure.internal.LockSwitch;
import io.distributedlock.configuration.internal.LockMetricsConfiguration;
import io.distributedlock.internal.ModuleVersion;
import io.distributedlock.internal.Printable;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * {@linkplain AutoConfiguration Auto-configuration} of lock meters.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ LockService.class, MeterRegistry.class, DistributedLockProperties.class })
@ConditionalOnLockSwitch(LockSwitch.METRICS)
@Import(LockMetricsConfiguration.class)
public final class LockMetricsAutoConfiguration {

	/**
	 * So that one query finds the applications of a company that have other settings.
	 */
	@Bean
	static MeterBinder distributedLockSettingsMeter(DistributedLockProperties properties) {
		Duration limit = properties.annotation().maxHoldLimit();
		Tags tags = Tags.of("check", valueOf(properties.check()), "validation", valueOf(properties.validation()),
				"max.hold.limit", (limit != null) ? Printable.of(limit) : "none", "version",
				Objects.requireNonNullElse(ModuleVersion.current(), "unknown"));
		return (registry) -> Gauge.builder("distributed.lock.settings", () -> 1)
			.description("Always 1: the tags are the settings of this application that a platform may prescribe")
			.tags(tags)
			.register(registry);
	}

	private static String valueOf(Enum<?> setting) {
		return setting.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
