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

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.distributedlock.HeldLock;
import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockEvent;
import io.distributedlock.LockException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockListener;
import io.distributedlock.LockLostException;
import io.distributedlock.LockObserver;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;
import io.distributedlock.WaitingLock;
import io.distributedlock.engine.Waiter.Outcome;
import io.distributedlock.internal.DeferredInterrupts;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.KnownLosses;
import io.distributedlock.internal.LockKeeper;
import io.distributedlock.internal.LockRecord;
import io.distributedlock.internal.Printable;
import io.distributedlock.internal.Wait;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.ReleaseOutcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Drives the state of the locks: brings each event to its gate, and performs the actions
 * that result from it.
 *
 * <p>
 * The state of a name is a {@link Gate}. {@link Contention} decides which waiter of this
 * JVM gets the lock, and {@link LeaseKeeper} how long it keeps it; they know neither the
 * store nor the threads. An event is a call of a thread that wants a lock or has one, an
 * answer or a message of the store, or a call of the timer. A {@link Turn} locks the
 * gate, has the decision made, and carries it out. Commands to the store run after the
 * gate was unlocked, in the thread of the caller if possible.
 *
 * <p>
 * Nothing here waits, except {@link #giveUp} and {@link #find}: blocking callers are
 * parked outside ({@link BlockingWaiter}), others have a future ({@link AsyncWaiter}).
 * The order of locks is gate, then {@link LeaseBatcher}, then {@link LeaseTimer}.
 */
final class LockEngine implements EngineOperations, GrantListener {

	private static final Log logger = LogFactory.getLog(LockEngine.class);

	/** Each takes a command timeout if the store does not answer. */
	private static final int LOOK_UPS = 5;

	private final LockStore store;

	private final LongSupplier clock;

	private final LeaseTimer timer;

	private final GateMap gates = new GateMap(this);

	/** One for each stripe of the gates. */
	private final Turn[] turns = new Turn[GateMap.STRIPES];

	private final EngineThreads threads;

	private final Announcer announcer;

	private final @Nullable LockKeeper keeper;

	private final EngineSettings.Closing closing;

	private final BooleanSupplier inNonBlockingThread;

	/** The identity of this instance in the store. */
	private final String instance;

	private final Contention contention;

	private final LeaseKeeper leases;

	private final LeaseBatcher renewals;

	private final LeaseConfirmation confirmation;

	private final LeaseBatcher questions;

	private final Cleanup cleanup;

	/** For values that a publisher of messages must not be able to guess. */
	private final Random random;

	private final DoubleSupplier jitter;

	/** Whether the threads run that holders depend on. */
	private volatile boolean started;

	LockEngine(LockStore store, EngineSettings settings, List<LockListener> listeners, @Nullable LockObserver observer,
			@Nullable LockKeeper keeper, Surroundings surroundings) {
		this.store = store;
		this.clock = surroundings.clock();
		for (int i = 0; i < this.turns.length; i++) {
			this.turns[i] = new Turn(this.gates.stripe(i));
		}
		this.timer = surroundings.timer();
		this.threads = surroundings.threads();
		this.random = surroundings.secrets();
		this.jitter = surroundings.jitter();
		this.announcer = new Announcer(listeners, observer, this.clock, this.threads, this.timer);
		this.keeper = keeper;
		this.closing = settings.closing();
		this.inNonBlockingThread = settings.inNonBlockingThread();
		this.instance = surroundings.instance();
		this.contention = new Contention(this.instance, settings.instanceName(), settings.localHandoffs(),
				settings.handoffWindow());
		this.leases = new LeaseKeeper(this.instance, this.contention, this.store.description(),
				settings.longHoldFactor());
		this.renewals = new LeaseBatcher(this.timer, (batch) -> this.threads.io(() -> renew(batch)));
		Doubts doubts = new Doubts();
		this.confirmation = new LeaseConfirmation(this.timer, this.threads::io, doubts);
		this.questions = new LeaseBatcher(this.timer, (batch) -> this.threads.io(() -> doubts.ask(batch)));
		this.cleanup = new Cleanup(this.store, this.clock, this.timer, this.threads::io, settings.cleanupWait(),
				this::interruptedBy);
	}

	@Override
	public long now() {
		return this.clock.getAsLong();
	}

	@Override
	public double jitter(double least) {
		return least + (1 - least) * this.jitter.getAsDouble();
	}

	/**
	 * Log what has only been counted so far.
	 */
	void summarizeLogs() {
		this.announcer.summarize();
	}

	LeaseTimer timer() {
		return this.timer;
	}

	EngineThreads threads() {
		return this.threads;
	}

	GateMap gates() {
		return this.gates;
	}

	LeaseConfirmation confirmation() {
		return this.confirmation;
	}

	Cleanup cleanup() {
		return this.cleanup;
	}

	String instance() {
		return this.instance;
	}

	@Override
	public Executor completions() {
		return this.threads.completions();
	}

	@Override
	public boolean isLocked(String name) {
		return this.gates.stripe(name).lock.isHeldByCurrentThread();
	}

	// Callers that want a lock

	/**
	 * Refuse a wait of the calling thread if others need that thread meanwhile.
	 */
	void assertMayWait(String name, LockOptions options) {
		if (!options.waitTime().isZero() && this.inNonBlockingThread.getAsBoolean()) {
			throw new IllegalStateException("Thread '" + Printable.of(Thread.currentThread().getName())
					+ "' must not wait for lock '" + Printable.of(name)
					+ "': it belongs to an event loop, and everything that the loop serves would wait as well. Return a Mono or a Flux from the locked method, use ReactiveLocks or acquireAsync, or do not wait (waitTime = 0).");
		}
	}

	/**
	 * Admit a waiter, make it wait, or refuse it. It is settled now or later.
	 */
	void submit(Waiter waiter) {
		start();
		List<Handle> context = (waiter.owner != null) ? Handle.inContext(waiter.name) : List.of();
		try (Turn turn = turn(waiter.name, Io.HERE)) {
			Gate gate = turn.gate(waiter);
			Hold inTheWay = gate.holder();
			if (inTheWay != null) {
				this.leases.expireIfOver(inTheWay, waiter.since, turn);
			}
			Hold own = turn.holdOf(gate, waiter, context);
			if (own != null) {
				this.leases.expireIfOver(own, waiter.since, turn);
				own = own.isActive() ? own : null;
			}
			this.contention.arrive(gate, waiter, own, waiter.since, turn);
		}
	}

	/**
	 * Start the threads that holders depend on. If there is no memory for them, no lock
	 * is asked for.
	 */
	private void start() {
		if (!this.started) {
			this.timer.start();
			this.threads.start();
			this.started = true;
		}
	}

	/**
	 * Return another handle on the hold of a given one, or {@code null} if it is no
	 * longer held.
	 */
	@Nullable Handle reenter(LockHandle handle, LockOptions options) {
		if (!(handle instanceof Handle held && held.isOf(this))) {
			return null;
		}
		if (!Contention.isCovered(held.hold(), Waiter.limitOf(options))) {
			throw Contention.noUpgrade(held.name());
		}
		try (Turn turn = turn(held.hold().lease.gate, Io.HERE)) {
			return held.isHeld() ? this.contention.enterAgain(held.hold(), options, now(), turn) : null;
		}
	}

	Optional<LockHandle> enter(LockHandle held, LockOptions options) {
		if (held.parts().size() > 1) {
			return CompositeHandle.reenter(held.parts(), (part) -> reenter(part, options));
		}
		return Optional.ofNullable(reenter(held.parts().get(0), options));
	}

	LockKeeper.@Nullable Keeping keeping() {
		LockKeeper keeper = this.keeper;
		return (keeper != null) ? keeper.current() : null;
	}

	@Nullable Handle enterKept(LockKeeper.@Nullable Keeping keeping, String name, LockOptions options) {
		List<LockHandle> kept = (keeping != null) ? keeping.kept(List.of(name)) : List.of();
		Handle entered = null;
		for (int i = 0; i < kept.size() && entered == null; i++) {
			entered = reenter(kept.get(i), options);
		}
		return entered;
	}

	void keep(LockKeeper.@Nullable Keeping keeping, LockHandle handle, LockOptions options) {
		if (keeping != null) {
			try {
				keeping.keep(handle, options, this::enter);
			}
			catch (RuntimeException | Error ex) {
				// The caller gets no handle that it could close
				handle.releaseAsync();
				throw ex;
			}
		}
	}

	@Override
	public void closing(Handle handle) {
		keep(keeping(), handle, handle.hold().options());
	}

	/**
	 * End the wait of a caller that does not want to wait any longer. Blocks a thread for
	 * a short time, until nothing of it is left in the store.
	 * @return what {@link Contention#leave} returns
	 */
	@Nullable Outcome giveUp(Waiter waiter, Outcome.GivenUp why) {
		Turn turn = turn(waiter.name, Io.HERE);
		Outcome outcome;
		CompletableFuture<@Nullable ReleaseOutcome> cleanedUp;
		try {
			outcome = this.contention.leave(turn.gate(waiter), waiter, why, now(), turn);
		}
		finally {
			cleanedUp = turn.end();
		}
		if (waiter.blocksThread() && cleanedUp != null) {
			this.cleanup.awaitBriefly(cleanedUp);
		}
		return outcome;
	}

	/**
	 * End one wait, if it has not ended yet.
	 */
	void dismiss(Wait wait, String why) {
		Waiter waiter = (Waiter) wait;
		try (Turn turn = turn(waiter.name, Io.HERE)) {
			this.contention.dismiss(turn.gate(waiter), waiter,
					new Outcome.Failed(new LockUnavailableException(waiter.name, why, null)), now(), turn);
		}
	}

	/**
	 * End the waits of threads whose time is over, as the threads would do themselves.
	 * The timer ends those of futures.
	 * @return when the next wait ends, {@link Long#MAX_VALUE} if there is none
	 */
	long endWaits() {
		long now = now();
		long next = Long.MAX_VALUE;
		for (Waiter waiter : waiters()) {
			if (waiter.until() > now) {
				next = Math.min(next, waiter.until());
			}
			else if (waiter.blocksThread()) {
				giveUp(waiter, Outcome.GivenUp.TIMED_OUT);
			}
		}
		return next;
	}

	// Requests for a lock, and their answers

	private void send(Contender contender) {
		int attempt = contender.attempts;
		CompletableFuture<AcquireOutcome> answer = this.store.acquire(contender.request(this.random));
		if (answer.isDone() && !answer.isCompletedExceptionally()) {
			answered(contender, answer.join(), null);
			return;
		}
		answer.whenComplete(contender);
		GateMap.Stripe stripe = this.gates.stripe(contender.gate.name);
		boolean overtaken;
		DeferredInterrupts.lock(stripe.lock);
		try {
			overtaken = Contention.sent(contender, attempt);
			if (overtaken) {
				this.cleanup.owe();
			}
		}
		finally {
			stripe.lock.unlock();
		}
		if (overtaken) {
			cleanUp(contender);
		}
	}

	private void sendLater(Contender contender) {
		try {
			this.threads.io(() -> sendIfOpen(contender));
		}
		catch (Throwable ex) {
			// There may be no memory for a thread: without an answer it would stop
			answered(contender, null, ex);
		}
	}

	/**
	 * A contender that was overtaken in the meantime stays closed. The remains of an
	 * earlier request must then be cleaned up here, because no other thread knows whether
	 * this one was sent.
	 */
	private void sendIfOpen(Contender contender) {
		if (contender.isClosed()) {
			answered(contender, null, null);
		}
		else {
			send(contender);
		}
	}

	@Override
	public void answered(Contender contender, @Nullable AcquireOutcome outcome, @Nullable Throwable failure) {
		if (outcome instanceof AcquireOutcome.Busy busy) {
			this.announcer.compare(contender.gate.name, contender.gate.limit(), busy);
		}
		try (Turn turn = turn(contender.gate, Io.ELSEWHERE)) {
			Throwable cause = (failure != null) ? Failures.unwrap(failure) : null;
			this.contention.answered(contender, outcome, cause, now(), turn);
			turn.watchAgain(contender.gate.name);
		}
		interruptedBy(failure);
	}

	@Override
	public void due(Contender contender) {
		try (Turn turn = turn(contender.gate, Io.ELSEWHERE)) {
			this.contention.due(contender, now(), turn);
		}
	}

	@Override
	public void subscribed() {
		if (this.contention.isListening()) {
			interrupted();
		}
		this.contention.listening();
		this.gates.forEach((gate) -> {
			for (Contender contender : gate.contenders()) {
				if (!contender.isInFlight()) {
					this.timer.schedule(contender.alarm(), now());
				}
			}
		});
	}

	@Override
	public void granted(Grant grant) {
		try (Turn turn = turn(grant.name(), Io.ELSEWHERE)) {
			Gate gate = turn.stripe.gateOf(grant.name(), grant.token());
			if (gate != null) {
				this.contention.pushed(gate, grant, now(), turn);
			}
		}
	}

	@Override
	public void revoked(String name, LockToken token) {
		Lease lease;
		try (Turn turn = turn(name, Io.ELSEWHERE)) {
			Hold hold = token.instance().equals(this.instance) ? turn.stripe.holdOf(name, token.sequence()) : null;
			lease = (hold != null && hold.lease.suspect()) ? hold.lease : null;
		}
		if (lease != null) {
			lookUpLater(lease, LOOK_UPS);
		}
	}

	@Override
	public void changed(String name) {
		try (Turn turn = turn(name, Io.ELSEWHERE)) {
			turn.changed(name);
		}
	}

	@Override
	public boolean canWatch() {
		return this.store.canWatch();
	}

	@Override
	public void interrupted() {
		this.confirmation.interrupted(now());
	}

	private void interruptedBy(@Nullable Throwable failure) {
		if (failure != null && Failures.unwrap(failure) instanceof LockUnavailableException) {
			this.confirmation.failed(now());
		}
	}

	private void lookUpLater(Lease lease, int attempts) {
		try {
			this.threads.io(() -> lookUp(lease, attempts));
		}
		catch (Throwable ex) {
			// There may be no memory for a thread: the next message is to be news again
			lease.gate.locked(() -> {
				lease.trust();
				return null;
			});
			throw ex;
		}
	}

	/**
	 * Ask whether a lock was taken by force, by an extension that extends nothing. The
	 * message does not come again, so the question is repeated if there is no answer, and
	 * if there was another message meanwhile.
	 */
	private void lookUp(Lease lease, int attempts) {
		this.store.extend(List.of(this.leases.question(lease))).get(0).whenComplete((outcome, failure) -> {
			if (failure != null && attempts > 1) {
				lookUpLater(lease, attempts - 1);
				return;
			}
			boolean again;
			try (Turn turn = turn(lease.gate, Io.ELSEWHERE)) {
				again = this.leases.lookedUp(lease, (failure == null) ? outcome : null, now(), turn);
			}
			if (again) {
				lookUpLater(lease, LOOK_UPS);
			}
		});
	}

	// Leases that are held

	@Override
	public void due(Lease lease, long now) {
		try (Turn turn = turn(lease.gate, Io.ELSEWHERE)) {
			this.leases.due(lease, now, turn);
		}
	}

	@Override
	public void expireIfOver(Hold hold) {
		if (hold.isActive() && hold.isOver(now())) {
			try (Turn turn = turn(hold.lease.gate, Io.ELSEWHERE)) {
				this.leases.expireIfOver(hold, now(), turn);
			}
		}
	}

	@Override
	public void onLost(Handle handle, Consumer<LockEvent.Lost> callback) {
		LockEvent.Lost loss = handle.hold().lease.gate.locked(() -> this.leases.onLost(handle, callback));
		if (loss != null) {
			this.announcer.callBack(List.of(callback), loss);
		}
	}

	@Override
	public void adopt(Hold hold, LockOptions options) {
		try (Turn turn = turn(hold.lease.gate, Io.ELSEWHERE)) {
			this.leases.adopt(hold, options, turn);
		}
	}

	@Override
	public CompletableFuture<Void> extend(Hold hold, Duration additional) {
		return extend(hold, (now, effects) -> this.leases.extension(hold, additional, now, effects), true);
	}

	@Override
	public CompletableFuture<Void> refresh(Hold hold, Duration length) {
		return extend(hold, (now, effects) -> this.leases.refreshment(hold, length, now, effects), false);
	}

	private CompletableFuture<Void> extend(Hold hold, Extension extension, boolean failsWithOther) {
		Lease lease = hold.lease;
		LeaseExtension request;
		long sentAt;
		try (Turn turn = turn(lease.gate, Io.HERE)) {
			if (!lease.gate.isHeld(hold)) {
				LockEvent.Lost loss = hold.loss();
				return (loss != null) ? CompletableFuture.failedFuture(new LockLostException(loss))
						: CompletableFuture.completedFuture(null);
			}
			if (lease.underWay) {
				return lease.whenAnswered().thenComposeAsync((failure) -> {
					if (failure != null && failsWithOther) {
						throw Failures.inCaller(lease.gate.name, failure);
					}
					return extend(hold, extension, failsWithOther);
				}, this::inIo);
			}
			sentAt = now();
			request = extension.request(sentAt, turn);
		}
		boolean watched = lease.isWatched();
		return send(List.of(request), watched).get(0).handle((outcome, failure) -> {
			extended(lease, request, sentAt, watched, outcome, failure);
			LockEvent.Lost loss = hold.loss();
			if (loss != null) {
				throw new LockLostException(loss);
			}
			if (failure != null) {
				throw Failures.inCaller(lease.gate.name, failure);
			}
			return null;
		});
	}

	/**
	 * If the store no longer has the lock, a question leads to the loss.
	 */
	@Override
	public CompletableFuture<LockRecord.Answer> replaceRecord(Hold hold, @Nullable String expected, String text,
			Duration timeToLive) {
		Lease lease = hold.lease;
		String name = lease.gate.name;
		RecordChange change = new RecordChange(name, this.leases.tokenOf(lease), expected, text, timeToLive);
		return this.store.replaceRecord(change).handle((outcome, failure) -> {
			interruptedBy(failure);
			if (failure != null) {
				throw recordFailed(name, failure);
			}
			if (outcome instanceof RecordChange.Outcome.Different different) {
				return new LockRecord.Answer(true, different.text());
			}
			boolean held = outcome instanceof RecordChange.Outcome.Replaced;
			if (!held) {
				lookUp(lease, LOOK_UPS);
			}
			return new LockRecord.Answer(held, held ? text : null);
		});
	}

	private static LockException recordFailed(String name, Throwable failure) {
		Throwable cause = Failures.unwrap(failure);
		if (cause instanceof UnsupportedOperationException) {
			return new LockConfigurationException(name,
					"Lock '" + Printable.of(name) + "' can have no record. " + cause.getMessage()
							+ " Use a store that does, or implement LockStore.replaceRecord(…) in this one.",
					cause);
		}
		return Failures.inCaller(name, failure);
	}

	private void renew(List<Lease> batch) {
		long sentAt = now();
		List<Lease> leases = new ArrayList<>(batch.size());
		List<LeaseExtension> requests = new ArrayList<>(batch.size());
		for (Lease lease : batch) {
			LeaseExtension request = renewal(lease, sentAt);
			if (request != null) {
				leases.add(lease);
				requests.add(request);
			}
		}
		if (requests.isEmpty()) {
			return;
		}
		boolean watched = leases.stream().anyMatch(Lease::isWatched);
		List<CompletableFuture<ExtendOutcome>> answers = send(requests, watched);
		for (int i = 0; i < leases.size(); i++) {
			Lease lease = leases.get(i);
			LeaseExtension request = requests.get(i);
			answers.get(i)
				.whenComplete((outcome, failure) -> extended(lease, request, sentAt, watched, outcome, failure));
		}
	}

	private List<CompletableFuture<ExtendOutcome>> send(List<LeaseExtension> requests, boolean watched) {
		return watched ? this.store.extendAndWatch(requests) : this.store.extend(requests);
	}

	@Nullable LeaseExtension renewal(Lease lease, long sentAt) {
		try (Turn turn = turn(lease.gate, Io.HERE)) {
			return this.leases.renewal(lease, sentAt, turn);
		}
	}

	private void extended(Lease lease, LeaseExtension request, long sentAt, boolean watched,
			@Nullable ExtendOutcome outcome, @Nullable Throwable failure) {
		try (Turn turn = turn(lease.gate, Io.ELSEWHERE)) {
			Throwable cause = (failure != null) ? Failures.unwrap(failure) : null;
			this.leases.answered(lease, request, sentAt, outcome, cause, now(), turn);
			if (!watched) {
				turn.watchAgain(lease.gate.name);
			}
		}
		interruptedBy(failure);
	}

	// Holders that are done

	@Override
	public Handle.Release release(Handle handle) {
		return release(handle.hold(), handle);
	}

	private void releaseForgotten(Hold hold) {
		if (hold.isActive()) {
			this.announcer.logForgotten(hold);
			release(hold, null).toFuture(completions());
		}
	}

	/**
	 * Release a lock, whose last handle is closed or, if that is {@code null}, not
	 * reachable.
	 */
	private Handle.Release release(Hold hold, @Nullable Handle closing) {
		Turn turn = turn(hold.lease.gate, Io.HERE);
		LockEvent.Lost loss;
		CompletableFuture<@Nullable ReleaseOutcome> answer;
		long now;
		try {
			now = now();
			loss = (closing != null) ? this.leases.close(closing, now, turn) : this.leases.forgotten(hold, now, turn);
		}
		finally {
			answer = turn.end();
		}
		if (loss != null) {
			return Handle.Release.lost(loss);
		}
		return (answer != null) ? Handle.Release.asked(hold, answer, now) : Handle.Release.DONE;
	}

	@Override
	public LockEvent.@Nullable Lost released(Hold hold, @Nullable ReleaseOutcome outcome, @Nullable Throwable failure,
			long releasedAt) {
		if (failure != null) {
			throw this.announcer.releaseFailed(hold, failure, releasedAt);
		}
		if (outcome == ReleaseOutcome.RELEASED || hold.lease.cleanedUp) {
			this.announcer.released(hold, releasedAt);
			return null;
		}
		try (Turn turn = turn(hold.lease.gate, Io.ELSEWHERE)) {
			return this.leases.lostAtRelease(hold, outcome == ReleaseOutcome.OTHER, releasedAt, turn);
		}
	}

	@Override
	public boolean releasedLater(Hold hold, CompletableFuture<@Nullable ReleaseOutcome> answer, long releasedAt) {
		if (this.closing != EngineSettings.Closing.RETURNS_WHEN_SENT) {
			return false;
		}
		answer.whenComplete((outcome, failure) -> {
			if (outcome != ReleaseOutcome.RELEASED || this.announcer.isToldOfEnd(hold)) {
				boolean told = this.threads.callback(() -> releasedQuietly(hold, outcome, failure, releasedAt));
				if (!told && failure != null) {
					// After the shutdown: the log is all that is left
					this.announcer.logReleaseFailed(hold, failure);
				}
				else if (!told && outcome != ReleaseOutcome.RELEASED) {
					releasedQuietly(hold, outcome, null, releasedAt);
				}
			}
		});
		return true;
	}

	private void releasedQuietly(Hold hold, @Nullable ReleaseOutcome outcome, @Nullable Throwable failure,
			long releasedAt) {
		try {
			released(hold, outcome, failure, releasedAt);
		}
		catch (RuntimeException ex) {
			logger.trace("The failure of a release was logged and reported.", ex);
		}
	}

	private CompletableFuture<@Nullable ReleaseOutcome> end(Hold hold) {
		Lease lease = hold.lease;
		CompletableFuture<@Nullable ReleaseOutcome> answer = this.cleanup.end(lease.gate.name,
				new LockToken(this.instance, lease.sequence), lease.gate.limit(),
				lease.lingers ? hold.keepUntil() : Cleanup.AT_ONCE, lease);
		return (lease.gate.limit() != 1) ? changing(lease.gate.name, answer) : answer;
	}

	private CompletableFuture<@Nullable ReleaseOutcome> cleanUp(Contender contender) {
		Lease lease = contender.granted;
		if (lease == null || lease.cleanedUp) {
			return giveBack(contender.gate, contender.token, now() + contender.longestLease());
		}
		// The release by its holder need not have been sent yet
		lease.cleanedUp = true;
		CompletableFuture<@Nullable ReleaseOutcome> answer = giveBack(contender.gate, contender.token,
				now() + contender.longestLease());
		answer.thenAccept((outcome) -> lease.cleanedUp = outcome == null || outcome == ReleaseOutcome.RELEASED);
		return answer;
	}

	private void giveBack(Hold hold) {
		giveBack(hold.lease.gate, new LockToken(this.instance, hold.lease.sequence),
				Math.max(hold.lease.getAsLong(), now() + hold.options().lease().toNanos()));
	}

	private CompletableFuture<@Nullable ReleaseOutcome> giveBack(Gate gate, LockToken token, long until) {
		return changing(gate.name, this.cleanup.release(gate.name, token, until));
	}

	/**
	 * Have the lock watched for its other holders when a release is answered. That of a
	 * caller who wanted to be alone may let others in.
	 */
	private CompletableFuture<@Nullable ReleaseOutcome> changing(String name,
			CompletableFuture<@Nullable ReleaseOutcome> answer) {
		if (canWatch()) {
			answer.whenComplete((outcome, failure) -> {
				try (Turn turn = turn(name, Io.ELSEWHERE)) {
					turn.watchAgain(name);
				}
			});
		}
		return answer;
	}

	// What callers and the observer are told

	Handle conclude(Waiter waiter, Outcome outcome) {
		return this.announcer.conclude(waiter, outcome);
	}

	/**
	 * Like {@link #conclude}, but return {@code null} if the lock is held elsewhere.
	 */
	@Nullable Handle concludeUnlessBusy(Waiter waiter, Outcome outcome) {
		return (outcome instanceof Outcome.Busy busy) ? this.announcer.busy(waiter, busy) : conclude(waiter, outcome);
	}

	@Nullable Object asking() {
		return this.announcer.asking();
	}

	@Override
	public LockObserver.@Nullable Scope openScope(Handle handle) {
		return this.announcer.openScope(handle);
	}

	@Override
	public Map<String, Object> contextValues(Hold hold) {
		return this.announcer.contextValues(hold);
	}

	// Look-ups

	Optional<LockInfo> find(String name) {
		return Failures.join(name, this.store.find(name)).map((lock) -> lock.describe(name, this.instance));
	}

	/**
	 * Return the first open handle of the calling thread, or {@code null} if it does not
	 * hold the lock.
	 */
	@Nullable Handle current(String name) {
		GateMap.Stripe stripe = this.gates.stripe(name);
		DeferredInterrupts.lock(stripe.lock);
		try {
			Hold hold = stripe.holdOf(name, Thread.currentThread());
			if (hold == null || hold.isOver(now())) {
				return null;
			}
			Handle outermost = hold.get();
			return (outermost != null) ? outermost.firstOpen() : null;
		}
		finally {
			stripe.lock.unlock();
		}
	}

	List<HeldLock> held() {
		List<HeldLock> held = new ArrayList<>();
		this.gates.forEach((gate) -> {
			for (Hold hold : gate.holds()) {
				long now = now();
				held.add(new HeldSnapshot(gate.name, hold.options().declaredName(), hold.ownerName(),
						Duration.ofNanos(now - hold.since), hold.lease.remaining(now), hold.fencingToken,
						hold.wantsRenewal(), hold.options().permits(), hold.options().mode()));
			}
		});
		return held;
	}

	List<KnownLosses.Loss> lastLosses() {
		return this.announcer.lastLosses();
	}

	List<WaitingLock> waiting() {
		return waiters().stream()
			.<WaitingLock>map((waiter) -> new WaitingSnapshot(waiter.name, waiter.options.declaredName(),
					(waiter.owner != null) ? waiter.owner.getName() : "async", Duration.ofNanos(now() - waiter.since)))
			.toList();
	}

	/**
	 * Return the waiters for a lock that is held.
	 */
	List<Waiter> waiters() {
		List<Waiter> waiters = new ArrayList<>();
		this.gates.forEach((gate) -> {
			for (Waiter waiter : gate.waiters()) {
				if (waiter.waits()) {
					waiters.add(waiter);
				}
			}
		});
		return waiters;
	}

	// The end

	/**
	 * Admit only holders that re-enter from now on, and end all waits.
	 * @return whether requests of them are prepared and about to be sent and cleaned up
	 */
	BooleanSupplier refuseWaiters() {
		this.contention.close();
		this.cleanup.beginToClose();
		List<Contender> contenders = dismissWaiters(Contention::closed, Io.IN_TURN);
		return () -> contenders.stream().anyMatch((contender) -> contender.gate.locked(contender::isUnsent));
	}

	void dismissWaiters(String why) {
		dismissWaiters((name) -> new LockUnavailableException(name, why, null), Io.HERE);
	}

	private List<Contender> dismissWaiters(Function<String, LockUnavailableException> failure, Io io) {
		List<Contender> contenders = new ArrayList<>();
		for (Gate gate : gatesNow()) {
			try (Turn turn = turn(gate, io)) {
				contenders.addAll(gate.contenders());
				this.contention.dismiss(gate, new Outcome.Failed(failure.apply(gate.name)), turn);
			}
		}
		return contenders;
	}

	/**
	 * Return a future that completes when the I/O thread has completed its present tasks.
	 */
	CompletableFuture<Void> ioDone() {
		CompletableFuture<Void> done = new CompletableFuture<>();
		this.threads.io(() -> done.complete(null));
		return done;
	}

	/**
	 * Take the locks from all holders, and have them released.
	 */
	void takeFromHolders(String explanation) {
		List<LockEvent.Lost> losses = new ArrayList<>();
		List<String> holders = new ArrayList<>();
		for (Gate gate : gatesNow()) {
			List<Cleanup.Debt> debts = new ArrayList<>(1);
			try (Turn turn = turn(gate, Io.HERE)) {
				for (Hold hold : gate.holds()) {
					long now = now();
					holders.add(hold.ownerName());
					this.leases.lose(hold, LossCause.SHUTDOWN, explanation, now, turn);
					losses.add(Objects.requireNonNull(hold.loss()));
					debts.add(owe(hold, now));
				}
			}
			debts.forEach(this.cleanup::enqueue);
		}
		logTaken(losses, holders);
	}

	private Cleanup.Debt owe(Hold hold, long now) {
		Lease lease = hold.lease;
		this.cleanup.owe();
		return new Cleanup.Debt(lease.gate.name, new LockToken(this.instance, lease.sequence), lease.gate.limit(),
				Cleanup.AT_ONCE, Math.max(lease.endsAtLatest(), now + hold.options().lease().toNanos()), true);
	}

	/**
	 * One line for each, unless there are very many.
	 */
	private static void logTaken(List<LockEvent.Lost> losses, List<String> holders) {
		if (losses.size() > BoundedLog.MOST_LINES) {
			logger.warn(losses.size() + " locks were lost. " + losses.get(0).explanation() + " They are released now: "
					+ BoundedLog.some(losses.stream().map(LockEvent.Lost::name)));
			return;
		}
		for (int i = 0; i < losses.size(); i++) {
			Announcer.log(losses.get(i), holders.get(i), "");
		}
	}

	/**
	 * Take the locks from all holders, which find out only from their handles. The locks
	 * are left in the store.
	 */
	void takeFromHoldersSilently(String explanation) {
		for (Gate gate : gatesNow()) {
			try (Turn turn = turn(gate, Io.HERE)) {
				for (Hold hold : gate.holds()) {
					this.leases.loseSilently(hold, explanation, now(), turn);
				}
			}
		}
	}

	private List<Gate> gatesNow() {
		List<Gate> gates = new ArrayList<>();
		this.gates.forEach(gates::add);
		return gates;
	}

	@Override
	public <T extends @Nullable Object> T locked(String name, Supplier<T> work) {
		GateMap.Stripe stripe = this.gates.stripe(name);
		DeferredInterrupts.lock(stripe.lock);
		try {
			return work.get();
		}
		finally {
			stripe.lock.unlock();
		}
	}

	/**
	 * Run a task that follows an answer, and may call the store, in the thread for I/O.
	 * After the close no store is called that could block.
	 */
	private void inIo(Runnable task) {
		if (!this.threads.io(task)) {
			task.run();
		}
	}

	private Turn turn(Gate gate, Io io) {
		return turn(gate.name, io);
	}

	private Turn turn(String name, Io io) {
		return this.turns[this.gates.indexOf(name)].begin(name, io);
	}

	private interface Extension {

		LeaseExtension request(long now, Effects effects);

	}

	/**
	 * Whether the thread of an event may call the store. The threads of the timer and of
	 * the store must not be blocked, for example while a connection is reopened.
	 */
	private enum Io {

		HERE, ELSEWHERE,

		/** A shutdown calls it, for any number of locks. */
		IN_TURN

	}

	/**
	 * One event at one gate: locks the gate, immediately does what has to be done in
	 * order, collects the other resulting actions, and performs them after the gate was
	 * unlocked. A lock that must be released is immediately noted as owed.
	 *
	 * <p>
	 * There is one for each stripe, for the thread that has locked it, so most events
	 * allocate nothing. The actions are taken out before the stripe is unlocked. No code
	 * of others is called before that, so events do not nest.
	 */
	private final class Turn implements Effects, AutoCloseable {

		private final GateMap.Stripe stripe;

		private Io io = Io.HERE;

		/** The hash code of the name of the gate. */
		private int hash;

		/** Woken before all else. */
		private @Nullable Waiter settled;

		private boolean timerToWake;

		/** The release that is sent first, before the next request. */
		private @Nullable Hold ended;

		private @Nullable Contender toSend;

		private @Nullable Contender abandoned;

		/** Other actions, which are rare. */
		private @Nullable List<Runnable> others;

		private @Nullable CompletableFuture<@Nullable ReleaseOutcome> answer;

		Turn(GateMap.Stripe stripe) {
			this.stripe = stripe;
		}

		Turn begin(String name, Io io) {
			DeferredInterrupts.lock(this.stripe.lock);
			assert this.stripe.lock.getHoldCount() == 1 : "An event within another one";
			this.io = io;
			this.hash = name.hashCode();
			return this;
		}

		Gate gate(Waiter waiter) {
			return this.stripe.findOrCreate(waiter.name, waiter.limit());
		}

		/**
		 * The store reports that a lock changed.
		 */
		void changed(String name) {
			LockEngine engine = LockEngine.this;
			this.stripe.forEach(name,
					(gate) -> gate.holds().forEach((hold) -> engine.leases.changed(hold, now(), this)));
		}

		/**
		 * The store does not report a change that this instance made, and watches the
		 * lock no longer: for none of its holders, whatever they accept.
		 */
		void watchAgain(String name) {
			if (this.stripe.hasWideGates()) {
				LockEngine engine = LockEngine.this;
				this.stripe.forEach(name, (gate) -> engine.leases.watchAgain(gate, now(), this));
			}
		}

		/**
		 * Return the hold of a caller that wants the lock, or {@code null}: its thread
		 * acquired the lock and has not detached it, or its context, which may have
		 * handles of another engine too, has a handle on it.
		 */
		@Nullable Hold holdOf(Gate gate, Waiter waiter, List<Handle> context) {
			Thread owner = waiter.owner;
			Hold own = (owner != null) ? gate.holdOf(owner) : null;
			if (own == null && owner != null && this.stripe.hasWideGates()) {
				own = this.stripe.holdOf(waiter.name, owner);
			}
			for (int i = 0; i < context.size() && own == null; i++) {
				Handle handle = context.get(i);
				Hold hold = handle.hold();
				boolean held = handle.isOf(LockEngine.this) && hold.lease.gate.isHeld(hold);
				own = (held && !handle.isClosed()) ? hold : null;
			}
			return own;
		}

		@Override
		public void close() {
			end();
		}

		/**
		 * Unlock the gate and perform the actions.
		 * @return the answer of the store to the release or clean-up in this thread, or
		 * {@code null} if nothing was
		 */
		@Nullable CompletableFuture<@Nullable ReleaseOutcome> end() {
			Waiter settled = this.settled;
			boolean timerToWake = this.timerToWake;
			Hold ended = this.ended;
			Contender toSend = this.toSend;
			Contender abandoned = this.abandoned;
			List<Runnable> others = this.others;
			CompletableFuture<@Nullable ReleaseOutcome> answer = this.answer;
			this.settled = null;
			this.timerToWake = false;
			this.ended = null;
			this.toSend = null;
			this.abandoned = null;
			this.others = null;
			this.answer = null;
			try {
				this.stripe.removeIfIdle(this.hash);
			}
			finally {
				this.stripe.lock.unlock();
			}
			try {
				wake(settled, timerToWake);
			}
			finally {
				CompletableFuture<@Nullable ReleaseOutcome> asked = proceed(ended, abandoned, toSend, others);
				answer = (asked != null) ? asked : answer;
			}
			return answer;
		}

		// A failure of one action, for lack of memory, must not prevent the others

		private void wake(@Nullable Waiter settled, boolean timerToWake) {
			try {
				if (settled != null) {
					settled.wake();
				}
			}
			finally {
				if (timerToWake) {
					LockEngine.this.timer.wake();
				}
			}
		}

		private @Nullable CompletableFuture<@Nullable ReleaseOutcome> proceed(@Nullable Hold ended,
				@Nullable Contender abandoned, @Nullable Contender toSend, @Nullable List<Runnable> others) {
			try {
				if (ended != null) {
					return LockEngine.this.end(ended);
				}
				return (abandoned != null) ? LockEngine.this.cleanUp(abandoned) : null;
			}
			finally {
				goOn(toSend, others);
			}
		}

		private void goOn(@Nullable Contender toSend, @Nullable List<Runnable> others) {
			try {
				if (toSend != null) {
					// Before the release is announced, and others may wait for it
					LockEngine.this.send(toSend);
				}
			}
			finally {
				if (others != null) {
					others.forEach(EngineThreads::run);
				}
			}
		}

		private void afterwards(Runnable action) {
			if (this.others == null) {
				this.others = new ArrayList<>(2);
			}
			this.others.add(action);
		}

		private void afterwardsInIo(Runnable action) {
			afterwards(() -> LockEngine.this.threads.io(action));
		}

		// At once

		@Override
		public void schedule(LeaseTimer.Timed timed, long due) {
			this.timerToWake |= LockEngine.this.timer.put(timed, due);
		}

		@Override
		public void cancel(LeaseTimer.Timed timed) {
			LockEngine.this.timer.cancel(timed);
		}

		@Override
		public void renew(Hold hold) {
			long slack = LeaseBatcher.slackOfRenewal(hold.lease, hold.options().effectiveRenewInterval().toNanos());
			LockEngine.this.renewals.add(hold.lease, slack, now());
		}

		@Override
		public void ask(Lease lease) {
			LockEngine.this.questions.add(lease, LeaseBatcher.SLACK_OF_QUESTION, now());
		}

		@Override
		public void askOthers(Hold hold) {
			changed(hold.lease.gate.name);
		}

		@Override
		public void tell(LockEvent event) {
			LockEngine.this.announcer.tellInOrder(event);
		}

		@Override
		public void heldLong(Hold hold, long now) {
			LockEngine.this.announcer.heldLong(hold, now);
		}

		// After the gate was unlocked

		@Override
		public void wake(Waiter waiter) {
			if (this.settled == null) {
				this.settled = waiter;
			}
			else {
				afterwards(waiter::wake);
			}
		}

		@Override
		public void wakeLater(Waiter waiter) {
			afterwards(() -> {
				if (!LockEngine.this.threads.io(waiter::wake)) {
					waiter.wake();
				}
			});
		}

		@Override
		public void send(Contender contender) {
			assert this.toSend == null;
			this.toSend = contender;
		}

		@Override
		public void sendLater(Contender contender) {
			afterwards(() -> LockEngine.this.sendLater(contender));
		}

		@Override
		public void listen() {
			LockEngine engine = LockEngine.this;
			afterwardsInIo(() -> engine.store.listen(engine.instance, engine));
		}

		@Override
		public void cleanUp(Contender contender) {
			LockEngine.this.cleanup.owe();
			if (this.io == Io.HERE && this.abandoned == null) {
				// No event that ends a hold, or sends a request, abandons a contender
				assert this.ended == null && this.toSend == null;
				this.abandoned = contender;
			}
			else if (this.io == Io.HERE) {
				afterwards(() -> LockEngine.this.cleanUp(contender));
			}
			else if (this.io == Io.IN_TURN) {
				afterwards(() -> LockEngine.this.cleanup.enqueue(new Cleanup.Debt(contender.gate.name, contender.token,
						contender.gate.limit(), Cleanup.AT_ONCE, now() + contender.longestLease(), false)));
			}
			else {
				afterwardsInIo(() -> LockEngine.this.cleanUp(contender));
			}
		}

		@Override
		public void end(Hold hold, @Nullable CompletableFuture<@Nullable Throwable> answered) {
			LockEngine.this.cleanup.owe();
			assert this.ended == null;
			if (answered == null) {
				this.ended = hold;
			}
			else {
				this.answer = answered.thenComposeAsync((failure) -> LockEngine.this.end(hold), LockEngine.this::inIo);
			}
		}

		@Override
		public void giveBack(Hold hold) {
			LockEngine.this.cleanup.owe();
			if (this.io == Io.HERE) {
				afterwards(() -> LockEngine.this.giveBack(hold));
			}
			else {
				afterwardsInIo(() -> LockEngine.this.giveBack(hold));
			}
		}

		@Override
		public void releaseForgotten(Hold hold) {
			afterwardsInIo(() -> LockEngine.this.releaseForgotten(hold));
		}

		@Override
		public void refresh(Hold hold, Duration length) {
			afterwardsInIo(() -> LockEngine.this.refresh(hold, length));
		}

		@Override
		public void complete(@Nullable CompletableFuture<@Nullable Throwable> answered, @Nullable Throwable failure) {
			if (answered != null) {
				afterwards(() -> answered.complete(failure));
			}
		}

		@Override
		public void handedOn(Hold hold, long now) {
			afterwards(() -> LockEngine.this.announcer.released(hold, now));
		}

		@Override
		public void interrupt(Hold hold) {
			afterwards(() -> Objects.requireNonNull(hold.interrupt()).start(LockEngine.this.completions()));
		}

		@Override
		public void endInterrupt(Hold hold) {
			afterwards(Objects.requireNonNull(hold.interrupt())::end);
		}

		@Override
		public void closedByOther(Hold hold, Thread owner) {
			Thread closing = Thread.currentThread();
			afterwards(() -> Announcer.logClosedByOther(hold.lease.gate.name, owner, closing));
		}

		@Override
		public void lost(Hold hold, LockEvent.Lost loss, List<Consumer<LockEvent.Lost>> callbacks) {
			Runnable notAnnounced = LockEngine.this.announcer.lost(hold, loss);
			if (notAnnounced != null) {
				afterwards(notAnnounced);
			}
			if (!callbacks.isEmpty()) {
				afterwards(() -> LockEngine.this.announcer.callBack(callbacks, loss));
			}
		}

	}

	/**
	 * Asks for leases that the store may have lost, and has it watch them.
	 */
	private final class Doubts implements LeaseConfirmation.Questions {

		/** The deadlines change meanwhile, but not those that are compared. */
		@Override
		public List<Lease> unconfirmedSince(long time) {
			List<Map.Entry<Long, Lease>> found = new ArrayList<>();
			LockEngine.this.gates.forEach((gate) -> {
				for (Hold hold : gate.holds()) {
					if (!hold.lease.isConfirmedSince(time)) {
						found.add(Map.entry(hold.lease.deadline(), hold.lease));
					}
				}
			});
			return found.stream().sorted(Map.Entry.comparingByKey()).map(Map.Entry::getValue).toList();
		}

		@Override
		public int ask(List<Lease> leases, long since) {
			return ask(leases, since, true);
		}

		/**
		 * Ask for leases that changed, or are to be watched.
		 */
		void ask(List<Lease> leases) {
			ask(leases, Long.MAX_VALUE, false);
		}

		private int ask(List<Lease> leases, long since, boolean interrupted) {
			LockEngine engine = LockEngine.this;
			long sentAt = now();
			List<Lease> asked = new ArrayList<>(leases.size());
			List<LeaseExtension> questions = new ArrayList<>(leases.size());
			for (Lease lease : leases) {
				LeaseExtension question = lease.gate.locked(() -> engine.leases.doubt(lease, since, sentAt));
				if (question != null) {
					asked.add(lease);
					questions.add(question);
				}
			}
			if (!questions.isEmpty()) {
				List<CompletableFuture<ExtendOutcome>> answers = send(questions, canWatch());
				for (int i = 0; i < asked.size(); i++) {
					Lease lease = asked.get(i);
					answers.get(i)
						.whenComplete((outcome, failure) -> answered(lease, sentAt, interrupted, outcome, failure));
				}
			}
			return asked.size();
		}

		private void answered(Lease lease, long sentAt, boolean interrupted, @Nullable ExtendOutcome outcome,
				@Nullable Throwable failure) {
			LockEngine engine = LockEngine.this;
			if (interrupted) {
				engine.confirmation.settled(1);
			}
			interruptedBy(failure);
			if (outcome != null) {
				try (Turn turn = turn(lease.gate, Io.ELSEWHERE)) {
					engine.leases.confirmed(lease, outcome, sentAt, interrupted, now(), turn);
				}
			}
		}

	}

	/**
	 * Time, threads and chance: all can be replaced, so that the same seed leads to the
	 * same history.
	 *
	 * @param instance the identity of the instance in the store
	 * @param secrets for values that a publisher of messages must not be able to guess
	 * @param jitter numbers from zero to one, so that instances do not act in step
	 */
	record Surroundings(LongSupplier clock, LeaseTimer timer, EngineThreads threads, String instance, Random secrets,
			DoubleSupplier jitter) {

		static Surroundings system(LongSupplier clock, String instance) {
			return new Surroundings(clock, new LeaseTimer(clock), new EngineThreads(), instance, new SecureRandom(),
					() -> ThreadLocalRandom.current().nextDouble());
		}

	}

}
