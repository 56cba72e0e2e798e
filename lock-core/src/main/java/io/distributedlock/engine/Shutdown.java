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
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.distributedlock.internal.DeferredInterrupts;
import io.distributedlock.internal.ManagedParking;
import org.jspecify.annotations.Nullable;

/**
 * Ends the engine and leaves nothing of it in the store, which may be closed next: no
 * lock, no place in a queue, and no request on its way that could take either.
 */
final class Shutdown {

	private static final long CHECK = TimeUnit.MILLISECONDS.toNanos(5);

	private static final long LAST_MOMENT = TimeUnit.SECONDS.toNanos(1);

	private final LockEngine engine;

	private final long cleanupWait;

	private volatile boolean done;

	Shutdown(LockEngine engine, Duration cleanupWait) {
		this.engine = engine;
		this.cleanupWait = TimeUnit.NANOSECONDS.convert(cleanupWait);
	}

	/**
	 * Admit no more callers, wait for the holders, then take the locks that they still
	 * hold. Releases without an answer are repeated for the same time again, and what
	 * stays taken is logged. A second call does nothing; while the first one waits, it
	 * may shorten the wait.
	 * @param overtime called if there are still holders after the wait, before their
	 * locks are taken: work that it interrupts has a moment to end with its locks; or
	 * {@code null}
	 */
	void run(Duration grace, @Nullable Runnable overtime) {
		if (this.done) {
			return;
		}
		BooleanSupplier unsent = this.engine.refuseWaiters();
		long patience = TimeUnit.NANOSECONDS.convert(grace);
		awaitHolders(patience);
		if (overtime != null && !this.engine.held().isEmpty()) {
			overtime.run();
			awaitHolders(LAST_MOMENT);
		}
		takeLocks();
		awaitSenders(unsent);
		awaitReleases(Math.max(patience, this.cleanupWait));
		finish();
	}

	void takeLocks() {
		this.engine.takeFromHolders("The application shut down and did not finish the work in time.");
	}

	void finish() {
		this.engine.timer().close();
		this.engine.cleanup().close();
		this.engine.threads().close();
		this.engine.summarizeLogs();
		this.done = true;
	}

	/**
	 * End all waits and all holds, and stay open. Only the waiters are notified; holders
	 * find out from their handles. Locks that were held are left in the store.
	 */
	void abandonAll(String why) {
		this.engine.dismissWaiters(why);
		this.engine.takeFromHoldersSilently(why);
	}

	/**
	 * Wait in real time: the clock of the engine may stand still.
	 */
	private void awaitHolders(long grace) {
		long begin = System.nanoTime();
		park(() -> !this.engine.held().isEmpty() && System.nanoTime() - begin < grace);
	}

	/**
	 * Wait for the clean-up after requests that were prepared before the close and are
	 * about to be sent by other threads: the store may be closed next.
	 */
	private void awaitSenders(BooleanSupplier unsent) {
		long begin = System.nanoTime();
		park(() -> unsent.getAsBoolean() && System.nanoTime() - begin < this.cleanupWait);
		this.engine.cleanup().awaitBriefly(this.engine.ioDone());
	}

	/**
	 * Wait until nothing is left in the store, for as long as the store goes on answering
	 * and for the given time without an answer.
	 */
	private void awaitReleases(long patience) {
		Cleanup cleanup = this.engine.cleanup();
		Progress progress = new Progress(cleanup.left(), System.nanoTime());
		park(() -> progress.of(cleanup.left()) && System.nanoTime() - progress.since < patience);
		cleanup.stop();
		park(cleanup::isSending);
	}

	private void park(BooleanSupplier needed) {
		boolean interrupted = false;
		while (needed.getAsBoolean()) {
			ManagedParking.park(this, CHECK);
			interrupted |= DeferredInterrupts.defer();
		}
		if (interrupted) {
			DeferredInterrupts.restore();
		}
	}

	/**
	 * Measures the time since the remaining work last decreased.
	 */
	private static final class Progress {

		private int left;

		private long since;

		Progress(int left, long since) {
			this.left = left;
			this.since = since;
		}

		boolean of(int now) {
			if (now < this.left) {
				this.left = now;
				this.since = System.nanoTime();
			}
			return now > 0;
		}

	}

}
