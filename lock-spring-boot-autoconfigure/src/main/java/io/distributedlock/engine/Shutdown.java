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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.distributedlock.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * Ends the engine and leaves nothing of it in the store, which may be closed next: no
 * lock, no place in a queue, and no request on its way that could take either.
 */
final class Shutdown {

	private static final long CHECK = TimeUnit.MILLISECONDS.toNanos(5);

	private final LockEngine engine;

	private final long cleanupWait;

	private volatile boolean done;

	/**
	 * Create a shutdown.
	 * @param engine what is to end
	 * @param cleanupWait how long to wait until nothing of it is left in the store
	 */
	Shutdown(LockEngine engine, Duration cleanupWait) {
		this.engine = engine;
		this.cleanupWait = TimeUnit.NANOSECONDS.convert(cleanupWait);
	}

	/**
	 * Admit no more callers, wait for the holders, then take the locks that they still
	 * hold. Does nothing if that was done before; a second call while the first one waits
	 * may shorten the wait.
	 * @param grace how long to wait
	 */
	void run(Duration grace) {
		if (this.done) {
			return;
		}
		List<CompletableFuture<?>> answers = new ArrayList<>();
		BooleanSupplier unsent = this.engine.refuseWaiters(answers);
		awaitHolders(TimeUnit.NANOSECONDS.convert(grace));
		takeLocks(answers).join();
		awaitSenders(unsent);
		finish();
	}

	/**
	 * Take the locks from all holders that are left.
	 * @param answers what is to be answered besides their releases
	 * @return a future that completes normally when all of it was answered or failed
	 */
	CompletableFuture<@Nullable Void> takeLocks(List<CompletableFuture<?>> answers) {
		this.engine.takeFromHolders(LossCause.SHUTDOWN,
				"The application shut down and did not finish the work in time.", answers);
		return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).handle((all, failure) -> null);
	}

	/**
	 * Nothing is to be done any more.
	 */
	void finish() {
		this.engine.timer().close();
		this.engine.threads().close();
		this.done = true;
	}

	/**
	 * End all waits and all holds, and stay open. Only the waiters are notified; holders
	 * find out from their handles. Locks that were held are left in the store.
	 * @param why a sentence for them
	 */
	void abandonAll(String why) {
		this.engine.dismissWaiters(why);
		this.engine.takeFromHoldersSilently(LossCause.SHUTDOWN, why);
	}

	/**
	 * Wait in real time: the clock of the engine may stand still.
	 */
	private void awaitHolders(long grace) {
		long begin = System.nanoTime();
		park(() -> this.engine.isAnythingHeld() && System.nanoTime() - begin < grace);
	}

	/**
	 * Wait until requests that were prepared before the close, and which other threads
	 * are about to send, are cleaned up after: the store may be closed next.
	 */
	private void awaitSenders(BooleanSupplier unsent) {
		long begin = System.nanoTime();
		BooleanSupplier patient = () -> System.nanoTime() - begin < this.cleanupWait;
		park(() -> unsent.getAsBoolean() && patient.getAsBoolean());
		this.engine.awaitIoBriefly();
		park(() -> this.engine.isCleanupOwed() && patient.getAsBoolean());
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

}
