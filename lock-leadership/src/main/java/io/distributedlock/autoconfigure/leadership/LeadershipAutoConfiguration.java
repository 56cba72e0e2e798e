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

import io.distributedlock.actuate.endpoint.LeadingContributor;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Leading;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.DistributedLockProperties;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.LeaderElection.Candidacy;
import io.distributedlock.leadership.configuration.internal.LeadershipConfiguration;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * {@linkplain AutoConfiguration Auto-configuration} of leadership: the election, unless
 * there is one, and a bean for each {@code distributed-lock.leadership.<name>}, which
 * stands in it.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnBean(DistributedLockProperties.class)
@EnableConfigurationProperties(LeadershipProperties.class)
@Import({ LeadershipConfiguration.class, LeadershipRegistrar.class })
public final class LeadershipAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(Endpoint.class)
	static class EndpointConfiguration {

		@Bean
		static LeadingContributor distributedLockLeadingContributor(ObjectProvider<LeaderElection> elections) {
			return () -> elections.stream()
				.flatMap((election) -> election.candidacies().stream())
				.map(EndpointConfiguration::describe)
				.toList();
		}

		private static Leading describe(Candidacy candidacy) {
			return candidacy.leader()
					? new Leading(candidacy.name(), true, candidacy.remaining(), candidacy.fencingToken())
					: new Leading(candidacy.name(), false, null, null);
		}

	}

}
