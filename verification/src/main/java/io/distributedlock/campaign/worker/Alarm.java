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
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

import io.distributedlock.internal.DaemonThread;

/**
 * Interrupts threads and cancels calls at instants that the workloads drew.
 */
final class Alarm {

	private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
			DaemonThread.factory("campaign-alarm"));

	private final LongAdder interrupts = new LongAdder();

	private final LongAdder cancels = new LongAdder();

	Alarm() {
		this.timer.setRemoveOnCancelPolicy(true);
	}

	long interrupts() {
		return this.interrupts.sum();
	}

	long cancels() {
		return this.cancels.sum();
	}

	void cancel(Duration delay, Runnable cancellation) {
		this.timer.schedule(() -> {
			this.cancels.increment();
			cancellation.run();
		}, delay.toNanos(), TimeUnit.NANOSECONDS);
	}

	/**
	 * Do something, and interrupt the current thread meanwhile, unless it is done by
	 * then.
	 */
	void interrupting(Duration delay, Runnable work) {
		Interruption interruption = new Interruption(Thread.currentThread());
		this.timer.schedule(interruption::strike, delay.toNanos(), TimeUnit.NANOSECONDS);
		try {
			work.run();
		}
		finally {
			interruption.end();
		}
	}

	/**
	 * An interrupt that hits no other work than the one that it is for.
	 */
	private final class Interruption {

		private final Thread thread;

		private boolean over;

		private Interruption(Thread thread) {
			this.thread = thread;
		}

		private synchronized void strike() {
			if (!this.over) {
				this.over = true;
				Alarm.this.interrupts.increment();
				this.thread.interrupt();
			}
		}

		private synchronized void end() {
			this.over = true;
			Thread.interrupted();
		}

	}

}
