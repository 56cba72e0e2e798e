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

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * The fire times for which jobs run under locks of this JVM. A run that is cancelled
 * while it begins may never end, so a fire time is forgotten with its handle.
 */
public final class FireTimes {

	private static final Map<LockHandle, Instant> RUNNING = Collections.synchronizedMap(new WeakHashMap<>());

	private FireTimes() {
	}

	public static void begin(LockHandle handle, Instant fireTime) {
		RUNNING.put(handle, fireTime);
	}

	public static void end(LockHandle handle) {
		RUNNING.remove(handle);
	}

	/**
	 * Return the fire time of the run under a lock, or {@code null} if it is no job that
	 * runs.
	 */
	public static @Nullable Instant of(LockHandle handle) {
		return RUNNING.get(handle);
	}

}
