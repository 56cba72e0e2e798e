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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.Printable;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends releases to the store: of locks whose holders are done, and of attempts that were
 * abandoned. Callers that wait for the answer wait only for the first one. A release
 * without an answer is repeated in the background until it is answered or the lease has
 * ended.
 *
 * <p>
 * A release is decided on with the gate locked, where it is noted as {@linkplain #owe()
 * owed}, and sent after the gate was unlocked. A shutdown of the engine can therefore
 * wait for it.
 */
final class Cleanup {

	private static final Log logger = LogFactory.getLog(Cleanup.class);

	/** The lock need not stay taken. */
	static final long AT_ONCE = Long.MIN_VALUE;

	private static final int MOST = 10_000;

	private static final long INTERVAL = Duration.ofMillis(500).toNanos();

	private final LockStore store;

	private final LongSupplier clock;

	private final LeaseTimer timer;

	private final Executor io;

	private final long patience;

	private final AtomicInteger pending = new AtomicInteger();

	/** Releases that are decided on, and whose first attempt has not ended. */
	private final AtomicInteger owed = new AtomicInteger();

	/**
	 * Create a clean-up.
	 * @param store the store that receives the releases
	 * @param clock the time
	 * @param timer schedules the next attempt
	 * @param io runs the next attempt
	 * @param patience how long a caller waits for the confirmation that nothing is left
	 */
	Cleanup(LockStore store, LongSupplier clock, LeaseTimer timer, Executor io, Duration patience) {
		this.store = store;
		this.clock = clock;
		this.timer = timer;
		this.io = io;
		this.patience = TimeUnit.NANOSECONDS.convert(patience);
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

	/**
	 * End a lease whose holder is done and which is owed to the store: now, or with a
	 * minimum hold. Repeated until it is answered.
	 * @param keepUntil until when the lock has to stay taken, at most to the end of its
	 * lease, or {@link #AT_ONCE}
	 * @param end when the lease ends at the latest in any case: a request that was under
	 * way when its holder was done may have lengthened it
	 * @return a future of the first answer
	 */
	CompletableFuture<@Nullable ReleaseOutcome> end(String name, LockToken token, long keepUntil, LongSupplier end) {
		CompletableFuture<@Nullable ReleaseOutcome> answer = pay(name, token, keepUntil);
		if (answer.isDone() && !answer.isCompletedExceptionally()) {
			this.owed.decrementAndGet();
			return answer;
		}
		return answer.whenComplete((outcome, failure) -> {
			this.owed.decrementAndGet();
			if (failure != null) {
				retryLater(new Debt(name, token, keepUntil), end.getAsLong(), failure);
			}
		});
	}

	/**
	 * Release what is owed now and, if that is not answered, again.
	 * @param until when nothing is left to be released
	 * @return a future that completes normally when the first attempt was answered or
	 * failed
	 */
	CompletableFuture<@Nullable ReleaseOutcome> release(String name, LockToken token, long until) {
		return end(name, token, AT_ONCE, () -> until).exceptionally((failure) -> null);
	}

	/**
	 * Release a lock whose holder is done. A lock that has to stay taken until the end of
	 * its minimum hold gets a lease of that length.
	 */
	@SuppressWarnings("NullAway") // a future of an answer is one of an answer or none
	private CompletableFuture<@Nullable ReleaseOutcome> pay(String name, LockToken token, long keepUntil) {
		long left = (keepUntil != AT_ONCE) ? keepUntil - this.clock.getAsLong() : 0;
		if (left <= 0) {
			return this.store.release(name, token);
		}
		LeaseExtension rest = new LeaseExtension(name, token, Duration.ofNanos(left), LeaseExtension.Mode.EXACTLY);
		return this.store.extend(List.of(rest)).get(0).thenApply((outcome) -> switch (outcome) {
			case EXTENDED -> ReleaseOutcome.RELEASED;
			case ABSENT -> ReleaseOutcome.ABSENT;
			case OTHER -> ReleaseOutcome.OTHER;
		});
	}

	/**
	 * Release later, until it is answered or the lease has ended.
	 */
	private void retryLater(Debt debt, long until, Throwable failure) {
		if (Failures.unwrap(failure) instanceof LockConfigurationException) {
			logger.warn("Lock '" + Printable.of(debt.name)
					+ "' could not be released and stays taken until its lease ends. " + failure.getMessage());
			return;
		}
		if (this.clock.getAsLong() + INTERVAL >= until) {
			return;
		}
		if (this.pending.incrementAndGet() > MOST) {
			this.pending.decrementAndGet();
			logger.warn("More than " + MOST + " releases wait for the lock store. Lock '" + Printable.of(debt.name)
					+ "' is not released but left to the end of its lease.");
			return;
		}
		this.timer.schedule(new Retry(debt, until), this.clock.getAsLong() + INTERVAL);
	}

	private void retry(Retry retry) {
		pay(retry.debt.name, retry.debt.token, retry.debt.keepUntil).whenComplete((outcome, failure) -> {
			this.pending.decrementAndGet();
			if (failure != null) {
				retryLater(retry.debt, retry.until, failure);
			}
		});
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
	 * @param name the name of the lock
	 * @param token the token that releases it
	 * @param keepUntil until when the lock has to stay taken
	 */
	private record Debt(String name, LockToken token, long keepUntil) {

	}

	private final class Retry extends LeaseTimer.Timed {

		private final Debt debt;

		private final long until;

		Retry(Debt debt, long until) {
			this.debt = debt;
			this.until = until;
		}

		@Override
		void fire(long now) {
			Cleanup.this.io.execute(() -> retry(this));
		}

	}

}
