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

package io.distributedlock.engine.schedules;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.engine.EngineProbe;
import io.distributedlock.memory.InMemoryLockStore;
import org.jspecify.annotations.Nullable;

/**
 * Two instances with their threads on one store in memory, and a clock that stands still
 * unless a scenario moves it. The fields are plain, as no two threads run at once.
 */
final class Stage {

	static final LockOptions WAITING = LockOptions.ofLease(Duration.ofSeconds(30)).withWaitTime(Duration.ofSeconds(10));

	private static final Duration PAUSE = Duration.ofMillis(10);

	private long now = Duration.ofHours(1).toNanos();

	final InMemoryLockStore store = new InMemoryLockStore(() -> this.now);

	private final EngineProbe here = EngineProbe.withThreads(this.store, () -> this.now, "here~1");

	private final InMemoryLockStore otherStore = this.store.connect();

	private final EngineProbe there = EngineProbe.withThreads(this.otherStore, () -> this.now, "there~1");

	private @Nullable Throwable failure;

	LockService here() {
		return this.here.service();
	}

	LockService there() {
		return this.there.service();
	}

	long now() {
		return this.now;
	}

	void pass(Duration time) {
		this.now += time.toNanos();
	}

	void closeHere() {
		this.here.closeAndWait();
	}

	/**
	 * Do some things at once, each in a thread of its own, and check that nothing is left
	 * of them.
	 * @param pauses how often nobody may go on before some time has passed
	 */
	void play(int pauses, Task... tasks) {
		try {
			run(pauses, tasks);
			awaitPause();
			if (pauses > 0) {
				// Lines of the log are counted for a moment
				pass(Duration.ofSeconds(5));
				awaitPause();
				awaitPause();
			}
			check(this.here.leftovers() == null, "Left here: " + this.here.leftovers());
			check(this.there.leftovers() == null, "Left there: " + this.there.leftovers());
			check(this.store.find("a").join().isEmpty(), "The lock is still taken");
		}
		finally {
			// Whatever is stuck ends now
			pass(Duration.ofDays(1));
			this.here.closeAndWait();
			this.there.closeAndWait();
		}
	}

	/**
	 * Do some things at once, each in a thread of its own.
	 */
	void run(int pauses, Task... tasks) {
		CountDownLatch left = new CountDownLatch(tasks.length);
		for (Task task : tasks) {
			new Thread(() -> run(task, left)).start();
		}
		int paused = 0;
		while (!await(left)) {
			check(++paused <= pauses, "Everybody waits, although no time has to pass");
			pass(PAUSE);
		}
		if (this.failure != null) {
			throw new IllegalStateException(this.failure);
		}
	}

	private void run(Task task, CountDownLatch left) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			this.failure = (this.failure != null) ? this.failure : ex;
		}
		finally {
			left.countDown();
		}
	}

	/**
	 * Wait until all others wait.
	 */
	static void awaitPause() {
		await(new CountDownLatch(1));
	}

	private static boolean await(CountDownLatch latch) {
		try {
			return latch.await(1, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static void check(boolean condition, String problem) {
		if (!condition) {
			throw new AssertionError(problem);
		}
	}

	/**
	 * What a thread does.
	 */
	interface Task {

		void run() throws Exception;

	}

}
