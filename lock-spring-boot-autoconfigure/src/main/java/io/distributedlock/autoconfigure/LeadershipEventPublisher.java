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

package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.internal.Printable;
import io.distributedlock.leadership.LeadershipEvent;
import io.distributedlock.leadership.LeadershipListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Passes the events of candidacies on to all listener beans, and publishes them as
 * application events. The beans are created after all other singletons, so that the meter
 * registry is not created too early; they miss events before that moment.
 */
final class LeadershipEventPublisher implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(LeadershipEventPublisher.class);

	private final ObjectProvider<LeadershipListener> beans;

	private final ApplicationEventPublisher publisher;

	private volatile List<LeadershipListener> listeners = List.of();

	LeadershipEventPublisher(ObjectProvider<LeadershipListener> beans, ApplicationEventPublisher publisher) {
		this.beans = beans;
		this.publisher = publisher;
	}

	/**
	 * Return what the election is to call.
	 */
	List<LeadershipListener> listenersOfElection() {
		return List.of(new ToBeans(), this.publisher::publishEvent);
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.listeners = this.beans.orderedStream().toList();
	}

	private final class ToBeans implements LeadershipListener {

		@Override
		public void onLeadershipEvent(LeadershipEvent event) {
			for (LeadershipListener listener : LeadershipEventPublisher.this.listeners) {
				try {
					listener.onLeadershipEvent(event);
				}
				catch (Throwable ex) {
					logger.error("The listener " + listener + " failed with an event of the leadership '"
							+ Printable.of(event.name()) + "'. The other listeners are not affected.", ex);
				}
			}
		}

	}

}
