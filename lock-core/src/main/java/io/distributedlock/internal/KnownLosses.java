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
import java.util.List;

import io.distributedlock.LockEvent;

/**
 * Remembers the last losses of this instance, for operators. Not for applications, which
 * are told by events.
 */
@FunctionalInterface
public interface KnownLosses {

	/**
	 * Return the last loss of each lock that was lost lately, the latest first.
	 */
	List<Loss> losses();

	/**
	 * A loss.
	 *
	 * @param holder the name of the thread that had acquired the lock, or {@code "async"}
	 * @param age how long ago it was
	 */
	record Loss(LockEvent.Lost event, String holder, Duration age) {
	}

}
