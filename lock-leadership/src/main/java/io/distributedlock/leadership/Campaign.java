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

package io.distributedlock.leadership;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LossCause;
import io.distributedlock.internal.DeferredInterrupts;
import io.distributedlock.internal.Printable;
import io.distributedlock.internal.WorkUnderLock;
import io.distributedlock.leadership.LeaderElection.Candidacy;
import io.distributedlock.leadership.Term.Registration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * One candidate. Waits for the lock without blocking a thread, leads while it holds the
 * lock, and becomes a candidate again when it loses it. User code never runs while the
 * lock of this object is held.
 */
final class Campaign implements Leadership {

	/**
	 * After a loss, callbacks are awaited for this time or a twentieth of the lease,
	 * whichever is shorter. Both are less than the margin between the holder's deadline
	 * and the end of the lease in the store.
	 */
	private static final long LONGEST_AWAITED_CALLBACK = Duration.ofMillis(500).toNanos();

	private static final Log logger = LogFactory.getLog(Campaign.class);

	private static final int MANY_REGISTRATIONS = 100;

	private static final Duration FIRST_DELAY = Duration.ofMillis(100);

	private static final Duration LONGEST_DELAY = Duration.ofSeconds(10);

	/** Asks the store for nothing: the term already has the lease that it needs. */
	private static final LockOptions VIEW = LockOptions.ofLease(Duration.ofMillis(10));

	private final LeaderElection election;

	private final String name;

	private final LockOptions options;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition callbackReturned = this.lock.newCondition();

	private final List<Registration> registrations = new ArrayList<>();

	private volatile @Nullable Term term;

	/** The last one, until its callbacks have returned and its lock is released. */
	private @Nullable Term ending;

	private @Nullable CompletableFuture<LockHandle> attempt;

	/** How many attempts or terms in a row ended too early. */
	private int setbacks;

	private boolean closed;

	/** When the callers of {@link #close()} stop waiting. */
	private long patienceEndsAt;

	Campaign(LeaderElection election, String name, LockOptions options) {
		this.election = election;
		this.name = name;
		this.options = options;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public boolean isLeader() {
		return leading() != null;
	}

	@Override
	public Optional<LockHandle> handle() {
		Term term = leading();
		return (term != null) ? Optional.of(term.view) : Optional.empty();
	}

	Candidacy snapshot() {
		Term term = leading();
		return new Snapshot(this.name, this.options.declaredName(), term != null,
				(term != null) ? term.handle.fencingToken() : 0,
				(term != null) ? term.handle.remaining() : Duration.ZERO);
	}

	/**
	 * Return the term if this is the leader, by the clock of the holder.
	 */
	private @Nullable Term leading() {
		Term term = this.term;
		return (term != null && term.handle.isHeld()) ? term : null;
	}

	@Override
	public void onElected(Consumer<LockHandle> elected) {
		register(new Registration(elected, null));
	}

	@Override
	public void onElected(Consumer<LockHandle> elected, Consumer<LeadershipEvent.Revoked> revoked) {
		register(new Registration(elected, revoked));
	}

	@Override
	public void onRevoked(Consumer<LeadershipEvent.Revoked> revoked) {
		register(new Registration(null, revoked));
	}

	private void register(Registration registration) {
		Term term;
		boolean many;
		boolean findsThread;
		this.lock.lock();
		try {
			this.registrations.add(registration);
			many = this.registrations.size() == MANY_REGISTRATIONS;
			term = this.term;
			findsThread = term != null && registration.elected != null && term.enqueue(registration);
		}
		finally {
			this.lock.unlock();
		}
		if (many) {
			logger.warn("The leadership '" + Printable.of(this.name) + "' has " + MANY_REGISTRATIONS
					+ " registrations of callbacks, which are all called in each term. Register each callback once, not in each term.");
		}
		if (term != null && findsThread) {
			callElectedElsewhere(term);
		}
	}

	void stand() {
		if (isClosed()) {
			return;
		}
		CompletableFuture<LockHandle> attempt = acquire();
		boolean withdrawn = locked(() -> {
			this.attempt = attempt;
			return this.closed;
		});
		attempt.whenComplete(this::answered);
		if (withdrawn) {
			attempt.cancel(false);
		}
	}

	private CompletableFuture<LockHandle> acquire() {
		try {
			return this.election.locks().acquireAsync(this.name, this.options);
		}
		catch (InvalidLockNameException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	boolean isClosed() {
		return locked(() -> this.closed);
	}

	private <T extends @Nullable Object> T locked(Supplier<T> work) {
		this.lock.lock();
		try {
			return work.get();
		}
		finally {
			this.lock.unlock();
		}
	}

	private void answered(@Nullable LockHandle handle, @Nullable Throwable failure) {
		if (handle == null) {
			failed(failure);
			return;
		}
		Term term = new Term(handle, this.election.locks().reenter(handle, VIEW).orElse(null));
		boolean admitted;
		this.lock.lock();
		try {
			admitted = !this.closed;
			if (admitted) {
				this.term = term;
				term.enqueue(new Registration(this::announce, null));
				this.registrations.stream()
					.filter((registration) -> registration.elected != null)
					.forEach(term::enqueue);
			}
		}
		finally {
			this.lock.unlock();
		}
		if (!admitted) {
			term.view.end();
			WorkUnderLock.discardAsync(handle);
			return;
		}
		// Before user code can register callbacks that block
		handle.onLost((loss) -> end(term, loss));
		callElectedElsewhere(term);
	}

	private void failed(@Nullable Throwable failure) {
		int setbacks = locked(() -> this.closed ? 0 : ++this.setbacks);
		if (setbacks == 0) {
			return;
		}
		String message = "The candidate for the leadership '" + Printable.of(this.name)
				+ "' cannot stand at the moment. It tries again.";
		if (setbacks == 1) {
			logger.warn(message, failure);
		}
		else {
			logger.debug(message, failure);
		}
		standAfter(delay(setbacks));
	}

	private void standAfter(Duration delay) {
		this.election.threads().executeAfter(delay, this::stand);
	}

	private static Duration delay(int setbacks) {
		long longest = Math.min(LONGEST_DELAY.toNanos(), FIRST_DELAY.toNanos() << Math.min(setbacks - 1, 10));
		return Duration.ofNanos(ThreadLocalRandom.current().nextLong(longest / 2, longest));
	}

	private void announce(LockHandle handle) {
		logger.info("This instance leads '" + Printable.of(this.name) + "' now, with the fencing token "
				+ handle.fencingToken());
		this.election.publish(new LeadershipEvent.Elected(this.name, handle.fencingToken()));
	}

	/**
	 * User code may block.
	 */
	private void callElectedElsewhere(Term term) {
		if (this.election.threads().execute(() -> callElected(term))) {
			return;
		}
		locked(() -> {
			term.giveUpCalling();
			return null;
		});
	}

	/**
	 * Call one callback after the other until none is left or the term is over; those
	 * that are left then are skipped.
	 */
	private void callElected(Term term) {
		Registration next = next(term);
		while (next != null) {
			if (next.elected != null) {
				call(next.elected, term.view);
			}
			next = next(term);
		}
	}

	private @Nullable Registration next(Term term) {
		Registration next;
		boolean last;
		this.lock.lock();
		try {
			next = term.next();
			if (next == null) {
				this.callbackReturned.signalAll();
			}
			last = next == null && term.revoked;
		}
		finally {
			this.lock.unlock();
		}
		if (last) {
			standAgain();
		}
		return next;
	}

	/**
	 * The term is over.
	 * @param loss why, or {@code null} if the leader resigns
	 */
	private void end(Term term, LockEvent.@Nullable Lost loss) {
		boolean announced;
		List<Registration> concerned;
		this.lock.lock();
		try {
			if (term.over) {
				if (loss != null) {
					takenAtTheEnd(term, loss);
				}
				return;
			}
			term.endHere();
			this.term = null;
			this.ending = term;
			announced = term.isAnnounced();
			if (announced) {
				awaitElected(term, Math.min(this.options.lease().toNanos() / 20, LONGEST_AWAITED_CALLBACK));
			}
			concerned = this.registrations.stream()
				.filter((registration) -> registration.isConcernedByEndOf(term))
				.toList();
			boolean lasted = loss == null || loss.held().compareTo(this.options.lease()) >= 0;
			this.setbacks = lasted ? 0 : this.setbacks + 1;
		}
		finally {
			this.lock.unlock();
		}
		try {
			LeadershipEvent.Revoked event = new LeadershipEvent.Revoked(this.name, term.handle.fencingToken(), loss);
			if (announced) {
				announce(event);
			}
			callRevoked(event, concerned);
			if (loss == null) {
				awaitWork(term);
			}
			term.release();
		}
		finally {
			ended(term);
		}
	}

	/**
	 * The lock of a resigning leader was lost in the meantime, so the next leader no
	 * longer waits for its callbacks.
	 */
	private void takenAtTheEnd(Term term, LockEvent.Lost loss) {
		term.taken = true;
		this.callbackReturned.signalAll();
		if (loss.cause() == LossCause.SHUTDOWN) {
			term.ended.complete(null);
		}
	}

	/**
	 * The leader resigns but keeps the lock for now, so that the next one does not begin
	 * before the callbacks of the beginning have returned.
	 */
	private void awaitWork(Term term) {
		boolean works;
		this.lock.lock();
		try {
			awaitElected(term, this.election.patience().toNanos());
			works = term.isBusyElsewhere() && !term.taken;
		}
		finally {
			this.lock.unlock();
		}
		if (works) {
			logger.warn("A callback of onElected of the leadership '" + Printable.of(this.name)
					+ "' has not returned within " + Printable.of(this.election.patience())
					+ " after the leader resigned. Its lock is released, so the next leader may begin while the callback still works. "
					+ "Let the callback check handle.isHeld().");
		}
	}

	private void announce(LeadershipEvent.Revoked event) {
		LockEvent.Lost loss = event.loss();
		logger.info("This instance does not lead '" + Printable.of(this.name) + "' any more: "
				+ ((loss != null) ? loss.explanation() : "it resigned."));
		this.election.publish(event);
	}

	private void callRevoked(LeadershipEvent.Revoked event, List<Registration> concerned) {
		for (Registration registration : concerned) {
			if (registration.revoked != null) {
				call(registration.revoked, event);
			}
		}
	}

	private void ended(Term term) {
		boolean quiet;
		boolean busy;
		boolean withdrawn;
		this.lock.lock();
		try {
			term.revoked();
			this.ending = null;
			quiet = term.isQuiet();
			withdrawn = this.closed;
			busy = !withdrawn && term.isBusyElsewhere();
		}
		finally {
			this.lock.unlock();
		}
		if (withdrawn) {
			this.election.remove(this);
		}
		term.ended.complete(null);
		if (quiet) {
			standAgain();
		}
		else if (busy) {
			logger.warn("A callback of the leadership '" + Printable.of(this.name)
					+ "' has not returned although its term is over. This candidate stands again only after it has returned. "
					+ "Let the callback check handle.isHeld(), or start the work in another thread.");
		}
	}

	/**
	 * Wait for callbacks of the beginning in other threads.
	 */
	private void awaitElected(Term term, long patience) {
		long end = System.nanoTime() + patience;
		long left = patience;
		boolean interrupted = false;
		while (left > 0 && !term.isQuiet() && !term.isBusyHere() && !term.taken) {
			try {
				this.callbackReturned.awaitNanos(left);
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
			left = end - System.nanoTime();
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	private void standAgain() {
		int setbacks = locked(() -> this.closed ? -1 : this.setbacks);
		if (setbacks >= 0) {
			standAfter((setbacks > 0) ? delay(setbacks) : Duration.ZERO);
		}
	}

	private <T> void call(Consumer<T> callback, T argument) {
		this.election.callOut(callback, argument, () -> "A callback of the leadership '" + Printable.of(this.name)
				+ "' failed. The candidacy and the other callbacks are not affected.");
	}

	@Override
	public void stepDown() {
		Term term = this.term;
		if (term != null) {
			end(term, null);
		}
	}

	@Override
	public void close() {
		CompletableFuture<@Nullable Void> ended = resign();
		DeferredInterrupts.await(ended, this.patienceEndsAt - System.nanoTime());
		if (!ended.isDone()) {
			this.election.warnOfCallback(this.name);
		}
	}

	/**
	 * Resign, and end the candidacy. Calls the callbacks in this thread, unless another
	 * one does so already.
	 * @return completes when the callbacks of the end have returned and the lock is
	 * released; is complete in one of these callbacks, which cannot wait for itself
	 */
	CompletableFuture<@Nullable Void> resign() {
		CompletableFuture<LockHandle> attempt;
		Term term;
		this.lock.lock();
		try {
			if (!this.closed) {
				this.closed = true;
				this.patienceEndsAt = System.nanoTime() + this.election.patience().toNanos();
			}
			attempt = this.attempt;
			term = this.term;
		}
		finally {
			this.lock.unlock();
		}
		if (term != null) {
			end(term, null);
		}
		else if (attempt != null) {
			attempt.cancel(false);
		}
		return whenEnded();
	}

	private CompletableFuture<@Nullable Void> whenEnded() {
		CompletableFuture<@Nullable Void> done = CompletableFuture.completedFuture(null);
		CompletableFuture<@Nullable Void> ended = locked(
				() -> (this.ending == null) ? null : this.ending.isCalledHere() ? done : this.ending.ended);
		if (ended != null) {
			return ended;
		}
		this.election.remove(this);
		return done;
	}

	boolean isCalledHere() {
		return locked(() -> {
			Term term = (this.ending != null) ? this.ending : this.term;
			return term != null && term.isCalledHere();
		});
	}

	@Override
	public String toString() {
		return "leadership '" + Printable.of(this.name) + "' (" + (isLeader() ? "leads" : "does not lead") + ")";
	}

	private record Snapshot(String name, String declaredName, boolean leader, long fencingToken,
			Duration remaining) implements Candidacy {

	}

}
