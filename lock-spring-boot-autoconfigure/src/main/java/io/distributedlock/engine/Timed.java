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

package io.distributedlock.engine;

/**
 * Something that a {@link LeaseTimer} calls at a given time.
 */
abstract class Timed {

	static final int NOT_SCHEDULED = -1;

	/** Guarded by the lock of the timer. */
	long due;

	/** The place in the heap of the timer. Guarded by the lock of the timer. */
	int slot = NOT_SCHEDULED;

	/**
	 * Called in the thread of the timer when the time has come. Must neither block nor
	 * throw.
	 * @param now the time
	 */
	abstract void fire(long now);

}
