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
 * Is told what happens to the locks of this instance. Every bean of this type is called.
 *
 * <p>
 * Called in the thread in which the event happens, which may be one of the lock service
 * or of the Redis client: be quick and do not block. What a listener throws is logged and
 * disturbs neither the lock nor the other listeners.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockListener {

	/**
	 * Called when something happened.
	 * @param event what happened
	 */
	void onLockEvent(LockEvent event);

}
