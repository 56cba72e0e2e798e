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

import io.distributedlock.autoconfigure.DistributedLockProperties;
import io.distributedlock.autoconfigure.internal.ConditionalOnLockSwitch;
import io.distributedlock.autoconfigure.internal.LockSwitch;
import io.distributedlock.autoconfigure.metrics.LockMetricsAutoConfiguration;
import io.distributedlock.leadership.configuration.internal.LeadershipMetricsConfiguration;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Import;

/**
 * {@linkplain AutoConfiguration Auto-configuration} of the meters of leaderships.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { LeadershipAutoConfiguration.class, LockMetricsAutoConfiguration.class })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ MeterRegistry.class, DistributedLockProperties.class })
@ConditionalOnLockSwitch(LockSwitch.METRICS)
@Import(LeadershipMetricsConfiguration.class)
public final class LeadershipMetricsAutoConfiguration {

}
