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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockState;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * The time for which a candidate leads. All but {@link #over} and the handles is guarded
 * by the lock of the campaign.
 */
final class Term {

	/** Closed when the leader resigns. */
	final LockHandle handle;

	final View view;

	/** The candidate does not lead any more. */
	volatile boolean over;

	/** The lock was lost after the leader had begun to resign. */
	boolean taken;

	/** The callbacks of the end have returned. */
	boolean revoked;

	/**
	 * Complete when the callbacks of the end have returned and the lock is released, or
	 * was taken by a lock service that closes.
	 */
	final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

	/** The callbacks of the beginning that were not called yet, in this order. */
	private final Deque<Registration> waiting = new ArrayDeque<>();

	private final Set<Registration> called = new HashSet<>();

	/** A thread calls back, or is about to. */
	private boolean calling;

	private @Nullable Thread caller;

	/** Calls back at the end. */
	private @Nullable Thread ender;

	/**
	 * Create a term, with another handle on the same hold if the lock service has one.
	 */
	Term(LockHandle handle, @Nullable LockHandle reentered) {
		this.handle = handle;
		this.view = new View(reentered);
	}

	/**
	 * Add a callback of the beginning after the others.
	 * @return whether the caller has to find a thread for it
	 */
	boolean enqueue(Registration registration) {
		this.waiting.add(registration);
		boolean first = !this.calling;
		this.calling = true;
		return first;
	}

	/**
	 * Return the next callback for the current thread to call, and count it as called.
	 * @return {@code null} if none is left or the term is over: then this thread calls no
	 * more callbacks
	 */
	@Nullable Registration next() {
		Registration next = this.over ? null : this.waiting.poll();
		this.calling = next != null;
		this.caller = (next != null) ? Thread.currentThread() : null;
		if (next != null) {
			this.called.add(next);
		}
		return next;
	}

	/**
	 * There is no thread for the callbacks.
	 */
	void giveUpCalling() {
		this.waiting.clear();
		this.calling = false;
	}

	/**
	 * Whether the listeners, which come first, were notified of the beginning.
	 */
	boolean isAnnounced() {
		return !this.called.isEmpty();
	}

	boolean hasCalled(Registration registration) {
		return this.called.contains(registration);
	}

	boolean isQuiet() {
		return !this.calling;
	}

	boolean isBusyElsewhere() {
		return this.caller != null && this.caller != Thread.currentThread();
	}

	/**
	 * Whether the current thread is in a callback of the beginning.
	 */
	boolean isBusyHere() {
		return this.caller == Thread.currentThread();
	}

	/**
	 * Whether the current thread is in a callback of the beginning or of the end.
	 */
	boolean isCalledHere() {
		return isBusyHere() || this.ender == Thread.currentThread();
	}

	void endHere() {
		this.over = true;
		this.ender = Thread.currentThread();
	}

	void revoked() {
		this.revoked = true;
		this.ender = null;
	}

	void release() {
		this.view.end();
		this.handle.close();
	}

	/**
	 * The lock of a leader, for user code: all share it, so nobody can close it, and it
	 * is held as long as the candidate leads.
	 */
	final class View implements LockHandle {

		private final @Nullable LockHandle reentered;

		private View(@Nullable LockHandle reentered) {
			this.reentered = reentered;
		}

		@Override
		public String name() {
			return Term.this.handle.name();
		}

		@Override
		public long fencingToken() {
			return Term.this.handle.fencingToken();
		}

		/**
		 * The lock service knows only its own handles, so this contains one of them.
		 */
		@Override
		public List<LockHandle> parts() {
			return List.of((this.reentered != null) ? this.reentered : this);
		}

		@Override
		public LockState state() {
			LockState state = Term.this.handle.state();
			return (Term.this.over && state != LockState.LOST) ? LockState.RELEASED : state;
		}

		@Override
		public boolean isHeld() {
			return !Term.this.over && Term.this.handle.isHeld();
		}

		@Override
		public Duration remaining() {
			return Term.this.over ? Duration.ZERO : Term.this.handle.remaining();
		}

		@Override
		public void assertHeld() {
			Term.this.handle.assertHeld();
			if (Term.this.over) {
				throw resigned();
			}
		}

		private IllegalStateException resigned() {
			return new IllegalStateException(
					"The leader '%s' has resigned, so its lock is no longer held. Resign only after the work that needs the lock."
						.formatted(Printable.of(name())));
		}

		@Override
		public void extend(Duration additional) {
			assertHeld();
			Term.this.handle.extend(additional);
		}

		@Override
		public CompletableFuture<Void> extendAsync(Duration additional) {
			return Term.this.over ? CompletableFuture.failedFuture(resigned())
					: Term.this.handle.extendAsync(additional);
		}

		@Override
		public void onLost(Consumer<LockEvent.Lost> callback) {
			Term.this.handle.onLost(callback);
		}

		@Override
		public LockHandle detach() {
			return this;
		}

		@Override
		public void release() {
			// The leader releases it
		}

		@Override
		public CompletableFuture<Void> releaseAsync() {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void close() {
			// The leader closes it
		}

		void end() {
			if (this.reentered != null) {
				this.reentered.close();
			}
		}

		@Override
		public String toString() {
			return Term.this.handle.toString();
		}

	}

	/**
	 * The callbacks of one registration. Two registrations are never equal, even if they
	 * have the same callbacks.
	 */
	static final class Registration {

		final @Nullable Consumer<LockHandle> elected;

		final @Nullable Consumer<LeadershipEvent.Revoked> revoked;

		Registration(@Nullable Consumer<LockHandle> elected, @Nullable Consumer<LeadershipEvent.Revoked> revoked) {
			this.elected = elected;
			this.revoked = revoked;
		}

		/**
		 * Return whether to call this at the end of a term: not if its callback for the
		 * beginning exists but was not called.
		 */
		boolean isConcernedByEndOf(Term term) {
			return this.revoked != null && (this.elected == null || term.hasCalled(this));
		}

	}

}
