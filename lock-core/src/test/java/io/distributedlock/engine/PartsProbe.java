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

import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The door to parts of the engine that are used by many threads.
 */
public final class PartsProbe {

	private PartsProbe() {
	}

	/**
	 * The executor that completes futures.
	 */
	public static final class Completions implements Executor {

		private final CompletionExecutor executor = new CompletionExecutor();

		@Override
		public void execute(Runnable task) {
			this.executor.execute(task);
		}

		public void close() {
			this.executor.close();
		}

	}

	/**
	 * A watchdog with its thread.
	 */
	public static final class Watchdog {

		private final LeaseTimer timer;

		public Watchdog(LongSupplier clock) {
			this.timer = new LeaseTimer(clock);
		}

		public void schedule(Entry entry, long due) {
			this.timer.schedule(entry, due);
		}

		public void cancel(Entry entry) {
			this.timer.cancel(entry);
		}

		public boolean isIdle() {
			return this.timer.nextDue() == Long.MAX_VALUE;
		}

		public void close() {
			this.timer.close();
		}

		/**
		 * Counts its calls.
		 */
		public static final class Entry extends LeaseTimer.Timed {

			private final Runnable call;

			private int calls;

			public Entry(Runnable call) {
				this.call = call;
			}

			@Override
			void fire(long now) {
				this.calls++;
				this.call.run();
			}

			public int calls() {
				return this.calls;
			}

		}

	}

}
