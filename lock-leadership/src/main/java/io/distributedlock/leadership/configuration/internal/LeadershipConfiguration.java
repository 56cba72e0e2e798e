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

import java.util.List;

import io.distributedlock.LockService;
import io.distributedlock.configuration.internal.ConditionalOnBeans;
import io.distributedlock.configuration.internal.ListenerBeans;
import io.distributedlock.internal.Printable;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.LeadershipEvent;
import io.distributedlock.leadership.LeadershipListener;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * The election in which candidates stand, unless the application has one.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBeans(single = LockService.class)
public class LeadershipConfiguration {

	/**
	 * The election of the library.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBeans(single = LockService.class, missing = LeaderElection.class)
	static class ElectionConfiguration {

		@Bean
		static ListenerBeans<LeadershipListener, LeadershipEvent> distributedLockLeadershipEventPublisher(
				ObjectProvider<LeadershipListener> listeners) {
			return new ListenerBeans<>(listeners, LeadershipListener::onLeadershipEvent,
					(event) -> "the leadership '" + Printable.of(event.name()) + "'");
		}

		@Bean(destroyMethod = "close")
		static LeaderElection distributedLockLeaderElection(LockService service,
				ListenerBeans<LeadershipListener, LeadershipEvent> listeners, ApplicationEventPublisher events) {
			return new LeaderElection(service, List.of(listeners::publish, events::publishEvent));
		}

	}

	/**
	 * Also for elections of the application, but not for those of its parent.
	 */
	@Bean
	@Lazy(false)
	static LeaderElectionLifecycle distributedLockLeaderElectionLifecycle(ConfigurableApplicationContext context) {
		return new LeaderElectionLifecycle(context.getBeansOfType(LeaderElection.class).values(), context);
	}

}
