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

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.internal.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Passes events on to all listener beans. These are created after all other singletons,
 * so that a listener may use the lock service, and so that the meter registry is not
 * created too early; events before that moment are dropped.
 */
final class LockEventPublisher implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(LockEventPublisher.class);

	private final ObjectProvider<LockListener> beans;

	private final boolean anyBeans;

	private volatile List<LockListener> listeners = List.of();

	LockEventPublisher(ListableBeanFactory beanFactory) {
		this.beans = beanFactory.getBeanProvider(LockListener.class);
		this.anyBeans = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, LockListener.class, true,
				false).length > 0;
	}

	/**
	 * Return what the lock service is to call: nothing if there are no listener beans, so
	 * that it need not even create events.
	 */
	List<LockListener> listenersOfService() {
		return this.anyBeans ? List.of(this::publish) : List.of();
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.listeners = this.beans.orderedStream().toList();
	}

	private void publish(LockEvent event) {
		for (LockListener listener : this.listeners) {
			publish(event, listener);
		}
	}

	private static void publish(LockEvent event, LockListener listener) {
		try {
			listener.onLockEvent(event);
		}
		catch (RuntimeException | LinkageError ex) {
			logger.warn("The listener " + listener + " failed with an event of lock '" + Printable.of(event.name())
					+ "'. The lock and the other listeners are not affected.", ex);
		}
	}

}
