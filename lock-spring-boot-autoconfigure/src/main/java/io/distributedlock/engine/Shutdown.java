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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;

/**
 * Ends the engine so that nothing of it is left in the store, which may be closed next:
 * no lock, no place in a queue, and no request on its way that could take either.
 */
final class Shutdown {

	private static final long CHECK = 5 * LeaseTimes.MILLI;

	private final Core core;

	private final Admission admission;

	private final Bidding bidding;

	private final Leftovers leftovers;

	private final Losses losses;

	private final PendingReleases releases;

	private volatile boolean done;

	Shutdown(Core core, Admission admission, Bidding bidding, Leftovers leftovers, Losses losses,
			PendingReleases releases) {
		this.core = core;
		this.admission = admission;
		this.bidding = bidding;
		this.leftovers = leftovers;
		this.losses = losses;
		this.releases = releases;
	}

	/**
	 * Let nobody in any more, wait for the holders, then take from them what they still
	 * hold. Does nothing if that was done before; a second call while the first one waits
	 * may be more impatient.
	 * @param grace how long to wait
	 */
	void run(Duration grace) {
		if (this.done) {
			return;
		}
		this.admission.close();
		List<CompletableFuture<?>> answers = new ArrayList<>();
		List<Bid> leftToSenders = dismissWaiters(Admission::closed, answers);
		awaitHolders(LeaseTimes.nanos(grace));
		takeFromHolders(answers);
		CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).handle((all, failure) -> null).join();
		awaitSenders(leftToSenders);
		this.core.timer().close();
		this.core.threads().close();
		this.done = true;
	}

	/**
	 * End all waits and all holds, and go on. Nobody is told but those who wait, and
	 * those who look at their handles. Locks that were held are left in the store.
	 * @param why a sentence for them
	 */
	void abandonAll(String why) {
		dismissWaiters((name) -> new LockUnavailableException(name, why, null), new ArrayList<>());
		this.core.gates().forEach((gate) -> {
			if (gate.hold != null) {
				this.losses.loseSilently(gate.hold, LossCause.SHUTDOWN, why, this.core.now());
			}
		});
	}

	/**
	 * End all waits.
	 * @param failure what to tell those who wait for a name
	 * @param answers takes the answers to come
	 * @return the bids after which their senders clean up
	 */
	private List<Bid> dismissWaiters(Function<String, LockUnavailableException> failure,
			List<CompletableFuture<?>> answers) {
		List<Bid> abandoned = new ArrayList<>();
		List<Bid> leftToSenders = new ArrayList<>();
		this.core.gates().forEach((gate) -> {
			gate.settleWaiters(Gate.Which.ALL, new Outcome.Failed(failure.apply(gate.name)));
			if (gate.bid != null) {
				Bid bid = gate.bid;
				(this.bidding.abandon(bid) ? abandoned : leftToSenders).add(bid);
				gate.stripe.removeIfIdle(gate);
			}
		});
		abandoned.forEach((bid) -> answers.add(this.leftovers.cleanUp(bid)));
		return leftToSenders;
	}

	/**
	 * Wait in real time: the clock of the engine may stand still.
	 */
	private void awaitHolders(long grace) {
		long begin = System.nanoTime();
		park(() -> isAnyHeld() && System.nanoTime() - begin < grace);
	}

	private void takeFromHolders(List<CompletableFuture<?>> answers) {
		List<Hold> rest = new ArrayList<>();
		this.core.gates().forEach((gate) -> {
			if (gate.hold != null) {
				Hold hold = gate.hold;
				rest.add(hold);
				this.losses.lose(hold, LossCause.SHUTDOWN,
						"The application shut down and did not finish the work in time.", this.core.now());
			}
		});
		for (Hold hold : rest) {
			answers.add(this.core.store().release(hold.lease.gate.name, this.core.token(hold.lease)));
		}
	}

	/**
	 * Wait until requests that were prepared before the close, and which other threads
	 * are about to send, are cleaned up after: the store may be closed next.
	 */
	private void awaitSenders(List<Bid> bids) {
		long end = System.nanoTime() + LeaseTimes.nanos(this.core.settings().cleanupWait());
		park(() -> bids.stream().anyMatch(this.leftovers::isUnsent) && System.nanoTime() < end);
		CompletableFuture<Void> drained = new CompletableFuture<>();
		this.core.threads().io(() -> drained.complete(null));
		this.leftovers.awaitBriefly(drained);
		park(() -> !this.releases.isNoneOwed() && System.nanoTime() < end);
	}

	private void park(BooleanSupplier needed) {
		boolean interrupted = false;
		while (needed.getAsBoolean()) {
			ManagedParking.park(this, CHECK);
			interrupted |= Thread.interrupted();
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	private boolean isAnyHeld() {
		AtomicLong held = new AtomicLong();
		this.core.gates().forEach((gate) -> held.addAndGet((gate.hold != null) ? 1 : 0));
		return held.get() > 0;
	}

}
