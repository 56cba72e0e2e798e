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

import java.util.List;

import io.distributedlock.LockService;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.DistributedLockProperties;
import io.distributedlock.autoconfigure.internal.ListenerBeans;
import io.distributedlock.internal.Printable;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.LeadershipEvent;
import io.distributedlock.leadership.LeadershipListener;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

/**
 * {@linkplain AutoConfiguration Auto-configuration} of leadership: the election, unless
 * there is one, and a bean for each {@code distributed-lock.leadership.<name>}, which
 * stands in it.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnSingleCandidate(LockService.class)
@ConditionalOnBean(DistributedLockProperties.class)
@Import(LeadershipRegistrar.class)
public final class LeadershipAutoConfiguration {

	/**
	 * The election of the library.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(LeaderElection.class)
	static final class ElectionConfiguration {

		@Bean
		ListenerBeans<LeadershipListener, LeadershipEvent> leadershipEventPublisher(
				ObjectProvider<LeadershipListener> listeners) {
			return new ListenerBeans<>(listeners, LeadershipListener::onLeadershipEvent,
					(event) -> "the leadership '" + Printable.of(event.name()) + "'");
		}

		@Bean(destroyMethod = "close")
		LeaderElection leaderElection(LockService service, ListenerBeans<LeadershipListener, LeadershipEvent> listeners,
				ApplicationEventPublisher events) {
			return new LeaderElection(service, List.of(listeners::publish, events::publishEvent));
		}

	}

	/**
	 * Also for elections of the application, but not for those of its parent.
	 */
	@Bean
	@Lazy(false)
	@ConditionalOnBean(value = LeaderElection.class, search = SearchStrategy.CURRENT)
	LeaderElectionLifecycle leaderElectionLifecycle(ConfigurableApplicationContext context) {
		return new LeaderElectionLifecycle(context.getBeansOfType(LeaderElection.class).values(), context);
	}

}
