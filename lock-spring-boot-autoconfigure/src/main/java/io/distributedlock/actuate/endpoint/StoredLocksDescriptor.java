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

package io.distributedlock.actuate.endpoint;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockInfo;
import io.distributedlock.store.StoredLockDetails;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The locks that any instance holds, as the store sees them.
 *
 * @param store where the locks are kept
 * @param locks the locks
 * @param truncated whether there may be more: the limit was reached, or the search took
 * too long
 * @since 0.1.0
 */
public record StoredLocksDescriptor(LocksDescriptor.Store store, List<Entry> locks,
		boolean truncated) implements OperationResponseBody {

	/**
	 * A lock that is held.
	 *
	 * @param name the name of the lock,
	 * {@linkplain io.distributedlock.internal.Printable#of(String) printable}
	 * @param heldBy who holds it
	 * @param holder the name of the instance that holds it, or {@code null} if none does
	 * @param digest distinguishes foreign clients that hold it, or {@code null} if none
	 * does
	 * @param hold identifies this hold for a forced release
	 * @param age how long ago the store granted it, or {@code null} if that is unknown
	 * @param remaining how long the store keeps it if it is not renewed, or {@code null}
	 * if without limit
	 * @param waiting how many instances wait for it, or {@code null} if that is unknown
	 */
	public record Entry(String name, LockInfo.Kind heldBy, @Nullable String holder, @Nullable String digest,
			String hold, @Nullable Duration age, @Nullable Duration remaining, @Nullable Long waiting) {

		static Entry of(String name, StoredLockDetails lock, @Nullable String instance) {
			LockInfo info = lock.lock().describe(lock.name(), instance);
			return new Entry(name, info.kind(), info.holder(), info.digest(), lock.lock().digest(), lock.age(),
					info.remaining(), lock.waiting());
		}

	}

}
