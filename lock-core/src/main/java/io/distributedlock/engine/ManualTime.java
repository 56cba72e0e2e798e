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

import java.util.concurrent.TimeUnit;

import io.distributedlock.internal.DeferredInterrupts;
import io.distributedlock.internal.Wait;

/**
 * Does immediately what the watchdog, the I/O thread and waiting threads do as time
 * passes: for a clock that is moved by hand, which wakes no thread.
 */
final class ManualTime {

	/** Requests sent in the first one may have made something due. */
	private static final int ROUNDS = 2;

	private final LockEngine engine;

	ManualTime(LockEngine engine) {
		this.engine = engine;
	}

	/**
	 * Do what is due.
	 * @return when something is due next, {@link Long#MAX_VALUE} if nothing is
	 */
	long catchUp() {
		for (int i = 0; i < ROUNDS; i++) {
			this.engine.timer().runDue();
			this.engine.endWaits();
			awaitIo();
		}
		return Math.min(this.engine.timer().runDue(), this.engine.endWaits());
	}

	/**
	 * Wait until the thread for I/O has done what it was given so far, but not forever:
	 * it does it anyway.
	 */
	private void awaitIo() {
		DeferredInterrupts.await(this.engine.ioDone(), TimeUnit.SECONDS.toNanos(1));
	}

}
