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
 * Whether the lock is held is judged by this JVM's monotonic clock against a deadline
 * that lies before the moment at which the store frees the lock, so the answers of
 * {@link #isHeld()}, {@link #remaining()} and {@link #state()} cost no command and err on
 * the safe side.
 *
 * <p>
 * A handle that becomes unreachable without having been closed is not renewed any more
 * and gives its lock back, with a warning in the log.
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
	 * token of every earlier holder of this lock. It belongs to the handle and does not
	 * change. A resource that remembers the largest token it has seen, and refuses
	 * smaller ones, is safe from holders that do not know yet that they lost the lock.
	 * @return the fencing token
	 * @throws IllegalStateException if this handle is on several locks; ask its
	 * {@link #parts()}
	 */
	long fencingToken();

	/**
	 * Return the handles of the single locks.
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
	 * Tell whether the lock is surely still held, without asking the store.
	 * @return {@code false} once released, lost or past the deadline
	 */
	boolean isHeld();

	/**
	 * Return how long the lock is surely still held if it is not renewed.
	 * @return the time until the deadline; zero once released or lost, never negative
	 */
	Duration remaining();

	/**
	 * Go on only if the lock is surely still held, without asking the store.
	 * @throws LockLostException if it was lost
	 * @throws IllegalStateException if this handle was closed already
	 */
	void assertHeld();

	/**
	 * Go on only if the lock is surely still held, or was released by the work itself.
	 * @throws LockLostException if it was lost
	 */
	default void assertNotLost() {
		if (state() != LockState.RELEASED) {
			assertHeld();
		}
	}

	/**
	 * Add to the lease: the lock will be held for {@link #remaining()} plus the given
	 * time. Asks the store.
	 * @param additional the time to add, positive
	 * @throws LockLostException if the lock was lost
	 * @throws LockUnavailableException if the store cannot be reached; the lease is then
	 * as it was, or longer
	 * @throws IllegalStateException if this handle was closed already
	 * @throws IllegalArgumentException if the time is not positive
	 */
	void extend(Duration additional);

	/**
	 * Add to the lease without blocking a thread; otherwise like
	 * {@link #extend(Duration)}.
	 * @param additional the time to add, positive
	 * @return a future that completes when the store has answered
	 */
	CompletableFuture<Void> extendAsync(Duration additional);

	/**
	 * Be told when this hold is lost before it was released. Called once, in a thread of
	 * the lock service; at once if it is lost already, never after a release.
	 * @param callback is given the event that tells the likely cause
	 */
	void onLost(Consumer<LockEvent.Lost> callback);

	/**
	 * Take the lock from the thread that acquired it, before the handle goes to another
	 * thread or into a callback: the thread does not enter the lock again any more, and
	 * is not interrupted when it is lost. Without this, the next task of a pooled thread
	 * would find the lock of the task before and run under it. Asynchronous acquisitions
	 * belong to no thread from the start. Applies to all handles on the same hold. A
	 * second call does nothing.
	 * @return this handle
	 * @see LockService#reenter(LockHandle, LockOptions)
	 */
	LockHandle detach();

	/**
	 * Let the next release take effect at once, whatever {@link LockOptions#minHold()}
	 * says: for work that failed and may be tried again.
	 */
	void waiveMinHold();

	/**
	 * Release the lock and insist on the answer. Use {@link #close()} where a problem
	 * with the release must not disturb the caller. A second call does nothing.
	 * @throws LockLostException if the lock had been lost before
	 * @throws LockUnavailableException if the store could not be told: the lock is then
	 * released in the background, at the latest when its lease ends
	 */
	void release();

	/**
	 * Release the lock without blocking a thread. Problems are logged, as with
	 * {@link #close()}. A second call does nothing.
	 * @return a future that completes normally when the lock has been released or given
	 * up
	 */
	CompletableFuture<Void> releaseAsync();

	/**
	 * Release the lock. Never throws: a lock that was lost before, or a store that cannot
	 * be told, is logged and reported to the listeners. The interrupt flag neither
	 * prevents the release nor is it cleared. A second call does nothing.
	 */
	@Override
	void close();

	/**
	 * Release the lock after work that failed or was not done: at once, whatever
	 * {@link LockOptions#minHold()} says. Otherwise like {@link #close()}.
	 */
	default void discard() {
		waiveMinHold();
		close();
	}

	/**
	 * Release the lock after work that failed or was not done: at once, whatever
	 * {@link LockOptions#minHold()} says. Otherwise like {@link #releaseAsync()}.
	 * @return a future that completes when the store has answered or failed
	 */
	default CompletableFuture<Void> discardAsync() {
		waiveMinHold();
		return releaseAsync();
	}

}
