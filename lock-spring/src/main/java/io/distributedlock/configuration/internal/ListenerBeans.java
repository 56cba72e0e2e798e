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

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Passes events on to all listener beans. These are created after all other singletons,
 * so that a listener may use the lock service, and so that the meter registry is not
 * created too early; events before that moment are dropped.
 *
 * @param <L> the listeners
 * @param <E> the events
 */
public final class ListenerBeans<L, E> implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(ListenerBeans.class);

	private final ObjectProvider<L> beans;

	private final BiConsumer<L, E> method;

	private final Function<E, String> subject;

	private volatile List<L> listeners = List.of();

	/**
	 * Create a new instance.
	 * @param subject describes the subject of an event, for the log
	 */
	public ListenerBeans(ObjectProvider<L> beans, BiConsumer<L, E> method, Function<E, String> subject) {
		this.beans = beans;
		this.method = method;
		this.subject = subject;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.listeners = this.beans.orderedStream().toList();
	}

	/**
	 * Call all listeners. One that fails is logged.
	 */
	public void publish(E event) {
		publish(event, this.listeners, this.method, this.subject);
	}

	static <L, E> void publish(E event, List<L> listeners, BiConsumer<L, E> method, Function<E, String> subject) {
		for (L listener : listeners) {
			try {
				method.accept(listener, event);
			}
			catch (Throwable ex) {
				logger.warn("The listener " + listener + " failed with an event of " + subject.apply(event)
						+ ". The lock and the other listeners are not affected.", ex);
			}
		}
	}

}
