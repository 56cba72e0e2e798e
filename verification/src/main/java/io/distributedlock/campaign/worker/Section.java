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

package io.distributedlock.campaign.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

import io.distributedlock.LockHandle;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.campaign.history.Event;

/**
 * The work under one lock: it asks the handle again and again, and writes down what it
 * said. It may be ended by another thread, when a subscription is cancelled.
 */
final class Section {

	private final Attempt attempt;

	private final LockHandle handle;

	private final int name;

	private final long hold;

	private final LockOptions options;

	private boolean lost;

	private boolean leaving;

	Section(Attempt attempt, LockHandle handle, int name, long hold, LockOptions options) {
		this.attempt = attempt;
		this.handle = handle;
		this.name = name;
		this.hold = hold;
		this.options = options;
	}

	/** As large a company as the options accept, zero for any. */
	static int limit(LockOptions options) {
		return (options.mode() == LockMode.SHARED) ? 0 : options.permits();
	}

	/**
	 * Write down the grant.
	 * @param calledOff whether nobody wants it any more: it may end at any time
	 */
	synchronized void begin(boolean calledOff) {
		long now = System.nanoTime();
		boolean held = !calledOff && this.handle.isHeld();
		long until = held ? Math.max(now + 1, now + this.handle.remaining().toNanos()) : 0;
		write(Event.Type.GRANTED, now, this.handle.fencingToken(), until, this.options.lease().toNanos(),
				(int) this.options.minHold().toMillis());
		if (calledOff) {
			left();
			return;
		}
		this.handle.onLost((loss) -> write(Event.Type.TOLD, System.nanoTime(), 0, 0, this.options.autoRenew() ? 1 : 0,
				Event.detail(loss.cause())));
		if (!held) {
			check();
		}
	}

	LockHandle handle() {
		return this.handle;
	}

	/**
	 * Ask the handle.
	 * @return whether the work may go on
	 */
	synchronized boolean check() {
		if (this.leaving || this.lost) {
			return false;
		}
		long now = System.nanoTime();
		if (this.handle.isHeld()) {
			write(Event.Type.CHECKED, now, 0, now + this.handle.remaining().toNanos(), 0, 0);
			return true;
		}
		this.lost = true;
		boolean unclosed = this.handle.state() == LockState.RELEASED;
		write(Event.Type.LOST, System.nanoTime(), 0, 0, 0, unclosed ? 1 : 0);
		return false;
	}

	void work(Duration length) {
		RandomGenerator random = this.attempt.random();
		long end = System.nanoTime() + length.toNanos();
		while (check()) {
			long left = end - System.nanoTime();
			if (left <= 0) {
				return;
			}
			long longest = Math.max(1, Math.min(left, TimeUnit.MILLISECONDS.toNanos(100)));
			long step = System.nanoTime() + Math.max(1, random.nextLong(longest) + 1);
			// An interrupt does not end the work
			boolean interrupted = false;
			while (System.nanoTime() < step) {
				LockSupport.parkNanos(step - System.nanoTime());
				interrupted |= Thread.interrupted();
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	void extend(Duration additional) {
		write(Event.Type.EXTENDING, System.nanoTime(), 0, 0, additional.toNanos(), 0);
		this.handle.extend(additional);
	}

	/**
	 * The work is done: from now on the lock may go to somebody else.
	 */
	synchronized void leave() {
		if (!this.leaving) {
			check();
			stop();
		}
	}

	private void stop() {
		this.leaving = true;
		write(Event.Type.RELEASING, System.nanoTime(), 0, 0, 0, 0);
	}

	/**
	 * The release has returned.
	 */
	synchronized void left() {
		if (!this.leaving) {
			stop();
		}
		write(Event.Type.RELEASED, System.nanoTime(), 0, 0, 0, 0);
	}

	/**
	 * Write down what happens to the run of a job.
	 */
	void write(Event.Type type, long fireTime, long tooLate, int mostRuns) {
		write(type, System.nanoTime(), 0, fireTime, tooLate, mostRuns);
	}

	private void write(Event.Type type, long at, long token, long until, long amount, int detail) {
		int limit = (type == Event.Type.GRANTED) ? limit(this.options) : 1;
		this.attempt.write(type, this.name, this.hold, at, token, until, amount, detail, limit);
	}

}
