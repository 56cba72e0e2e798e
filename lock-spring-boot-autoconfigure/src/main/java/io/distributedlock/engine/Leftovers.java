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

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.distributedlock.store.LockToken;
import org.jspecify.annotations.Nullable;

/**
 * Cleans up what bids may leave in the store: a lock that nobody wants any more, or a
 * place in the queue.
 *
 * <p>
 * A bid is prepared with the gate locked and sent after it was unlocked. In between it
 * may be overtaken: the bid may be abandoned, or granted by a push and even released,
 * before its request has reached the store. A release that was sent meanwhile would be
 * carried out before the request and clean up nothing. So whoever abandons a bid cleans
 * up only if its request is known to be on its way. Otherwise that is left to the sender,
 * who looks again when he has sent it, and to whoever gets the answer.
 *
 * <p>
 * What is to be cleaned up is decided with the gate locked and done after it was
 * unlocked.
 */
final class Leftovers {

	private final Core core;

	private final PendingReleases releases;

	Leftovers(Core core, PendingReleases releases) {
		this.core = core;
		this.releases = releases;
	}

	/**
	 * Whether whoever abandons a bid has to clean up after it.
	 */
	boolean ofAbandoned(Bid bid) {
		assert bid.gate.isLocked();
		return owing(bid.inFlight ? bid.dispatched : bid.mayHaveLeftTraces());
	}

	/**
	 * Whether the sender of a request, which is on its way now, has to clean up because
	 * the bid was overtaken. The gate must not be locked.
	 * @param bid the bid
	 * @param attempt the number of the request: it may have been answered, and the next
	 * one prepared, before the sender came to ask
	 */
	boolean ofSent(Bid bid, int attempt) {
		Gate gate = bid.gate;
		gate.stripe.lock.lock();
		try {
			if (bid.attempts != attempt) {
				return false;
			}
			bid.dispatched = true;
			return owing(bid.closed && bid.inFlight && !isNeeded(bid));
		}
		finally {
			gate.stripe.lock.unlock();
		}
	}

	/**
	 * Whether something may be left after the answer to a bid that was closed before, or
	 * which was closed before it could be sent.
	 */
	boolean ofAnswered(Bid bid, boolean granted) {
		assert bid.gate.isLocked();
		return owing((granted || !bid.dispatched) && !isNeeded(bid));
	}

	/**
	 * Whether a grant is of no use because nobody waits for it any more.
	 */
	boolean ofGranted(boolean taken) {
		return owing(!taken);
	}

	/**
	 * Whether what a bid was granted is held, or left to the end of its minimum hold.
	 */
	private static boolean isNeeded(Bid bid) {
		return isHeld(bid.gate, bid.token) || (bid.granted != null && bid.granted.lingers);
	}

	private static boolean isHeld(Gate gate, LockToken token) {
		return gate.hold != null && gate.hold.lease.sequence == token.sequence();
	}

	private boolean owing(boolean release) {
		if (release) {
			this.releases.owe();
		}
		return release;
	}

	/**
	 * Whether a request is prepared and somebody is about to send it, and to clean up.
	 */
	boolean isUnsent(Bid bid) {
		Gates.Stripe stripe = bid.gate.stripe;
		stripe.lock.lock();
		try {
			return bid.inFlight && !bid.dispatched;
		}
		finally {
			stripe.lock.unlock();
		}
	}

	/**
	 * Clean up now.
	 * @return a future that completes normally when the store has answered or failed
	 */
	CompletableFuture<Void> cleanUp(Bid bid) {
		return this.releases.release(bid.gate.name, bid.token, this.core.now() + bid.lease);
	}

	/**
	 * Wait until nothing is left in the store, so that the caller can rely on it, but not
	 * if the store is slow: it is cleaned up in any case.
	 */
	void awaitBriefly(CompletableFuture<Void> cleanUp) {
		long end = System.nanoTime() + LeaseTimes.nanos(this.core.settings().cleanupWait());
		boolean interrupted = false;
		while (true) {
			try {
				cleanUp.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
				break;
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
			catch (ExecutionException | TimeoutException ex) {
				break;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Clean up in the thread for I/O. Answers come in threads of the store, which must
	 * not be kept waiting while a connection is opened again.
	 */
	void cleanUpLater(String name, LockToken token, long lease) {
		this.core.threads().io(() -> this.releases.release(name, token, this.core.now() + lease));
	}

}
