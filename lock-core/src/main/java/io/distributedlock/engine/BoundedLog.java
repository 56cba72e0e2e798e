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

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.internal.DeferredInterrupts;
import io.distributedlock.internal.Printable;

/**
 * Log lines about single locks, of one kind. Any number of locks may end together: after
 * the first lines in a second, the others are counted, and one line says how many there
 * were.
 */
final class BoundedLog extends LeaseTimer.Timed {

	static final int MOST_LINES = 20;

	private static final int MOST_NAMES = 10;

	private final String event;

	private final LeaseTimer timer;

	private final Consumer<Runnable> thread;

	private final Consumer<String> log;

	private final ReentrantLock lock = new ReentrantLock();

	/** When the first of the last lines was logged. */
	private long since;

	private int lines;

	private int more;

	/** Some of those that were not logged. */
	private final Set<String> names = new LinkedHashSet<>();

	/**
	 * Create a log for one kind of event.
	 * @param event what happened, after a number of locks
	 * @param thread runs a task that logs, outside the thread of the timer
	 * @param log the log and its level
	 */
	BoundedLog(String event, LeaseTimer timer, Consumer<Runnable> thread, Consumer<String> log) {
		this.event = event;
		this.timer = timer;
		this.thread = thread;
		this.log = log;
	}

	/**
	 * Log something about a lock, or count it.
	 * @param line logs it
	 */
	void log(String name, long now, Runnable line) {
		if (isAdmitted(name, now)) {
			line.run();
		}
	}

	private boolean isAdmitted(String name, long now) {
		DeferredInterrupts.lock(this.lock);
		try {
			if (this.more == 0 && (this.lines == 0 || now - this.since >= Lease.SECOND)) {
				this.since = now;
				this.lines = 0;
			}
			if (this.lines < MOST_LINES) {
				this.lines++;
				return true;
			}
			if (this.more++ == 0) {
				this.timer.schedule(this, this.since + Lease.SECOND);
			}
			if (this.names.size() < MOST_NAMES) {
				this.names.add(name);
			}
			return false;
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	void fire(long now) {
		this.thread.accept(this::summarize);
	}

	/**
	 * Log how many were counted, if any were.
	 */
	void summarize() {
		String summary = null;
		DeferredInterrupts.lock(this.lock);
		try {
			if (this.more > 0) {
				summary = this.more + " more locks " + this.event
						+ " within a second, which are not logged one by one: " + some(this.names.stream());
			}
			this.lines = 0;
			this.more = 0;
			this.names.clear();
		}
		finally {
			this.lock.unlock();
		}
		if (summary != null) {
			this.log.accept(summary);
		}
	}

	@Override
	public String toString() {
		return "log of locks that " + this.event;
	}

	static String some(Stream<String> names) {
		return names.limit(MOST_NAMES).map((name) -> "'" + Printable.of(name) + "'").collect(Collectors.joining(", "))
				+ ", …";
	}

}
