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

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;

import io.distributedlock.LockEvent;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * One holder's use of a lease, from the grant to the release or the loss. Refers to its
 * handle weakly: a hold whose handle is no longer reachable is released. Guarded by the
 * gate.
 */
final class Hold extends WeakReference<Handle> {

	private static final long NEVER = Long.MAX_VALUE;

	/** Written with the gate locked only, which makes it visible when it is unlocked. */
	private static final AtomicReferenceFieldUpdater<Hold, LockState> STATE = AtomicReferenceFieldUpdater
		.newUpdater(Hold.class, LockState.class, "state");

	final Lease lease;

	/** Guarded by the gate, except for reading the declared name. */
	private LockOptions options;

	/**
	 * The thread that may enter again, or {@code null} if there is none. Guarded by the
	 * gate; a name for messages may be an old one.
	 */
	private @Nullable Thread owner;

	final long since;

	final long fencingToken;

	private boolean observerInformed;

	/** How many handles are open. */
	private int depth = 1;

	/** Whether the last of them is being closed. */
	private boolean ending;

	@SuppressWarnings("NullAway.Init") // set by the constructor, through STATE
	private volatile LockState state;

	/** The lock of a view cannot outlive the thread that locked. */
	final boolean boundToOwner;

	private @Nullable Incidents incidents;

	private boolean minHoldWaived;

	private volatile boolean over;

	private Hold(Lease lease, LockOptions options, @Nullable Thread owner, boolean boundToOwner, long since,
			long fencingToken, Handle handle) {
		super(handle);
		this.lease = lease;
		this.options = options;
		this.owner = owner;
		this.boundToOwner = boundToOwner;
		this.since = since;
		this.fencingToken = fencingToken;
		state(LockState.HELD);
	}

	/**
	 * Create the hold of a waiter and its handle, and tie the two together.
	 */
	static Handle create(Lease lease, LockOptions options, @Nullable Thread owner, boolean boundToOwner,
			long fencingToken, long now) {
		Handle handle = new Handle();
		Hold hold = new Hold(lease, options, owner, boundToOwner, now, fencingToken, handle);
		handle.open(hold);
		return handle;
	}

	void openAnother(boolean renewal) {
		this.depth++;
		if (renewal) {
			incidents().renewalsByReentry++;
		}
	}

	/**
	 * Discount a handle.
	 * @return whether others are still open
	 */
	boolean closeOne(Handle closing) {
		this.depth--;
		if (closing.isRenewalByReentry()) {
			incidents().renewalsByReentry--;
		}
		Handle outermost = closing.isOutermost() ? null : get();
		if (outermost != null) {
			outermost.forget(closing);
		}
		if (this.depth > 0 && this.incidents != null) {
			this.incidents.forgetCallbacks(closing);
		}
		return this.depth > 0;
	}

	/** A handle is about to be discounted. */
	void closing() {
		this.ending = this.depth == 1;
	}

	/** Whether a handle is open, so that the work goes on. */
	boolean isOpen() {
		return this.depth != 0 && !this.ending;
	}

	/**
	 * The lease has a new holder, who may want another length than it has.
	 * @param handoffWindow for how long the next holder may follow soon
	 */
	void begin(long handoffWindow) {
		assert this.lease.gate.isLocked();
		long wanted = this.options.lease().toNanos();
		long left = this.lease.endsAt() - this.since;
		// A short section ends before the lease is adjusted, and saves the command: its
		// release is answered with the truth as well
		boolean suits = !this.lease.unconfirmed && Math.abs(left - wanted) <= wanted / 10
				&& this.lease.endsAtLatest() - this.since <= wanted + wanted / 10;
		if (suits) {
			this.lease.adjustAt(0);
		}
		else if (this.lease.adjustAt() == 0) {
			this.lease.adjustAt(this.since + Math.min(left / 10, handoffWindow));
		}
	}

	/**
	 * Return when the timer has to look at the lease: at the earliest of the times at
	 * which it has to be extended, asked for, is at risk, and is over. Code that changes
	 * one of these must schedule it again with the gate still locked. While a request for
	 * a lease is under way, no other one becomes due; its answer schedules the next look.
	 */
	long nextLook() {
		assert this.lease.gate.isLocked();
		long next = this.lease.deadline();
		if (this.state == LockState.HELD) {
			next = Math.min(next, this.lease.riskAt());
		}
		if (!this.lease.renewing && !this.lease.underWay) {
			next = Math.min(next, extensionDue());
		}
		return Math.min(next, this.lease.askAt(this.since));
	}

	boolean isExtensionDue(long now) {
		assert this.lease.gate.isLocked();
		return !this.lease.renewing && !this.lease.underWay && now >= extensionDue();
	}

	private long extensionDue() {
		if (this.lease.adjustAt() != 0) {
			return this.lease.adjustAt();
		}
		// The last renewal ends with the maximum hold
		return (wantsRenewal() && this.lease.endsAt() < maxHoldEndsAt()) ? this.lease.renewAt(this.options) : NEVER;
	}

	/**
	 * The store confirmed a lease that started at the given time.
	 */
	void confirmed(long sentAt, long length) {
		assert this.lease.gate.isLocked();
		this.lease.renewed(sentAt, length);
		if (this.state == LockState.AT_RISK) {
			state(LockState.HELD);
		}
	}

	/**
	 * Whether the deadline has passed. From the first answer that it has, it is so for
	 * good: a renewal that is answered later, or at this moment, does not revive the
	 * hold. May be asked without the gate.
	 */
	boolean isOver(long now) {
		if (!this.over && now >= this.lease.deadline()) {
			this.over = true;
		}
		return this.over;
	}

	LockState state() {
		return this.state;
	}

	boolean isActive() {
		LockState state = this.state;
		return state == LockState.HELD || state == LockState.AT_RISK;
	}

	void state(LockState state) {
		STATE.lazySet(this, state);
	}

	LockOptions options() {
		return this.options;
	}

	void options(LockOptions options) {
		this.options = options;
	}

	@Nullable Thread owner() {
		return this.owner;
	}

	void detach() {
		this.owner = null;
	}

	String ownerName() {
		Thread owner = this.owner;
		return (owner != null) ? owner.getName() : "async";
	}

	boolean wantsRenewal() {
		return this.options.autoRenew() || (this.incidents != null && this.incidents.renewalsByReentry > 0);
	}

	/**
	 * The holder asked for a lease with this end, regardless of its options.
	 */
	void extendedUntil(long time) {
		incidents().extendedUntil = Math.max(incidents().extendedUntil, time);
	}

	boolean wasExtended() {
		return this.incidents != null && this.incidents.extendedUntil > Long.MIN_VALUE / 2;
	}

	/**
	 * Return the lease that the holder has asked for and has not used up, counted from
	 * now: not what an earlier holder of the same grant left over.
	 */
	long wantedLease(long now) {
		long lease = this.options.lease().toNanos();
		if (wantsRenewal() && this.options.maxHold() != null) {
			lease = Math.max(Math.min(lease, maxHoldEndsAt() - now), Lease.MILLI);
		}
		return (this.incidents != null) ? Math.max(lease, this.incidents.extendedUntil - now) : lease;
	}

	/**
	 * Return the end of the maximum hold, beyond which nothing but an extension by the
	 * holder keeps the lock.
	 */
	long maxHoldEndsAt() {
		return (this.options.maxHold() != null) ? this.since + Lease.nanos(this.options.maxHold()) : Long.MAX_VALUE;
	}

	/**
	 * Return until when the lock has to stay taken although it is released.
	 */
	long keepUntil() {
		return this.minHoldWaived ? this.since : this.since + this.options.minHold().toNanos();
	}

	void waiveMinHold() {
		this.minHoldWaived = true;
	}

	Incidents incidents() {
		if (this.incidents == null) {
			this.incidents = new Incidents();
		}
		return this.incidents;
	}

	LockEvent.@Nullable Lost loss() {
		// Read once, since holders ask without the lock of the gate
		Incidents incidents = this.incidents;
		return (incidents != null) ? incidents.loss : null;
	}

	@Nullable Object observed() {
		return (this.incidents != null) ? this.incidents.observed : null;
	}

	void observed(@Nullable Object observed) {
		this.observerInformed = true;
		if (observed != null) {
			incidents().observed = observed;
		}
	}

	boolean isObserverInformed() {
		return this.observerInformed;
	}

	@Nullable Throwable acquiredAt() {
		return (this.incidents != null) ? this.incidents.acquiredAt : null;
	}

	@Nullable HolderInterrupt interrupt() {
		return (this.incidents != null) ? this.incidents.interrupt : null;
	}

	/**
	 * State that most holds never need.
	 */
	static final class Incidents {

		volatile LockEvent.@Nullable Lost loss;

		private @Nullable HolderInterrupt interrupt;

		boolean longHoldTold;

		private @Nullable Object observed;

		/** How many open handles want renewal although the outermost did not. */
		private int renewalsByReentry;

		/** Until when the holder extended the lease by itself. */
		private long extendedUntil = Long.MIN_VALUE / 2;

		/** Where the lock was acquired, if that is traced. */
		@Nullable Throwable acquiredAt;

		private @Nullable List<Callback> callbacks;

		void interrupt(Thread owner) {
			this.interrupt = new HolderInterrupt(owner);
		}

		void callback(Handle handle, Consumer<LockEvent.Lost> callback) {
			if (this.callbacks == null) {
				this.callbacks = new ArrayList<>(1);
			}
			this.callbacks.add(new Callback(new WeakReference<>(handle), callback));
		}

		void forgetCallbacks(Handle closed) {
			if (this.callbacks != null) {
				this.callbacks.removeIf((callback) -> callback.handle.refersTo(closed));
			}
		}

		List<Consumer<LockEvent.Lost>> takeCallbacks() {
			List<Callback> callbacks = this.callbacks;
			this.callbacks = null;
			return (callbacks != null) ? callbacks.stream().map(Callback::action).toList() : List.of();
		}

	}

	/**
	 * A reaction to a loss, which must not keep its handle alive.
	 */
	private record Callback(WeakReference<Handle> handle, Consumer<LockEvent.Lost> action) {

	}

}
