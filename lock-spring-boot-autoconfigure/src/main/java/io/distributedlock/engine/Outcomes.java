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

import java.time.Duration;

import io.distributedlock.LockEvent;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockNotAcquiredException;

/**
 * Turns the outcome of a wait into what the caller gets, and announces it.
 */
final class Outcomes {

	private final Core core;

	Outcomes(Core core) {
		this.core = core;
	}

	/**
	 * Return the handle, or throw what prevented it.
	 */
	Handle handle(Waiter waiter, Outcome outcome) {
		if (outcome instanceof Handle handle) {
			announce(waiter, handle);
			return handle;
		}
		throw failure(waiter, outcome);
	}

	/**
	 * Announce a grant, unless it is a re-entry.
	 */
	void announce(Waiter waiter, Handle handle) {
		if (handle.isOutermost()) {
			this.core.announcer().acquired(handle, waiter.since);
		}
	}

	void announceBusy(Waiter waiter) {
		this.core.announcer().notAcquired(waiter, this.core.now(), LockEvent.Reason.BUSY);
	}

	/**
	 * Return the exception for an outcome that is no handle.
	 */
	RuntimeException failure(Waiter waiter, Outcome outcome) {
		long now = this.core.now();
		if (outcome instanceof Outcome.Busy busy) {
			this.core.announcer().notAcquired(waiter, now, LockEvent.Reason.BUSY);
			return new LockNotAcquiredException(waiter.name,
					waiter.options.waitTime().isZero() ? Duration.ZERO : Duration.ofNanos(now - waiter.since),
					busy.holder());
		}
		if (outcome instanceof Outcome.Failed failed) {
			this.core.announcer().notAcquired(waiter, now, LockEvent.Reason.UNAVAILABLE);
			return Failures.inCaller(waiter.name, failed.failure());
		}
		this.core.announcer().notAcquired(waiter, now, LockEvent.Reason.INTERRUPTED);
		return new LockInterruptedException(waiter.name);
	}

}
