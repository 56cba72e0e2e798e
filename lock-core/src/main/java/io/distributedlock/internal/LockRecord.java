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

package io.distributedlock.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * The record of a lock: a text that outlives its holders, which only a holder that is
 * alone can write. Implemented by handles on a single lock.
 */
public interface LockRecord {

	/**
	 * Return the record of the lock that a handle is on.
	 * @throws IllegalStateException if the handle is on several locks, or not from a lock
	 * service of this library
	 */
	static LockRecord of(LockHandle handle) {
		if (handle instanceof LockRecord record) {
			return record;
		}
		throw new IllegalStateException("The lock '" + Printable.of(handle.name())
				+ "' has no record: its handle is on several locks, or comes from a replaced LockService.");
	}

	/**
	 * Replace the record.
	 * @param expected the present record, or {@code null} if there is none
	 * @param text the new record, not empty, different from every earlier one
	 * @return a future of what the store answers; it fails like an extension of the
	 * lease, with an {@link IllegalStateException} if the holder accepts others beside
	 * it, and with a {@link io.distributedlock.LockConfigurationException} if the store
	 * keeps no records
	 */
	CompletableFuture<Answer> replaceRecord(@Nullable String expected, String text, Duration timeToLive);

	/**
	 * What the store answers.
	 *
	 * @param held whether the store still has the lock; otherwise nothing was changed,
	 * and the text is unknown
	 * @param text the record that is in force: the new one if it was replaced, or
	 * {@code null} if there is none
	 */
	record Answer(boolean held, @Nullable String text) {
	}

}
