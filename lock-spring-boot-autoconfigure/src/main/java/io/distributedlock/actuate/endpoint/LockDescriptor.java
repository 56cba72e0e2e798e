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
import io.distributedlock.actuate.endpoint.LocksDescriptor.Held;
import io.distributedlock.actuate.endpoint.LocksDescriptor.Waiting;
import io.distributedlock.store.StoredLock;
import io.distributedlock.store.StoredLockDetails;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * One lock, as the store and this instance see it.
 *
 * @param name the name of the lock,
 * {@linkplain io.distributedlock.internal.Printable#of(String) printable}
 * @param locked whether it is held, or {@code null} if the store did not answer
 * @param heldBy which kind of holder it has, or {@code null} if there is none
 * @param holder the name of the instance that holds it, or {@code null} if none does
 * @param digest distinguishes foreign clients that hold it, or {@code null} if none does
 * @param hold identifies this hold for a forced release, or {@code null} if the lock is
 * free or there is no store to look into
 * @param age how long ago the store granted it, or {@code null} if that is unknown
 * @param remaining how long the store keeps it if it is not renewed, or {@code null}
 * @param queue the first of the instances that wait for it, in their order
 * @param problem why the store did not answer, or {@code null}
 * @param held the holds of this instance
 * @param waiting the callers in this instance that wait for it
 * @since 0.1.0
 */
public record LockDescriptor(String name, @Nullable Boolean locked, LockInfo.@Nullable Kind heldBy,
		@Nullable String holder, @Nullable String digest, @Nullable String hold, @Nullable Duration age,
		@Nullable Duration remaining, List<Queued> queue, @Nullable String problem, List<Held> held,
		List<Waiting> waiting) implements OperationResponseBody {

	static LockDescriptor held(String name, StoredLockDetails lock, @Nullable String instance, List<Held> held,
			List<Waiting> waiting) {
		LockInfo info = lock.lock().describe(lock.name(), instance);
		return new LockDescriptor(name, true, info.kind(), info.holder(), info.digest(), lock.lock().digest(),
				lock.age(), info.remaining(), lock.queue().stream().map(Queued::of).toList(), null, held, waiting);
	}

	/**
	 * Describe a lock of a service that has no store to look into.
	 */
	static LockDescriptor held(String name, LockInfo info, List<Held> held, List<Waiting> waiting) {
		return new LockDescriptor(name, true, info.kind(), info.holder(), info.digest(), null, null, info.remaining(),
				List.of(), null, held, waiting);
	}

	static LockDescriptor unheld(String name, List<Held> held, List<Waiting> waiting) {
		return new LockDescriptor(name, false, null, null, null, null, null, null, List.of(), null, held, waiting);
	}

	static LockDescriptor unknown(String name, @Nullable String problem, List<Held> held, List<Waiting> waiting) {
		return new LockDescriptor(name, null, null, null, null, null, null, null, List.of(), problem, held, waiting);
	}

	/**
	 * An instance that waits.
	 *
	 * @param instance its name
	 * @param waited for how long it has waited
	 */
	public record Queued(String instance, Duration waited) {

		static Queued of(StoredLockDetails.Waiter waiter) {
			String name = StoredLock.instanceNameIn(waiter.token());
			return new Queued((name != null) ? name : "unknown", waiter.waited());
		}

	}

}
