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

import java.util.Optional;
import java.util.function.Consumer;

import io.distributedlock.LockHandle;
import io.distributedlock.internal.Printable;

/**
 * A candidacy for the leadership of a name. The candidate leads while it holds the lock
 * of that name, waits for the lock otherwise, and becomes a candidate again after a loss.
 *
 * <p>
 * {@link #isLeader()} turns false by the clock of this JVM, before the store frees the
 * lock and so before another candidate can lead. Running work is not stopped at that
 * moment. Check before each step that must not overlap, stop the work in
 * {@link #onRevoked}, and send the {@linkplain #fencingToken() fencing token} with
 * everything that the leader writes. Another candidate can lead before this one notices
 * only if the lock was taken by force, or if the store has lost it.
 *
 * <p>
 * Callbacks are called in a thread of the {@link LeaderElection} or the lock service or,
 * at a resignation, in the thread that resigns. In each term, the {@link #onElected}
 * callbacks are called one after the other, then the {@link #onRevoked} callbacks. If an
 * {@link #onElected} callback has not returned when the leadership ends, the
 * {@link #onRevoked} callbacks wait for it, but at most a twentieth of the lease or half
 * a second, whichever is shorter. A leader that resigns also waits for it before it
 * releases the lock, but at most 30 s. It becomes a candidate again only when all
 * callbacks have returned. Exceptions and errors of callbacks are logged; they affect
 * neither other callbacks nor the candidacy.
 *
 * <p>
 * A callback stays registered for all terms and cannot be removed: register each one
 * once, not in a callback that is called in each term. To start and stop something in
 * each term, use {@link #onElected(Consumer, Consumer)}.
 *
 * @since 0.1.0
 */
public interface Leadership extends AutoCloseable {

	/**
	 * Return the name of the leadership, which is also the name of its lock.
	 * @return the name
	 */
	String name();

	/**
	 * Return whether this candidate is certain to lead, without asking the store: a
	 * comparison with the clock of this JVM, cheap enough for every request.
	 * @return {@code false} while another candidate leads, or none does
	 */
	boolean isLeader();

	/**
	 * Return the handle of the present term, for code that works under a handle. All
	 * callers share it, and it belongs to the leader: {@code close()}, {@code release()}
	 * and their variants do nothing. It is held for as long as this candidate leads, and
	 * {@linkplain io.distributedlock.LockService#reenter re-entered} like any other.
	 * @return the handle, or empty if this candidate does not lead
	 */
	Optional<LockHandle> handle();

	/**
	 * Return the fencing token of the present term: larger than that of every earlier
	 * leader.
	 * @return the fencing token
	 * @throws IllegalStateException if this candidate does not lead
	 */
	default long fencingToken() {
		return handle().orElseThrow(() -> new IllegalStateException(
				"This candidate for the leadership '%s' does not lead, so it has no fencing token. Check isLeader() before."
					.formatted(Printable.of(name()))))
			.fencingToken();
	}

	/**
	 * Register a callback for the beginning of each term; if this candidate already
	 * leads, it is called for the present term as well, after the others. It may block,
	 * but must then check its handle and return when the leadership ends; callbacks that
	 * were registered later are called only after it has returned.
	 * @param callback receives the handle of the term, as {@link #handle()} returns it
	 */
	void onElected(Consumer<LockHandle> callback);

	/**
	 * Register callbacks for the beginning and the end of each term that belong together,
	 * such as start and stop. The second callback is called exactly for the terms in
	 * which the first one was called.
	 * @param elected as in {@link #onElected(Consumer)}
	 * @param revoked as in {@link #onRevoked}
	 */
	void onElected(Consumer<LockHandle> elected, Consumer<LeadershipEvent.Revoked> revoked);

	/**
	 * Register a callback for the end of each term, including a term that ended before
	 * all callbacks of its beginning were called. After a loss it is called when
	 * {@link #isLeader()} has turned false: at the deadline, which lies at least a tenth
	 * of the lease or a second, whichever is shorter, before the store frees the lock. At
	 * a resignation it is called before the lock is released, so the next leader begins
	 * after it has returned.
	 * @param callback receives the token of the term, and the loss, if there was one
	 */
	void onRevoked(Consumer<LeadershipEvent.Revoked> callback);

	/**
	 * Resign and stand again: {@link #isLeader()} turns false immediately, the callbacks
	 * of {@link #onRevoked} are called in this thread, and the lock is released when they
	 * and those of {@link #onElected} have returned. The latter are awaited for up to 30
	 * s, unless one of them calls this. If other candidates wait, the first of them leads
	 * next. Does nothing if this candidate does not lead.
	 */
	void stepDown();

	/**
	 * Resign like {@link #stepDown()} and do not stand again; the next candidate then
	 * leads immediately. If the leadership is ending already, because another thread has
	 * called this or {@link #stepDown()}, or because the lock was lost, this waits until
	 * that thread has called the callbacks of {@link #onRevoked} and released the lock,
	 * but at most 30 s, and not in one of these callbacks. Never throws.
	 */
	@Override
	void close();

}
