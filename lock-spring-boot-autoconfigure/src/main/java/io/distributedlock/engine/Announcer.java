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

package io.distributedlock.engine;

import java.util.List;
import java.util.function.Consumer;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tells the listeners. What they throw is logged and goes no further.
 */
final class Announcer {

	private static final Log logger = LogFactory.getLog(Announcer.class);

	private final List<LockListener> listeners;

	Announcer(List<LockListener> listeners) {
		this.listeners = List.copyOf(listeners);
	}

	/**
	 * Whether there is somebody to tell.
	 */
	boolean hasListeners() {
		return !this.listeners.isEmpty();
	}

	void tell(LockEvent event) {
		for (LockListener listener : this.listeners) {
			guard(listener::onLockEvent, event);
		}
	}

	/**
	 * Call user code.
	 */
	static <E extends LockEvent> void guard(Consumer<? super E> consumer, E event) {
		try {
			consumer.accept(event);
		}
		catch (Throwable ex) {
			// Nothing that user code throws may cost a caller the handle
			logger.warn("A listener failed to handle an event of lock '" + Printable.of(event.name())
					+ "'. The lock is not affected.", ex);
		}
	}

}
