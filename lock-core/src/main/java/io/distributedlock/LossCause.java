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
 * The likely cause of the loss of a lock.
 *
 * @since 0.1.0
 */
public enum LossCause {

	/**
	 * The lease ended without renewal being enabled: the work took longer than the lease.
	 */
	LEASE_EXPIRED,

	/**
	 * The maximum time for which the renewed lock may be held has passed.
	 */
	MAX_HOLD_REACHED,

	/**
	 * The store did not answer the renewals in time.
	 */
	STORE_UNREACHABLE,

	/**
	 * The lock was gone from the store: deleted, flushed, evicted, lost in a restart, or
	 * not replicated before a failover. The explanation of the event says if the store
	 * was interrupted or flushed before.
	 */
	KEY_VANISHED,

	/**
	 * Another holder had the lock, which was gone from the store before.
	 */
	TAKEN_BY_OTHER,

	/**
	 * This JVM, or its machine, was stopped for longer than the rest of the lease, or the
	 * time of day of the machine was set ahead by more than that. A suspended machine
	 * looks like the latter.
	 */
	PROCESS_PAUSED,

	/**
	 * An operator took the lock from its holder by force.
	 */
	FORCED,

	/**
	 * The thread that had locked it died without unlocking it.
	 */
	OWNER_DIED,

	/**
	 * The lock service was closed while the lock was still held.
	 */
	SHUTDOWN

}
