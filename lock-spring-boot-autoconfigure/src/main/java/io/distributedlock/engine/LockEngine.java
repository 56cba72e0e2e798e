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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.distributedlock.LockEvent;
import io.distributedlock.LockInfo;
import io.distributedlock.LockListener;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Decides who in this JVM holds which lock.
 *
 * <p>
 * Each name has a {@link Gate}. A {@link Waiter} that comes to a gate either enters at
 * once again (its thread holds the lock), or stands in line behind the local holder, or
 * is the reason for a {@link Bid}: the one request of this JVM for this name to the
 * store. {@link Bidding} sends it, repeats it while somebody waits, and brings the grant,
 * be it an answer or a push. A grant becomes a {@link Lease}, and the first waiter in
 * line gets a {@link Hold} on it. When that is released, the next waiter gets the same
 * lease without the store being asked, for a bounded number of times and a bounded time
 * from the grant; then the store gets the lock back and a new bid is made at once, which
 * stands behind those of other instances. {@link LeaseWatch} has leases renewed and finds
 * out that they are lost.
 *
 * <p>
 * Every change happens with the lock of the gate's {@linkplain Gates.Stripe stripe} held,
 * for moments only. Requests to the store are prepared under it and sent after it was
 * released; answers come in any thread and take it again. Nothing here waits, but for
 * {@link #giveUp} and {@link #close}: blocking callers are parked outside
 * ({@link BlockingWaiter}), others have a future ({@link AsyncWaiter}). The order of
 * locks is stripe, then {@link Renewals}, then {@link LeaseTimer}.
 */
final class LockEngine {

	private static final Log logger = LogFactory.getLog(LockEngine.class);

	private static final long DRAIN_CHECK = 5 * LeaseTimes.MILLI;

	private final Core core;

	private final LeaseSchedule schedule;

	private final Losses losses;

	private final Extensions extensions;

	private final LeaseWatch watch;

	private final Bidding bidding;

	private final PendingReleases releases;

	private final Leftovers leftovers;

	private volatile boolean closing;

	LockEngine(LockStore store, EngineSettings settings, List<LockListener> listeners, Ticker ticker) {
		this.core = new Core(new GuardedStore(store), ticker, new LeaseTimer(ticker), new Gates(this),
				new EngineThreads(), new Announcer(listeners), settings, settings.newInstanceId(), new AtomicLong());
		this.schedule = new LeaseSchedule(this.core);
		this.releases = new PendingReleases(this.core);
		this.leftovers = new Leftovers(this.core, this.releases);
		this.bidding = new Bidding(this.core, this, this.leftovers, this.schedule);
		this.losses = new Losses(this.core, this.bidding);
		this.extensions = new Extensions(this.core, this.schedule, this.losses);
		this.watch = new LeaseWatch(this.core, this, this.schedule, new Renewals(this.core, this.extensions),
				this.losses);
	}

	Core core() {
		return this.core;
	}

	long now() {
		return this.core.now();
	}

	Losses losses() {
		return this.losses;
	}

	Extensions extensions() {
		return this.extensions;
	}

	LeaseWatch watch() {
		return this.watch;
	}

	/**
	 * Let a waiter in, have it wait, or refuse it. It is settled now or later.
	 */
	void submit(Waiter waiter) {
		Bid bid = null;
		Gates.Stripe stripe = this.core.gates().stripe(waiter.name);
		stripe.lock.lock();
		try {
			Gate gate = stripe.findOrCreate(waiter.name);
			long now = waiter.since;
			if (gate.hold != null && now >= gate.hold.lease.deadline()) {
				this.losses.expire(gate.hold, now);
				gate = stripe.findOrCreate(waiter.name);
			}
			Hold hold = gate.hold;
			Handle outer = (hold != null && waiter.owner != null && hold.owner == waiter.owner) ? hold.get() : null;
			if (outer != null) {
				waiter.settle(reenter(outer, waiter));
			}
			else if (this.closing) {
				waiter.settle(closed(waiter.name));
				stripe.removeIfIdle(gate);
			}
			else if (hold != null && !waiter.waits()) {
				waiter.settle(new Waiter.Busy(localHolder(hold)));
			}
			else if (hold != null || (gate.bid != null && (waiter.waits() || isUnanswered(gate.bid)))) {
				gate.enqueue(waiter);
			}
			else if (gate.bid != null) {
				waiter.settle(gate.bid.refusal(now));
			}
			else {
				gate.enqueue(waiter);
				bid = this.bidding.open(gate, waiter, now);
			}
		}
		finally {
			stripe.lock.unlock();
		}
		if (bid != null) {
			this.bidding.send(bid);
		}
	}

	/**
	 * Whether the first answer to a bid is still to come, which is then the answer for
	 * single attempts of others as well.
	 */
	private static boolean isUnanswered(Bid bid) {
		return bid.inFlight && !bid.wasAnswered() && bid.failure == null;
	}

	private Handle reenter(Handle outer, Waiter inner) {
		Hold hold = outer.hold();
		boolean renewal = inner.options.autoRenew() && !hold.options.autoRenew();
		hold.openAnother(renewal);
		long missing = now() + inner.options.lease().toNanos() - hold.lease.endsAt();
		boolean renewed = hold.wantsRenewal() && inner.options.lease().compareTo(hold.options.lease()) <= 0;
		if (missing > inner.options.lease().toNanos() / 10 && !renewed) {
			this.core.threads().io(() -> this.extensions.extend(hold, Duration.ofNanos(missing)));
		}
		else if (renewal) {
			this.schedule.next(hold);
		}
		return outer.reenter(renewal);
	}

	/**
	 * Give the lock to a waiter. The gate must be locked.
	 * @return whether there was a waiter; if not, the lease is of no use
	 */
	boolean handTo(@Nullable Waiter waiter, Lease lease, long now) {
		Gate gate = lease.gate;
		if (waiter == null) {
			gate.stripe.removeIfIdle(gate);
			return false;
		}
		Handle handle = Hold.create(lease, waiter, now);
		Hold hold = handle.hold();
		if (logger.isDebugEnabled()) {
			hold.incidents().acquiredAt = new Throwable("Acquired here by '" + hold.ownerName() + "'");
		}
		gate.hold = hold;
		this.schedule.begin(hold);
		waiter.settle(handle);
		return true;
	}

	/**
	 * End the wait of a caller who does not want to wait any longer.
	 * @return the outcome: why there is no lock, or the lock, if it was granted just now
	 */
	Object giveUp(Waiter waiter, Waiter.GivenUp why) {
		Bid abandoned = null;
		Object outcome;
		Gates.Stripe stripe = this.core.gates().stripe(waiter.name);
		stripe.lock.lock();
		try {
			Gate gate = waiter.gate;
			outcome = waiter.outcome();
			if (outcome != null) {
				return outcome;
			}
			outcome = (why == Waiter.GivenUp.TIMED_OUT && gate != null) ? refusal(gate) : why;
			if (gate != null) {
				gate.remove(waiter);
				Bid bid = gate.bid;
				if (bid != null && !gate.hasWaiters()) {
					abandoned = this.bidding.abandon(bid) ? bid : null;
					gate.stripe.removeIfIdle(gate);
				}
			}
			waiter.settle(outcome);
		}
		finally {
			stripe.lock.unlock();
		}
		if (abandoned != null) {
			CompletableFuture<Void> cleanUp = this.leftovers.cleanUp(abandoned);
			if (waiter instanceof BlockingWaiter) {
				awaitBriefly(cleanUp);
			}
		}
		return outcome;
	}

	private Object refusal(Gate gate) {
		if (gate.hold != null) {
			return new Waiter.Busy(localHolder(gate.hold));
		}
		return (gate.bid != null) ? gate.bid.refusal(now()) : new Waiter.Busy(null);
	}

	/**
	 * Wait until nothing is left in the store, so that the caller can rely on it, but not
	 * if the store is slow: it is cleaned up in any case.
	 */
	private void awaitBriefly(CompletableFuture<Void> cleanUp) {
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
	 * Let a future complete where foreign code may run, and not in a thread of the store.
	 */
	<T extends @Nullable Object> CompletableFuture<T> answerElsewhere(CompletableFuture<T> answer) {
		return answer.whenCompleteAsync((value, failure) -> {
		}, this.core.threads()::complete);
	}

	/**
	 * Close a handle; with the last one the lock is passed on or released.
	 */
	Release release(Handle handle) {
		return finish(handle.hold(), handle);
	}

	/**
	 * @param closing the handle that is closed, or {@code null} if nobody can reach one
	 */
	private Release finish(Hold hold, @Nullable Handle closing) {
		Lease lease = hold.lease;
		Gate gate = lease.gate;
		Bid bid = null;
		long linger = 0;
		long now;
		LockEvent.Lost loss;
		gate.stripe.lock.lock();
		try {
			if (closing != null && hold.closeOne(closing.isRenewalByReentry())) {
				return Release.DONE;
			}
			now = now();
			if (hold.isActive() && now >= lease.deadline()) {
				this.losses.expire(hold, now);
			}
			if (hold.wasInterrupted() && hold.owner == Thread.currentThread()) {
				// The interrupt was meant for the work under the lock, which is over
				Thread.interrupted();
			}
			loss = hold.loss();
			if (loss == null) {
				if (!hold.isActive()) {
					return Release.DONE;
				}
				linger = hold.minHoldLeft(now);
				hold.state(LockState.RELEASED);
				if (linger == 0 && passOn(lease, now)) {
					linger = -1;
				}
				else {
					bid = this.bidding.vacate(hold, now);
					this.releases.owe();
				}
			}
			else if (mayBeLeft(loss)) {
				this.releases.owe();
			}
		}
		finally {
			gate.stripe.lock.unlock();
		}
		if (loss != null) {
			if (mayBeLeft(loss)) {
				giveBack(hold);
			}
			return Release.lost(loss);
		}
		if (linger < 0) {
			this.core.announcer().released(hold, now);
			return Release.DONE;
		}
		CompletableFuture<ReleaseOutcome> told = (linger > 0) ? linger(lease, linger)
				: this.core.store().release(gate.name, this.core.token(lease));
		if (bid != null) {
			// Before anybody is told of the release, and may come to wait for this bid
			this.bidding.send(bid);
		}
		return Release.asked(gate.name, told.handle((outcome, failure) -> ended(hold, outcome, failure, now)));
	}

	/**
	 * Hand the lease to the next local waiter, if that is fair to other instances and
	 * enough of the lease is left. The gate must be locked.
	 */
	private boolean passOn(Lease lease, long now) {
		Gate gate = lease.gate;
		Waiter next = gate.firstWaiter();
		if (next == null || lease.handoffsLeft == 0
				|| now - lease.grantedAt >= LeaseTimes.nanos(this.core.settings().handoffWindow())) {
			return false;
		}
		long enough = Math.min(next.options.lease().toNanos() / 2, 1000 * LeaseTimes.MILLI);
		if (lease.deadline() - now < enough) {
			return false;
		}
		lease.handoffsLeft--;
		return handTo(gate.poll(), lease, now);
	}

	/**
	 * Leave the lock to the end of its minimum hold.
	 */
	private CompletableFuture<ReleaseOutcome> linger(Lease lease, long left) {
		LeaseExtension rest = new LeaseExtension(lease.gate.name, this.core.token(lease), Duration.ofNanos(left));
		return this.core.store().extend(List.of(rest)).get(0).thenApply((outcome) -> switch (outcome) {
			case EXTENDED -> ReleaseOutcome.RELEASED;
			case ABSENT -> ReleaseOutcome.ABSENT;
			case OTHER -> ReleaseOutcome.OTHER;
		});
	}

	private RuntimeException releaseFailed(Hold hold, Throwable failure) {
		RuntimeException problem = Failures.inCaller(hold.lease.gate.name, failure);
		logger.warn("Lock '" + hold.lease.gate.name
				+ "' was released, but the lock store could not be told. It is told again in the background, or the lock ends with its lease. "
				+ problem.getMessage());
		this.core.announcer().tell(new LockEvent.ReleaseFailed(hold.lease.gate.name, hold.options.label(), problem));
		return problem;
	}

	private LockEvent.@Nullable Lost ended(Hold hold, @Nullable ReleaseOutcome outcome, @Nullable Throwable failure,
			long now) {
		Lease lease = hold.lease;
		this.releases.settle();
		if (failure != null) {
			if (hold.minHoldLeft(now) == 0) {
				this.releases.retryLater(lease.gate.name, this.core.token(lease), lease.endsAt(), failure);
			}
			throw releaseFailed(hold, failure);
		}
		if (outcome == ReleaseOutcome.RELEASED) {
			this.core.announcer().released(hold, now);
			return null;
		}
		return this.losses.atRelease(hold, outcome == ReleaseOutcome.OTHER, now);
	}

	/**
	 * Whether the store may still keep a lock that was lost: a renewal may have been
	 * carried out of which we know nothing.
	 */
	private static boolean mayBeLeft(LockEvent.Lost loss) {
		return switch (loss.cause()) {
			case LEASE_EXPIRED, MAX_HOLD_REACHED, STORE_UNREACHABLE, PROCESS_PAUSED -> true;
			case KEY_VANISHED, TAKEN_BY_OTHER -> false;
			// Given back when they were lost
			case OWNER_DIED, SHUTDOWN -> false;
		};
	}

	/**
	 * Give a lost lock back in the thread for I/O. The gate must be locked.
	 */
	void giveBackLater(Hold hold) {
		this.releases.owe();
		this.core.threads().io(() -> giveBack(hold));
	}

	/**
	 * Give a lost lock back that may still be in the store.
	 */
	private void giveBack(Hold hold) {
		this.releases.release(hold.lease.gate.name, this.core.token(hold.lease), hold.options.lease().toNanos());
	}

	/**
	 * Release a hold whose handle nobody can reach any more.
	 */
	void releaseForgotten(Hold hold) {
		if (hold.isActive()) {
			logger.warn("The handle of lock '" + hold.lease.gate.name
					+ "' was never closed and nobody refers to it any more; the lock is released now. Close handles in a finally block or with try-with-resources"
					+ ((hold.acquiredAt() != null) ? "." : "; log " + LockEngine.class.getName()
							+ " at debug level to see where the lock was acquired."),
					hold.acquiredAt());
			finish(hold, null);
		}
	}

	void waiveMinHold(Hold hold) {
		Gates.Stripe stripe = hold.lease.gate.stripe;
		stripe.lock.lock();
		try {
			hold.waiveMinHold();
		}
		finally {
			stripe.lock.unlock();
		}
	}

	LockInfo localHolder(Hold hold) {
		return new LockInfo(hold.lease.gate.name,
				"this instance (" + this.core.settings().instanceName() + ", " + hold.ownerName() + ")",
				Duration.ofNanos(Math.max(0, hold.lease.endsAt() - now())));
	}

	/**
	 * Return who holds a lock, for people.
	 * @param token the token in the store
	 */
	String describe(String token) {
		int tilde = token.indexOf('~');
		if (tilde <= 0 || token.lastIndexOf(':') < tilde) {
			return "another client (" + LockNames.printable(token) + ")";
		}
		return LockNames.printable(token.substring(0, tilde))
				+ (token.startsWith(this.core.instance()) ? " (this instance)" : "");
	}

	/**
	 * Let nobody in any more, wait for the holders, then take from them what they still
	 * hold.
	 * @param grace how long to wait
	 */
	void close(Duration grace) {
		this.closing = true;
		List<Bid> abandoned = new ArrayList<>();
		List<Bid> leftToSenders = new ArrayList<>();
		this.core.gates().forEach((gate) -> {
			gate.settleWaiters(Gate.Which.ALL, closed(gate.name));
			if (gate.bid != null) {
				Bid bid = gate.bid;
				(this.bidding.abandon(bid) ? abandoned : leftToSenders).add(bid);
				gate.stripe.removeIfIdle(gate);
			}
		});
		List<CompletableFuture<?>> answers = new ArrayList<>();
		abandoned.forEach((bid) -> answers.add(this.leftovers.cleanUp(bid)));
		awaitHolders(now() + LeaseTimes.nanos(grace));
		List<Hold> rest = new ArrayList<>();
		this.core.gates().forEach((gate) -> {
			if (gate.hold != null) {
				Hold hold = gate.hold;
				rest.add(hold);
				this.losses.lose(hold, LossCause.SHUTDOWN,
						"The application shut down and did not finish the work in time.", now());
			}
		});
		for (Hold hold : rest) {
			answers.add(this.core.store().release(hold.lease.gate.name, this.core.token(hold.lease)));
		}
		CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).handle((all, failure) -> null).join();
		awaitSenders(leftToSenders);
		this.core.timer().close();
		this.core.threads().close();
	}

	private void awaitHolders(long until) {
		park(() -> isAnyHeld() && now() < until);
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
		awaitBriefly(drained);
		park(() -> !isNothingOwed() && System.nanoTime() < end);
	}

	/**
	 * Whether nothing is to be released by anybody at this moment.
	 */
	boolean isNothingOwed() {
		return this.releases.isNoneOwed();
	}

	private void park(BooleanSupplier needed) {
		boolean interrupted = false;
		while (needed.getAsBoolean()) {
			LockSupport.parkNanos(this, DRAIN_CHECK);
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

	private static LockUnavailableException closed(String name) {
		return new LockUnavailableException(name,
				"Lock '" + name + "' cannot be acquired: the lock service is shutting down.", null);
	}

}
