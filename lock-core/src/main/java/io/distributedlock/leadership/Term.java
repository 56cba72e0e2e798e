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

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * The time for which a candidate leads. All but {@link #over} and the handles is guarded
 * by the lock of the campaign.
 */
final class Term {

	/** Closed when the leader resigns. */
	final LockHandle handle;

	final LeaderHandle view;

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
		this.view = new LeaderHandle(this, reentered);
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

}
