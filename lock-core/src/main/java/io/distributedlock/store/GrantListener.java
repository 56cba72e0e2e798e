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

package io.distributedlock.store;

/**
 * Receives grants, and notices of locks that were taken by force, were changed or may be
 * lost. Called in a thread of the store, or in that which calls
 * {@link LockStore#listen(String, GrantListener)}; must not block.
 *
 * @since 0.1.0
 */
public interface GrantListener {

	/**
	 * A waiter of this instance was handed a lock. May arrive late, twice or never.
	 * @param grant the grant
	 */
	void granted(Grant grant);

	/**
	 * A lock was taken from this instance by force. This is a hint: any client with
	 * access to the messages of the store can send one. May arrive late, twice or never.
	 * @param name the name of the lock
	 * @param token the token with which it was held
	 */
	void revoked(String name, LockToken token);

	/**
	 * The store may have lost locks, and nobody was told: a connection to it broke or is
	 * there again, or another server took over. The listener then asks for the locks that
	 * it holds. A command that fails, and a repeated {@link #subscribed()}, say the same.
	 * May be called too often. By default, nothing happens.
	 */
	default void interrupted() {
	}

	/**
	 * A lock that the store {@linkplain LockStore#extendAndWatch watches} may be gone, or
	 * have another holder. This is a hint: the listener asks for it. May arrive late,
	 * twice or never. By default, nothing happens.
	 * @param name the name of the lock
	 */
	default void changed(String name) {
	}

	/**
	 * Grants can arrive from now on; earlier ones may have been missed.
	 */
	void subscribed();

}
