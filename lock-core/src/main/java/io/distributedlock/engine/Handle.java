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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.distributedlock.LockContext;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockObserver;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.engine.Waiter.Outcome;
import io.distributedlock.internal.DeferredInterrupts;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.LockRecord;
import io.distributedlock.internal.Printable;
import io.distributedlock.internal.WorkUnderLock;
import io.distributedlock.store.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The handle of the holder: a view of a {@link Hold} that can be closed once. Re-entry
 * creates further handles on the same hold.
 */
final class Handle implements LockHandle, LockRecord, WorkUnderLock.Observed, WorkUnderLock.MinHold, Outcome {

	private static final VarHandle CLOSED;

	static {
		try {
			CLOSED = MethodHandles.lookup().findVarHandle(Handle.class, "closed", boolean.class);
		}
		catch (ReflectiveOperationException ex) {
			throw new ExceptionInInitializerError(ex);
		}
	}

	private Hold hold;

	/**
	 * In the outermost handle: the last open inner handle, if any. In an inner handle:
	 * the previous handle. This chain keeps the outermost handle alive, which the hold
	 * references. Guarded by the gate.
	 */
	private @Nullable Handle link;

	private boolean inner;

	private boolean renewalByReentry;

	private volatile boolean closed;

	@SuppressWarnings("NullAway.Init") // open sets the hold before this escapes
	Handle() {
	}

	private EngineOperations engine() {
		return this.hold.lease.gate.engine;
	}

	void open(Hold hold) {
		this.hold = hold;
	}

	/**
	 * Return another handle on the hold of this outermost one.
	 */
	Handle reenter(boolean renewal) {
		assert isOutermost() && this.hold.lease.gate.isLocked();
		Handle entering = new Handle();
		entering.hold = this.hold;
		entering.inner = true;
		entering.renewalByReentry = renewal;
		entering.link = (this.link != null) ? this.link : this;
		this.link = entering;
		return entering;
	}

	void forget(Handle closed) {
		assert isOutermost() && this.hold.lease.gate.isLocked();
		for (Handle at = this; at.link != null && (at == this || at.link != this); at = at.link) {
			if (at.link == closed) {
				at.link = (at == this && closed.link == this) ? null : closed.link;
				return;
			}
		}
	}

	/**
	 * Return this outermost handle or, if it was closed before the others, the oldest
	 * open inner handle.
	 */
	@Nullable Handle firstOpen() {
		assert isOutermost() && this.hold.lease.gate.isLocked();
		Handle first = this.closed ? null : this;
		for (Handle at = this.link; first != this && at != null && at != this; at = at.link) {
			first = at.closed ? first : at;
		}
		return first;
	}

	/**
	 * Return the handles on a lock that the context of the calling thread has. Handles of
	 * others may do anything, so no gate is locked here.
	 */
	static List<Handle> inContext(String name) {
		List<LockHandle> context = LockContext.all();
		if (context.isEmpty()) {
			return List.of();
		}
		List<Handle> handles = new ArrayList<>();
		for (LockHandle handle : context) {
			for (LockHandle part : handle.parts()) {
				if (part instanceof Handle own && own.name().equals(name)) {
					handles.add(own);
				}
			}
		}
		return handles;
	}

	boolean isClosed() {
		return this.closed;
	}

	Hold hold() {
		return this.hold;
	}

	boolean isOf(EngineOperations engine) {
		return engine() == engine;
	}

	boolean isOutermost() {
		return !this.inner;
	}

	boolean isRenewalByReentry() {
		return this.renewalByReentry;
	}

	@Override
	public String name() {
		return this.hold.lease.gate.name;
	}

	@Override
	public long fencingToken() {
		return this.hold.fencingToken;
	}

	@Override
	public LockState state() {
		engine().expireIfOver(this.hold);
		return this.closed ? LockState.RELEASED : this.hold.state();
	}

	@Override
	public boolean isHeld() {
		return !this.closed && this.hold.isActive() && !this.hold.isOver(engine().now());
	}

	@Override
	public Duration remaining() {
		if (!isHeld()) {
			return Duration.ZERO;
		}
		return this.hold.lease.remaining(engine().now());
	}

	@Override
	public void assertHeld() {
		engine().expireIfOver(this.hold);
		LockEvent.Lost loss = this.hold.loss();
		if (loss != null) {
			throw new LockLostException(loss);
		}
		assertOpen();
	}

	private void assertOpen() {
		if (this.closed) {
			throw new IllegalStateException("The handle of lock '" + Printable.of(name())
					+ "' was closed already. Close a handle only after the work that needs the lock.");
		}
	}

	@Override
	public void extend(Duration additional) {
		assertHeld();
		Failures.join(name(), requestExtension(additional));
	}

	@Override
	public CompletableFuture<Void> extendAsync(Duration additional) {
		return engine().completeElsewhere(requestExtension(additional));
	}

	/**
	 * Return a future that fails with the exceptions of {@link #extend}, except for a
	 * wrong argument.
	 */
	CompletableFuture<Void> requestExtension(Duration additional) {
		if (additional.isNegative() || additional.isZero()) {
			throw new IllegalArgumentException(
					"The time to add to the lease is %s, but must be positive.".formatted(additional));
		}
		try {
			assertHeld();
		}
		catch (LockLostException | IllegalStateException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return engine().extend(this.hold, additional);
	}

	/**
	 * Ensure that at least the given length of the lease remains, counted from now.
	 */
	CompletableFuture<Void> refresh(Duration length) {
		return engine().completeElsewhere(engine().refresh(this.hold, length));
	}

	/**
	 * Continue with other options, unless this is a re-entry: then the outermost handle
	 * has them.
	 */
	void adopt(LockOptions options) {
		if (isOutermost()) {
			engine().adopt(this.hold, options);
		}
	}

	@Override
	public CompletableFuture<Answer> replaceRecord(@Nullable String expected, String text, Duration timeToLive) {
		try {
			assertHeld();
			assertAlone();
		}
		catch (LockLostException | IllegalStateException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return engine().completeElsewhere(engine().replaceRecord(this.hold, expected, text, timeToLive));
	}

	private void assertAlone() {
		if (this.hold.lease.gate.limit() != 1) {
			throw new IllegalStateException("Lock '" + Printable.of(name())
					+ "' can have no record, because this holder accepts others beside it. Hold it alone: with one permit, and not shared.");
		}
	}

	@Override
	public void onLost(Consumer<LockEvent.Lost> callback) {
		engine().onLost(this, callback);
	}

	@Override
	public LockHandle detach() {
		Runnable callingOff = this.hold.lease.gate.locked(() -> {
			this.hold.lease.gate.detach(this.hold);
			return (this.hold.interrupt() != null) ? this.hold.interrupt()::callOff : null;
		});
		if (callingOff != null) {
			callingOff.run();
		}
		return this;
	}

	@Override
	public void waive() {
		if (isOutermost()) {
			this.hold.lease.gate.locked(() -> {
				this.hold.waiveMinHold();
				return null;
			});
		}
	}

	@Override
	public LockObserver.@Nullable Scope openScope() {
		return engine().openScope(this);
	}

	@Override
	public Map<String, Object> contextValues() {
		return engine().contextValues(this.hold);
	}

	/**
	 * Let the scope around this thread keep the lock if it needs it longer.
	 */
	void closing() {
		if (!this.closed) {
			engine().closing(this);
		}
	}

	Release startRelease() {
		return markClosed() ? engine().release(this) : Release.DONE;
	}

	@Override
	public void release() {
		closing();
		startRelease().awaitStrictly();
	}

	@Override
	public CompletableFuture<Void> releaseAsync() {
		return startRelease().toFuture(engine().completions());
	}

	@Override
	public void close() {
		closing();
		startRelease().finish();
	}

	/**
	 * Close, and return the loss if the lock had been lost, which the answer of the store
	 * may reveal.
	 */
	LockEvent.@Nullable Lost closeAndTell() {
		closing();
		return startRelease().await();
	}

	private boolean markClosed() {
		return CLOSED.compareAndSet(this, false, true);
	}

	@Override
	public String toString() {
		return "lock '%s' (%s, fencing token %d)".formatted(Printable.of(name()), state(), fencingToken());
	}

	/**
	 * The progress or result of the release of a hold. Listeners are notified in the
	 * thread that awaits the answer, never in a thread of the store, because they are
	 * user code.
	 */
	static final class Release {

		/** Nothing was to be done, or it was done without the store. */
		static final Release DONE = new Release(null, null, null, 0);

		private final LockEvent.@Nullable Lost loss;

		private final @Nullable CompletableFuture<@Nullable ReleaseOutcome> answer;

		private final @Nullable Hold hold;

		private final long releasedAt;

		private Release(LockEvent.@Nullable Lost loss, @Nullable CompletableFuture<@Nullable ReleaseOutcome> answer,
				@Nullable Hold hold, long releasedAt) {
			this.loss = loss;
			this.answer = answer;
			this.hold = hold;
			this.releasedAt = releasedAt;
		}

		static Release lost(LockEvent.Lost loss) {
			return new Release(loss, null, null, 0);
		}

		/**
		 * The store was asked.
		 * @param releasedAt when the holder was done
		 */
		static Release asked(Hold hold, CompletableFuture<@Nullable ReleaseOutcome> answer, long releasedAt) {
			return new Release(null, answer, hold, releasedAt);
		}

		/**
		 * Wait for the answer of the store, whatever it is, unless the settings say not
		 * to wait.
		 */
		void finish() {
			if (!finishedLater()) {
				await();
			}
		}

		private boolean finishedLater() {
			return this.answer != null && this.hold != null
					&& this.hold.lease.gate.engine.releasedLater(this.hold, this.answer, this.releasedAt);
		}

		/**
		 * Wait for the answer of the store, whatever it is. Interrupts do not end this.
		 * @return the loss, if it is known that the lock had been lost
		 */
		LockEvent.@Nullable Lost await() {
			try {
				return conclude();
			}
			catch (RuntimeException ex) {
				return null;
			}
		}

		/**
		 * Wait for the answer of the store and throw unless it confirms the release.
		 */
		void awaitStrictly() {
			LockEvent.Lost found = conclude();
			if (found != null) {
				throw new LockLostException(found);
			}
		}

		private LockEvent.@Nullable Lost conclude() {
			if (this.answer == null) {
				return this.loss;
			}
			ReleaseOutcome outcome;
			try {
				outcome = DeferredInterrupts.join(this.answer);
			}
			catch (CompletionException | CancellationException ex) {
				return conclude(null, ex);
			}
			return conclude(outcome, null);
		}

		/**
		 * Notify the listeners, and return the loss that the answer reveals, or throw if
		 * there is no answer.
		 */
		private LockEvent.@Nullable Lost conclude(@Nullable ReleaseOutcome outcome, @Nullable Throwable failure) {
			Hold released = this.hold;
			return (released != null) ? released.lease.gate.engine.released(released, outcome, failure, this.releasedAt)
					: null;
		}

		/**
		 * Return a future that completes normally when the store has answered or failed,
		 * or immediately if the settings say not to wait for that.
		 */
		CompletableFuture<Void> toFuture(Executor completions) {
			if (this.answer == null || finishedLater()) {
				return CompletableFuture.completedFuture(null);
			}
			return (this.answer.isDone() ? this.answer.handle(this::conclude)
					: this.answer.handleAsync(this::conclude, completions))
				.handle((found, failure) -> null);
		}

	}

}
