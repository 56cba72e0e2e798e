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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.internal.DeferredInterrupts;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.Printable;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends releases to the store, for locks whose holders have finished and for abandoned
 * attempts. A release without an answer is repeated in the background until it is
 * answered or the lease has ended; callers wait for the first attempt only.
 *
 * <p>
 * A release is decided on with the gate locked, where it is noted as {@linkplain #owe()
 * owed}, and sent after the gate was unlocked. A shutdown can therefore wait for it.
 *
 * <p>
 * Releases without a waiting caller, such as repetitions and releases at a shutdown, are
 * limited to a few hundred requests under way, so that many locks do not delay the store
 * for all callers.
 */
final class Cleanup {

	private static final Log logger = LogFactory.getLog(Cleanup.class);

	/** The lock need not stay taken. */
	static final long AT_ONCE = Long.MIN_VALUE;

	private static final int MOST = 10_000;

	private static final int MOST_AT_A_TIME = 256;

	private static final long NANOS_PER_SECOND = 1_000_000_000L;

	private static final long INTERVAL = Duration.ofMillis(500).toNanos();

	private final LockStore store;

	private final LongSupplier clock;

	private final LeaseTimer timer;

	private final Executor io;

	private final long patience;

	/** Told of each failure of the store. */
	private final Consumer<Throwable> onFailure;

	/** The releases that have had no answer so far and are repeated. */
	private final Set<Debt> pending = ConcurrentHashMap.newKeySet();

	/** The releases that wait for their turn. */
	private final Queue<Debt> unsent = new ConcurrentLinkedQueue<>();

	private final Semaphore turns = new Semaphore(MOST_AT_A_TIME);

	/** Number of owed releases with an unfinished first attempt. */
	private final AtomicInteger owed = new AtomicInteger();

	/** The releases that were refused while this was being closed. */
	private final Queue<Debt> givenUp = new ConcurrentLinkedQueue<>();

	private final BoundedLog refusals;

	private volatile Phase phase = Phase.OPEN;

	private volatile @Nullable Throwable latestFailure;

	private volatile boolean tooMany;

	Cleanup(LockStore store, LongSupplier clock, LeaseTimer timer, Executor io, Duration patience,
			Consumer<Throwable> onFailure) {
		this.store = store;
		this.clock = clock;
		this.timer = timer;
		this.io = io;
		this.patience = TimeUnit.NANOSECONDS.convert(patience);
		this.onFailure = onFailure;
		this.refusals = new BoundedLog("could not be released and stay taken until their leases end", timer,
				io::execute, logger::warn);
	}

	/**
	 * Note that a release is going to follow. Called with the gate locked, because the
	 * state that reveals the release to others changes under the same lock.
	 */
	void owe() {
		this.owed.incrementAndGet();
	}

	boolean isNoneOwed() {
		return this.owed.get() == 0;
	}

	int left() {
		return this.owed.get() + this.pending.size();
	}

	/**
	 * End an owed lease after its holder has finished: now, or at the end of the minimum
	 * hold. Repeated until the store answers.
	 * @param limit the limit with which the lock was acquired
	 * @param keepUntil until when the lock has to stay taken, or {@link #AT_ONCE}
	 * @param end when the lease ends at the latest: a request that was under way when its
	 * holder was done may have lengthened it
	 */
	CompletableFuture<@Nullable ReleaseOutcome> end(String name, LockToken token, int limit, long keepUntil,
			LongSupplier end) {
		return pay(name, token, limit, keepUntil, end, true);
	}

	private CompletableFuture<@Nullable ReleaseOutcome> pay(String name, LockToken token, int limit, long keepUntil,
			LongSupplier end, boolean held) {
		CompletableFuture<@Nullable ReleaseOutcome> answer = pay(name, token, limit, keepUntil);
		if (answer.isDone() && !answer.isCompletedExceptionally()) {
			this.owed.decrementAndGet();
			return answer;
		}
		return answer.whenComplete((outcome, failure) -> {
			try {
				if (failure != null) {
					retryLater(new Debt(name, token, limit, keepUntil, end.getAsLong(), held), failure);
				}
			}
			finally {
				this.owed.decrementAndGet();
			}
		});
	}

	/**
	 * Release an owed lock now, and repeat the release if the store does not answer. The
	 * limit does not matter: only a minimum hold depends on it.
	 * @param until when nothing is left to be released
	 * @return a future that completes normally when the first attempt was answered or
	 * failed
	 */
	CompletableFuture<@Nullable ReleaseOutcome> release(String name, LockToken token, long until) {
		return pay(name, token, 1, AT_ONCE, () -> until, false).exceptionally((failure) -> null);
	}

	/**
	 * Release a lock after its holder has finished. During its minimum hold, the lock
	 * gets a lease until the end of that hold instead.
	 */
	@SuppressWarnings("NullAway") // a future of an answer is one of an answer or none
	private CompletableFuture<@Nullable ReleaseOutcome> pay(String name, LockToken token, int limit, long keepUntil) {
		long left = (keepUntil != AT_ONCE) ? keepUntil - this.clock.getAsLong() : 0;
		if (left <= 0) {
			return this.store.release(name, token);
		}
		LeaseExtension rest = new LeaseExtension(name, token, Duration.ofNanos(left), LeaseExtension.Mode.EXACTLY,
				limit);
		return this.store.extend(List.of(rest)).get(0).thenApply((outcome) -> switch (outcome) {
			case EXTENDED -> ReleaseOutcome.RELEASED;
			case ABSENT -> ReleaseOutcome.ABSENT;
			case OTHER -> ReleaseOutcome.OTHER;
		});
	}

	/**
	 * Queue an owed release, and repeat it until the store answers.
	 */
	void enqueue(Debt debt) {
		this.unsent.add(debt);
		sendUnsent();
	}

	private void sendUnsent() {
		while (!this.unsent.isEmpty() && isSendingAllowed() && this.turns.tryAcquire()) {
			Debt debt = this.unsent.poll();
			if (debt != null) {
				send(debt);
			}
			else {
				this.turns.release();
			}
		}
	}

	private boolean isSendingAllowed() {
		return this.phase == Phase.OPEN || this.phase == Phase.CLOSING;
	}

	private void send(Debt debt) {
		CompletableFuture<@Nullable ReleaseOutcome> answer = pay(debt.name, debt.token, debt.limit, debt.keepUntil);
		boolean answeredAtOnce = answer.isDone();
		answer.whenComplete((outcome, failure) -> {
			answered(debt, failure);
			if (!answeredAtOnce && !this.unsent.isEmpty()) {
				// Not in the thread that answers
				this.io.execute(this::sendUnsent);
			}
		});
	}

	private void answered(Debt debt, @Nullable Throwable failure) {
		boolean repeated = this.pending.contains(debt);
		try {
			if (failure != null) {
				retryLater(debt, failure);
			}
			else {
				this.pending.remove(debt);
			}
		}
		finally {
			if (!repeated) {
				this.owed.decrementAndGet();
			}
			this.turns.release();
		}
	}

	private void retryLater(Debt debt, Throwable failure) {
		long now = this.clock.getAsLong();
		if (this.phase == Phase.CLOSED) {
			logger.warn(debt.stays(now) + ' ' + message(failure));
		}
		else if (now + INTERVAL >= debt.until) {
			this.pending.remove(debt);
		}
		else if (Failures.unwrap(failure) instanceof LockConfigurationException) {
			this.pending.remove(debt);
			giveUp(debt, failure, now);
		}
		else if (this.phase == Phase.OPEN && this.pending.size() >= MOST && !this.pending.contains(debt)) {
			tooMany(debt, now);
		}
		else {
			this.latestFailure = failure;
			this.tooMany &= this.pending.size() > MOST / 2;
			this.pending.add(debt);
			this.timer.schedule(new Retry(debt), now + INTERVAL);
		}
		this.onFailure.accept(failure);
	}

	/**
	 * Logged once, until there are fewer again.
	 */
	private void tooMany(Debt debt, long now) {
		if (!this.tooMany) {
			this.tooMany = true;
			logger.warn("More than " + MOST
					+ " releases wait for the lock store. Until it answers, further ones are not repeated, and their locks end with their leases. The first one: "
					+ debt.stays(now));
		}
	}

	private void giveUp(Debt debt, Throwable failure, long now) {
		if (this.phase == Phase.OPEN) {
			this.refusals.log(debt.name, now, () -> logger.warn(debt.stays(now) + ' ' + message(failure)));
		}
		else {
			this.latestFailure = failure;
			this.givenUp.add(debt);
		}
	}

	private static String message(Throwable failure) {
		return Printable.of(String.valueOf(Failures.unwrap(failure).getMessage()));
	}

	// The end

	/**
	 * From now on, the number of releases is not limited, and {@link #close()} reports
	 * what could not be released.
	 */
	void beginToClose() {
		this.phase = Phase.CLOSING;
	}

	void stop() {
		this.phase = Phase.STOPPED;
	}

	/**
	 * Whether a release that was sent in its turn has not been answered. The store
	 * answers within its command timeout, or fails.
	 */
	boolean isSending() {
		return this.turns.availablePermits() < MOST_AT_A_TIME;
	}

	/**
	 * Report what stays in the store.
	 */
	void close() {
		this.phase = Phase.CLOSED;
		Set<Debt> left = new LinkedHashSet<>(this.givenUp);
		left.addAll(this.unsent);
		left.addAll(this.pending);
		this.givenUp.clear();
		this.unsent.clear();
		this.pending.clear();
		long now = this.clock.getAsLong();
		left.removeIf((debt) -> debt.until <= now);
		Throwable failure = this.latestFailure;
		String latest = (failure != null) ? " The last failure was: " + message(failure) : "";
		report(left.stream().filter(Debt::held).toList(), now, latest);
		report(left.stream().filter((debt) -> !debt.held).toList(), now, latest);
	}

	private static void report(List<Debt> left, long now, String latest) {
		if (left.size() <= BoundedLog.MOST_LINES) {
			// Several may be of one lock
			left.stream().map((debt) -> debt.stays(now) + latest).distinct().forEach(logger::warn);
		}
		else {
			long longest = left.stream().mapToLong((debt) -> debt.seconds(now)).max().orElseThrow();
			logger.warn(left.size() + " locks " + (left.get(0).held
					? "could not be released and stay taken until their leases end"
					: "were given up, which the lock store has not confirmed; those that were taken stay taken until their leases end")
					+ ", in " + Printable.of(Duration.ofSeconds(longest)) + " at most: "
					+ BoundedLog.some(left.stream().map(Debt::name)) + latest);
		}
	}

	/**
	 * Wait until nothing is left in the store, so that the caller can rely on it, but not
	 * if the store is slow: it is cleaned up in any case.
	 */
	void awaitBriefly(CompletableFuture<?> cleanUp) {
		DeferredInterrupts.await(cleanUp, this.patience);
	}

	/**
	 * A release that the store has not confirmed yet.
	 *
	 * @param keepUntil until when the lock has to stay taken, or {@link #AT_ONCE}
	 * @param until when nothing is left to be released
	 * @param held whether the lock was held, or may have been taken by a request that was
	 * not answered
	 */
	record Debt(String name, LockToken token, int limit, long keepUntil, long until, boolean held) {

		private String stays(long now) {
			return "Lock '" + Printable.of(this.name) + "' " + (this.held
					? "could not be released and stays taken until its lease ends"
					: "was given up, which the lock store has not confirmed; if it was taken, it stays taken until its lease ends")
					+ ", in " + Printable.of(Duration.ofSeconds(seconds(now))) + " at most.";
		}

		private long seconds(long now) {
			return Math.max(0, (this.until - now + NANOS_PER_SECOND - 1) / NANOS_PER_SECOND);
		}

	}

	private enum Phase {

		OPEN, CLOSING, STOPPED, CLOSED

	}

	private final class Retry extends LeaseTimer.Timed {

		private final Debt debt;

		Retry(Debt debt) {
			this.debt = debt;
		}

		@Override
		void fire(long now) {
			Cleanup.this.io.execute(() -> enqueue(this.debt));
		}

	}

}
