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

package io.distributedlock.fencing.internal;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;

/**
 * Knows which of the locks that the current thread runs under are fenced. The mark
 * belongs to the handle, so it applies in every thread to which the lock is carried.
 *
 * @since 0.1.0
 */
public final class FencedLocks {

	/** Whether a transaction has claimed the fence of the lock yet. */
	private static final Map<LockHandle, Boolean> FENCED = Collections.synchronizedMap(new WeakHashMap<>());

	private FencedLocks() {
	}

	/**
	 * Let every transaction that begins under a lock claim its fence, as long as
	 * {@link LockContext} shows the lock.
	 */
	public static void mark(LockHandle handle) {
		FENCED.putIfAbsent(handle, false);
	}

	/**
	 * Return whether a transaction that began under the lock, or that the lock was
	 * acquired in, has claimed its fence; it may have been rolled back.
	 */
	public static boolean isClaimed(LockHandle handle) {
		return FENCED.getOrDefault(handle, false);
	}

	/**
	 * Note that the fence of a lock is claimed, if it is a fenced one.
	 */
	public static void claimed(LockHandle handle) {
		FENCED.replace(handle, true);
	}

	/**
	 * Return the fenced locks that the current thread runs under.
	 */
	public static List<LockHandle> current() {
		List<LockHandle> all = LockContext.all();
		return all.isEmpty() ? all : all.stream().filter(FENCED::containsKey).toList();
	}

}
