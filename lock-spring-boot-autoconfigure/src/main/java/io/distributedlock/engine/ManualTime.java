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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.distributedlock.LockUnavailableException;

/**
 * Does at once what the watchdog, the thread for I/O and the threads that wait do by
 * themselves as time passes: for a clock that is moved by hand, where nobody is woken by
 * the time.
 */
final class ManualTime {

	/** What was sent to the store in the first one may have made something due. */
	private static final int ROUNDS = 2;

	private final Core core;

	private final Admission admission;

	ManualTime(Core core, Admission admission) {
		this.core = core;
		this.admission = admission;
	}

	/**
	 * Do what is due.
	 * @return when something is due next, {@link Long#MAX_VALUE} if nothing is
	 */
	long catchUp() {
		for (int i = 0; i < ROUNDS; i++) {
			this.core.timer().runDue();
			endWaits();
			awaitIo();
		}
		return Math.min(this.core.timer().runDue(), endWaits());
	}

	/**
	 * End the waits of threads that are over. The timer ends those of futures.
	 * @return when the next one ends
	 */
	private long endWaits() {
		long now = this.core.now();
		long next = Long.MAX_VALUE;
		for (Waiter waiter : waits()) {
			if (waiter.until() > now) {
				next = Math.min(next, waiter.until());
			}
			else if (waiter.thread() != null) {
				this.admission.giveUp(waiter, Outcome.GivenUp.TIMED_OUT);
			}
		}
		return next;
	}

	/**
	 * Wait until the thread for I/O has done what it was given so far, but not for ever:
	 * it does it anyway.
	 */
	private void awaitIo() {
		CompletableFuture<Void> done = new CompletableFuture<>();
		this.core.threads().io(() -> done.complete(null));
		try {
			done.get(1, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			// Go on
		}
	}

	/**
	 * Return who waits for a lock that is held.
	 */
	List<Waiter> waits() {
		List<Waiter> waits = new ArrayList<>();
		this.core.gates().forEach((gate) -> {
			for (Waiter waiter = gate.firstWaiter(); waiter != null; waiter = waiter.next) {
				if (waiter.waits()) {
					waits.add(waiter);
				}
			}
		});
		return waits;
	}

	/**
	 * End a wait, if it goes on still. Its bid ends with the next answer, which finds
	 * nobody who waits.
	 */
	void refuse(Waiter waiter, String why) {
		Gates.Stripe stripe = this.core.gates().stripe(waiter.name);
		stripe.lock.lock();
		try {
			Gate gate = waiter.gate;
			if (gate != null) {
				gate.remove(waiter);
				waiter.settle(new Outcome.Failed(new LockUnavailableException(waiter.name, why, null)));
			}
		}
		finally {
			stripe.lock.unlock();
		}
	}

}
