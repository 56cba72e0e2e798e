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

package io.distributedlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The hold of a lock, and the only way to release it. Before it is handed to another
 * thread, {@linkplain #detach() detach} it, or acquire it asynchronously.
 *
 * <p>
 * {@link #isHeld()}, {@link #remaining()} and {@link #state()} compare this JVM's
 * monotonic clock with a deadline that lies before the moment at which the store frees
 * the lock. They send no command and err on the safe side.
 *
 * <p>
 * If a handle becomes unreachable without having been closed, renewal stops and the lock
 * is released, with a warning in the log.
 *
 * @since 0.1.0
 */
public interface LockHandle extends AutoCloseable {

	/**
	 * Return the name of the lock. A handle on several locks returns their names, joined
	 * by {@code ", "}.
	 * @return the name
	 */
	String name();

	/**
	 * Return the fencing token of this hold: a positive number that is larger than the
	 * token of every earlier holder of this lock, with few exceptions. It can be smaller
	 * if the store has lost or forgotten the last token and its clock is behind, and, for
	 * a moment, on an instance that has not noticed yet that the store lost its data.
	 * Among several holders at the same time, the order means nothing. The token belongs
	 * to the handle and does not change. A resource that remembers the largest token it
	 * has seen and rejects smaller ones is safe from holders that have lost the lock
	 * without noticing it yet.
	 * @return the fencing token
	 * @throws IllegalStateException if this handle is on several locks; ask its
	 * {@link #parts()}
	 */
	long fencingToken();

	/**
	 * Return the handles of the individual locks.
	 * @return one handle for each lock in the order of the names; just this handle if
	 * there is only one lock
	 */
	default List<LockHandle> parts() {
		return List.of(this);
	}

	/**
	 * Return the state of this hold, without asking the store.
	 * @return the state
	 */
	LockState state();

	/**
	 * Return whether the lock is certain to be held, without asking the store.
	 * @return {@code false} once released, lost or past the deadline, and from then on
	 * for good
	 */
	boolean isHeld();

	/**
	 * Return how long the lock is certain to be held without a renewal.
	 * @return the time until the deadline; zero once released or lost, never negative
	 */
	Duration remaining();

	/**
	 * Ensure that the lock is still held, without asking the store.
	 * @throws LockLostException if it was lost
	 * @throws IllegalStateException if this handle was closed already
	 */
	void assertHeld();

	/**
	 * Extend the lease: the lock is then held for {@link #remaining()} plus the given
	 * time, also beyond the maximum hold, which limits renewals only. Asks the store.
	 * @param additional the time to add, positive
	 * @throws LockLostException if the lock was lost
	 * @throws LockUnavailableException if the store cannot be reached; the lease is then
	 * as it was, or longer
	 * @throws IllegalStateException if this handle was closed already
	 * @throws IllegalArgumentException if the time is not positive
	 */
	void extend(Duration additional);

	/**
	 * Extend the lease without blocking a thread; otherwise like
	 * {@link #extend(Duration)}.
	 * @param additional the time to add, positive
	 * @return a future that completes when the store has answered
	 */
	CompletableFuture<Void> extendAsync(Duration additional);

	/**
	 * Register a callback for the loss of this hold. It is called once, in a thread of
	 * the lock service: immediately if the hold is already lost, and never after this
	 * handle was released. A callback may block; others are still called.
	 * @param callback receives the event that states the likely cause
	 */
	void onLost(Consumer<LockEvent.Lost> callback);

	/**
	 * Detach the lock from the thread that acquired it, before the handle is passed to
	 * another thread or to a callback. From then on the thread does not re-enter the lock
	 * and is not interrupted when it is lost. Without this call, the next task of a
	 * pooled thread would find the lock of the previous task and run under it.
	 * Asynchronous acquisitions never belong to a thread. Applies to all handles on the
	 * same hold. A second call does nothing.
	 * @return this handle
	 * @see LockService#reenter(LockHandle, LockOptions)
	 */
	LockHandle detach();

	/**
	 * Release the lock and throw if that fails. Use {@link #close()} where a failed
	 * release must not affect the caller. A second call does nothing.
	 * @throws LockLostException if the lock had been lost before
	 * @throws LockUnavailableException if the release did not reach the store: the lock
	 * is then released in the background, at the latest when its lease ends
	 */
	void release();

	/**
	 * Release the lock without blocking a thread. Problems are logged, as with
	 * {@link #close()}. A second call does nothing.
	 * @return a future that completes normally when the lock has been released or
	 * abandoned; with {@code distributed-lock.release.await=false} it is complete as soon
	 * as the release was sent
	 */
	CompletableFuture<Void> releaseAsync();

	/**
	 * Release the lock. Never throws: if the lock was already lost, or if the release
	 * does not reach the store, this is logged and reported to the listeners. An
	 * interrupt does not prevent the release, and its flag stays set unless it is the one
	 * for the loss of this lock ({@link OnLost#INTERRUPT}) and the thread has not noticed
	 * it. A second call does nothing.
	 * <p>
	 * Waits until the store has confirmed the release or failed to, unless
	 * {@code distributed-lock.release.await=false}: then it returns once the release was
	 * sent.
	 */
	@Override
	void close();

}
