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

package io.distributedlock;

/**
 * Receives the events of the locks of this instance. Every bean of this type is called.
 *
 * <p>
 * Called in the thread in which the event occurs, which may belong to the lock service or
 * to the client of the store: return quickly and do not block. Exceptions of a listener
 * are logged and affect neither the lock nor the other listeners.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockListener {

	/**
	 * Called for each event.
	 * @param event the event
	 */
	void onLockEvent(LockEvent event);

}
