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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockEvent;
import io.distributedlock.LockInfo;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockListener;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockObserver;
import io.distributedlock.LockOptions;
import io.distributedlock.LossCause;
import io.distributedlock.engine.Waiter.Outcome;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.KnownLosses;
import io.distributedlock.internal.Printable;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Tells callers, listeners, the observer and the log what happened to a lock. All of them
 * are foreign code: it is called without a locked gate, its exceptions are logged, and no
 * lock depends on it. Events of the engine are reported in the thread for callbacks, in
 * the order of their occurrence, and events of a caller in the thread of that caller.
 */
final class Announcer {

	private static final Log logger = LogFactory.getLog(Announcer.class);

	/** So many names are warned of. */
	private static final int MOST_WARNINGS = 100;

	private final List<LockListener> listeners;

	private final @Nullable LockObserver observer;

	private final LongSupplier clock;

	private final EngineThreads threads;

	private final BoundedLog losses;

	private final BoundedLog longHolds;

	private final BoundedLog failedReleases;

	private final BoundedLog forgottenHandles;

	private final LastLosses lastLosses = new LastLosses();

	/** Names that are used with different permits. */
	private final Set<String> inconsistent = ConcurrentHashMap.newKeySet();

	Announcer(List<LockListener> listeners, @Nullable LockObserver observer, LongSupplier clock, EngineThreads threads,
			LeaseTimer timer) {
		this.listeners = List.copyOf(listeners);
		this.observer = observer;
		this.clock = clock;
		this.threads = threads;
		this.losses = new BoundedLog("were lost", timer, threads::callback, logger::error);
		this.longHolds = new BoundedLog("have been held for long and are still renewed", timer, threads::callback,
				logger::warn);
		this.failedReleases = new BoundedLog("were released without reaching the lock store", timer, threads::callback,
				logger::warn);
		this.forgottenHandles = new BoundedLog("had handles that were never closed, and were released", timer,
				threads::callback, logger::warn);
	}

	/**
	 * Log what was only counted so far.
	 */
	void summarize() {
		List.of(this.losses, this.longHolds, this.failedReleases, this.forgottenHandles).forEach(BoundedLog::summarize);
	}

	private boolean isToldOf() {
		return !this.listeners.isEmpty() || this.observer != null;
	}

	/**
	 * Whether anybody is told when a hold ends.
	 */
	boolean isToldOfEnd(Hold hold) {
		return !this.listeners.isEmpty() || hold.observed() != null;
	}

	// Callers

	/**
	 * Turn the outcome of a wait into the result for the caller, and announce it.
	 * @throws RuntimeException why there is no lock
	 */
	Handle conclude(Waiter waiter, Outcome outcome) {
		if (outcome instanceof Handle handle) {
			if (handle.isOutermost()) {
				acquired(waiter, handle.hold());
			}
			return handle;
		}
		long now = this.clock.getAsLong();
		if (outcome instanceof Outcome.Busy busy) {
			notAcquired(waiter, LockEvent.Reason.BUSY, now, busy.holder(), null);
			throw new LockNotAcquiredException(waiter.name,
					waiter.options.waitTime().isZero() ? Duration.ZERO : Duration.ofNanos(now - waiter.since),
					busy.holder());
		}
		if (outcome instanceof Outcome.Failed failed) {
			notAcquired(waiter, LockEvent.Reason.UNAVAILABLE, now, null, failed.failure());
			throw Failures.inCaller(waiter.name, failed.failure());
		}
		notAcquired(waiter, LockEvent.Reason.INTERRUPTED, now, null, null);
		throw new LockInterruptedException(waiter.name);
	}

	/**
	 * Announce that a lock is held elsewhere, to a caller that takes {@code null} for it.
	 */
	@Nullable Handle busy(Waiter waiter, Outcome.Busy busy) {
		notAcquired(waiter, LockEvent.Reason.BUSY, this.clock.getAsLong(), busy.holder(), null);
		return null;
	}

	private void acquired(Waiter waiter, Hold hold) {
		if (isToldOf()) {
			LockEvent.Acquired event = new LockEvent.Acquired(waiter.name, hold.options().declaredName(),
					Duration.ofNanos(hold.since - waiter.since), waiter.contended, hold.fencingToken,
					hold.options().lease());
			tell(event);
			observe(waiter, hold, event);
		}
		if (logger.isDebugEnabled()) {
			Throwable acquiredAt = new Throwable("Acquired here by '" + hold.ownerName() + "'");
			hold.lease.gate.locked(() -> hold.incidents().acquiredAt = acquiredAt);
		}
	}

	private static String howToTrace() {
		return "; log " + Announcer.class.getName() + " at debug level to see where the lock was acquired.";
	}

	/**
	 * The observer is about to remember the hold, which may be lost meanwhile.
	 */
	private void observe(Waiter waiter, Hold hold, LockEvent.Acquired event) {
		LockObserver observer = this.observer;
		if (observer == null) {
			return;
		}
		guard((told) -> {
			Object observed = observer.onAcquired(waiter.asking, told, hold.ownerName(),
					Duration.ofNanos(this.clock.getAsLong() - waiter.since));
			LockEvent.Lost loss = hold.lease.gate.locked(() -> {
				hold.observed(observed);
				return hold.loss();
			});
			if (loss != null) {
				observer.onEnded(observed, loss, hold.ownerName());
			}
		}, event);
	}

	private void notAcquired(Waiter waiter, LockEvent.Reason reason, long now, @Nullable LockInfo holder,
			@Nullable Throwable failure) {
		if (isToldOf()) {
			LockEvent.NotAcquired event = new LockEvent.NotAcquired(waiter.name, waiter.options.declaredName(),
					Duration.ofNanos(now - waiter.since), reason);
			tell(event);
			LockObserver observer = this.observer;
			if (observer != null) {
				guard((told) -> observer.onNotAcquired(waiter.asking, told, holder, failure), event);
			}
		}
	}

	/**
	 * Warn if the holders of a lock asked for other permits than the callers of this
	 * instance.
	 */
	void compare(String name, int here, AcquireOutcome.Busy busy) {
		int there = busy.permits();
		if (here != there && isNumber(here) && isNumber(there) && this.inconsistent.size() < MOST_WARNINGS
				&& this.inconsistent.add(name)) {
			logger.warn("Lock '" + Printable.of(name) + "' is wanted with " + here + " permits and held with " + there
					+ ". While both are in use, the smaller number counts. Give all callers the same permits, unless a deployment is just changing them.");
		}
	}

	private static boolean isNumber(int limit) {
		return limit > 1 && limit != AcquireRequest.NO_LIMIT;
	}

	// The end of a hold

	void released(Hold hold, long now) {
		if (isToldOfEnd(hold)) {
			LockEvent.Released event = new LockEvent.Released(hold.lease.gate.name, hold.options().declaredName(),
					Duration.ofNanos(now - hold.since), hold.fencingToken, hold.options().lease());
			tell(event);
			endObservation(hold, event);
		}
	}

	RuntimeException releaseFailed(Hold hold, Throwable failure, long now) {
		RuntimeException problem = logReleaseFailed(hold, failure);
		LockEvent.ReleaseFailed event = new LockEvent.ReleaseFailed(hold.lease.gate.name, hold.options().declaredName(),
				Duration.ofNanos(now - hold.since), hold.fencingToken, hold.options().lease(), problem);
		tell(event);
		endObservation(hold, event);
		return problem;
	}

	/**
	 * Announce a loss in the thread for callbacks. Called with the gate locked.
	 * @return what is left to do after the gate was unlocked, or {@code null}
	 */
	@Nullable Runnable lost(Hold hold, LockEvent.Lost loss) {
		String holder = hold.ownerName();
		this.lastLosses.remember(loss, holder, this.clock.getAsLong());
		Object observed = hold.observed();
		boolean observerInformed = hold.isObserverInformed();
		// A shutdown may take any number of locks, and logs that itself
		boolean logged = loss.cause() == LossCause.SHUTDOWN;
		String consequence = (hold.isOpen() && loss.cause() != LossCause.OWNER_DIED)
				? "Unless the work is interrupted, it goes on beside the next holder." : "";
		boolean announced = this.threads.callback(() -> {
			if (!logged) {
				logBounded(loss, holder, consequence);
			}
			tell(loss);
			LockObserver observer = this.observer;
			if (observer != null && observerInformed) {
				guard((told) -> observer.onEnded(observed, told, holder), loss);
			}
		});
		return (announced || logged) ? null : () -> logBounded(loss, holder, consequence);
	}

	List<KnownLosses.Loss> lastLosses() {
		return this.lastLosses.latestFirst(this.clock.getAsLong());
	}

	private void logBounded(LockEvent.Lost loss, String holder, String consequence) {
		this.losses.log(loss.name(), this.clock.getAsLong(), () -> log(loss, holder, consequence));
	}

	/**
	 * Call a holder back, with a task for each callback: one may block, for example until
	 * it has the lock again. The next one is then called in another thread, so that the
	 * order of registration is usual, but not promised.
	 */
	void callBack(List<Consumer<LockEvent.Lost>> callbacks, LockEvent.Lost loss) {
		if (callbacks.isEmpty()) {
			return;
		}
		this.threads.completions().execute(() -> {
			try {
				// Comes next in this thread, or elsewhere if it is not free soon
				callBack(callbacks.subList(1, callbacks.size()), loss);
			}
			finally {
				guard(callbacks.get(0), loss);
			}
		});
	}

	/**
	 * Called with the gate locked.
	 */
	void heldLong(Hold hold, long now) {
		String name = hold.lease.gate.name;
		Duration held = Duration.ofNanos(now - hold.since);
		Duration lease = hold.options().lease();
		Thread owner = hold.owner();
		String holder = hold.ownerName();
		this.threads.callback(() -> this.longHolds.log(name, now, () -> logLongHold(name, held, lease, owner, holder)));
	}

	// Listeners

	void tellInOrder(LockEvent event) {
		if (!this.listeners.isEmpty()) {
			this.threads.callback(() -> tell(event));
		}
	}

	private void tell(LockEvent event) {
		for (LockListener listener : this.listeners) {
			guard(listener::onLockEvent, event);
		}
	}

	private static <E extends LockEvent> void guard(Consumer<? super E> consumer, E event) {
		try {
			consumer.accept(event);
		}
		catch (Throwable ex) {
			// No exception of user code may cost a caller the handle
			logger.warn("A listener failed to handle an event of lock '" + Printable.of(event.name())
					+ "'. The lock is not affected.", ex);
		}
	}

	// The observer

	@Nullable Object asking() {
		if (this.observer == null) {
			return null;
		}
		try {
			return this.observer.onRequest();
		}
		catch (Throwable ex) {
			logger.warn("The lock observer failed when a lock was requested. The lock is not affected.", ex);
			return null;
		}
	}

	private void endObservation(Hold hold, LockEvent event) {
		LockObserver observer = this.observer;
		if (observer != null && hold.observed() != null) {
			guard((told) -> observer.onEnded(hold.observed(), told, hold.ownerName()), event);
		}
	}

	LockObserver.@Nullable Scope openScope(Handle handle) {
		LockObserver observer = this.observer;
		if (observer == null) {
			return null;
		}
		try {
			LockObserver.Scope scope = observer.openScope(handle.hold().observed(), handle);
			return (scope != null) ? () -> close(scope) : null;
		}
		catch (Throwable ex) {
			scopeFailed(ex);
			return null;
		}
	}

	private static void close(LockObserver.Scope scope) {
		try {
			scope.close();
		}
		catch (Throwable ex) {
			scopeFailed(ex);
		}
	}

	private static void scopeFailed(Throwable failure) {
		logger.warn("The lock observer failed to surround the work under a lock. The lock is not affected.", failure);
	}

	Map<String, Object> contextValues(Hold hold) {
		if (this.observer == null) {
			return Map.of();
		}
		try {
			return this.observer.contextValues(hold.observed());
		}
		catch (Throwable ex) {
			scopeFailed(ex);
			return Map.of();
		}
	}

	// The log

	/**
	 * A deliberate loss is not an error.
	 * @param consequence a sentence, or an empty text; not part of the explanation, which
	 * an exception repeats when the work has ended
	 */
	static void log(LockEvent.Lost loss, String holder, String consequence) {
		String explanation = Printable.of(loss.explanation());
		String message = "Lock '" + Printable.of(loss.name()) + "' was lost " + Printable.elapsed(loss.held())
				+ " after it was acquired by '" + Printable.of(holder) + "'"
				+ (Set.of(loss.name(), LockOptions.UNDECLARED).contains(loss.declaredName()) ? ""
						: ", declared as '" + Printable.of(loss.declaredName()) + "'")
				+ ". " + (consequence.isEmpty() ? explanation : Printable.joined(explanation, consequence));
		if (loss.cause() == LossCause.SHUTDOWN || loss.cause() == LossCause.FORCED) {
			logger.warn(message);
		}
		else {
			logger.error(message);
		}
	}

	RuntimeException logReleaseFailed(Hold hold, Throwable failure) {
		String name = hold.lease.gate.name;
		RuntimeException problem = Failures.inCaller(name, failure);
		if (Failures.unwrap(failure) instanceof LockConfigurationException) {
			// The clean-up repeats no release that was refused, and says so
			return problem;
		}
		this.failedReleases.log(name, this.clock.getAsLong(), () -> logger.warn("Lock '" + Printable.of(name)
				+ "' was released, but the release did not reach the lock store. It is repeated in the background; at the latest, the lock ends with its lease. "
				+ Printable.of(String.valueOf(problem.getMessage()))));
		return problem;
	}

	void logForgotten(Hold hold) {
		String name = hold.lease.gate.name;
		Throwable acquiredAt = hold.acquiredAt();
		this.forgottenHandles.log(name, this.clock.getAsLong(), () -> logger.warn("The handle of lock '"
				+ Printable.of(name)
				+ "' was never closed and is no longer reachable; the lock is released now. Close handles in a finally block or with try-with-resources"
				+ ((acquiredAt != null) ? "." : howToTrace()), acquiredAt));
	}

	static void logClosedByOther(String name, Thread owner, Thread closing) {
		logger.warn("Thread '" + Printable.of(closing.getName()) + "' closes the handle of lock '" + Printable.of(name)
				+ "' that thread '" + Printable.of(owner.getName())
				+ "' acquired. Until then, the latter re-enters this lock in all its work. Call detach() on a handle before handing it to another thread, or use acquireAsync. This is logged once.");
	}

	private static void logLongHold(String name, Duration held, Duration lease, @Nullable Thread owner, String holder) {
		logger.warn("Lock '" + Printable.of(name) + "' has been held for " + Printable.elapsed(held) + " by '"
				+ Printable.of(holder) + "', " + held.toNanos() / lease.toNanos() + " times its lease of "
				+ Printable.of(lease)
				+ ", and is still renewed: check whether its work is stuck. Limit this with a maximum hold."
				+ ((owner != null) ? " The stack of the thread is logged at debug level." : ""));
		if (owner != null && logger.isDebugEnabled()) {
			Throwable stack = new Throwable("Stack of thread '" + Printable.of(owner.getName()) + "'");
			stack.setStackTrace(owner.getStackTrace());
			logger.debug("The stack of the holder of lock '" + Printable.of(name) + "'", stack);
		}
	}

}
