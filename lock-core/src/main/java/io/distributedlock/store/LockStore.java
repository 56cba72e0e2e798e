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

package io.distributedlock.store;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockUnavailableException;

/**
 * Keeps the locks that all instances share. Asynchronous throughout, so that one engine
 * serves blocking and non-blocking callers.
 *
 * <p>
 * <b>Every future completes</b> within the command timeout of the store, in any thread,
 * possibly before it is returned. It fails with a {@link LockUnavailableException} if it
 * is unknown whether the command was carried out and a retry may help, and with a
 * {@link LockConfigurationException} if a retry is useless. No method throws these
 * directly. Timeouts cancel the command, so that it is not sent later.
 *
 * <p>
 * <b>Commands for one name are carried out in the order in which they were submitted</b>,
 * even after a timeout, unless the connection was lost in between. A release therefore
 * cleans up after an acquire that was never answered.
 *
 * <p>
 * <b>All commands are idempotent by token</b>: repeating one with the same token does no
 * harm and, unless something else happened in between, returns the same answer.
 *
 * @since 0.1.0
 */
public interface LockStore extends AutoCloseable {

	/**
	 * Take the lock if it is free or already held with the same token: the lease then
	 * restarts, but is never shortened, and the fencing tokens stay the same. Take it
	 * beside other holders if all of them and the request accept one more holder, and no
	 * waiter is ahead, unless the request names a holder to be beside. Otherwise, if the
	 * request contains a place in the queue, enter the queue or confirm that place. A
	 * token that has a place should confirm it with every request: if a request without a
	 * place takes the lock, the place may remain until the release.
	 * @param request the request
	 * @return a future of the outcome
	 */
	CompletableFuture<AcquireOutcome> acquire(AcquireRequest request);

	/**
	 * Restart leases. Never creates a lock that is gone, and shortens a lease only if the
	 * extension requests it.
	 * @param extensions the leases to extend, of different names or tokens
	 * @return one future for each extension, in their order; one slow lock or node does
	 * not delay the futures of others
	 */
	List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions);

	/**
	 * Restart leases as {@link #extend} does, and watch those that are held: the next
	 * change to one that this store did not make is reported, once, by
	 * {@link GrantListener#changed(String)}. A report may be missing, late or wrong. By
	 * default, extends without watching.
	 * @param extensions the leases to extend, of different names or tokens
	 * @return one future for each extension, in their order
	 */
	default List<CompletableFuture<ExtendOutcome>> extendAndWatch(List<LeaseExtension> extensions) {
		return extend(extensions);
	}

	/**
	 * Return whether it is worth asking this store to {@linkplain #extendAndWatch watch}
	 * a lease. May become false, for example because a server refuses. By default, it
	 * cannot watch.
	 * @return {@code true} if it can, as far as is known
	 */
	default boolean canWatch() {
		return false;
	}

	/**
	 * Leave the queue, and if the lock is held with this token, hand it over to the first
	 * living waiter or free it.
	 * @param name the name of the lock
	 * @param token the token with which it was acquired
	 * @return a future of the outcome
	 */
	CompletableFuture<ReleaseOutcome> release(String name, LockToken token);

	/**
	 * Find the holder of the lock.
	 * @param name the name of the lock
	 * @return a future of what is known, or of empty if the lock is free
	 */
	CompletableFuture<Optional<StoredLock>> find(String name);

	/**
	 * Inspect a lock and its queue. Intended for operators; nothing else depends on it.
	 * @param name the name of the lock
	 * @return a future of what is known, or of empty if the lock is free
	 */
	default CompletableFuture<Optional<StoredLockDetails>> describe(String name) {
		return find(name)
			.thenApply((found) -> found.map((lock) -> new StoredLockDetails(name, lock, null, null, List.of())));
	}

	/**
	 * Find the locks that any instance holds. Takes longer than other commands, and stops
	 * early when there are too many keys to search. Intended for operators; nothing else
	 * depends on it. By default, not supported.
	 * @param limit how many locks to return at most
	 * @return a future of what was found; it fails with an
	 * {@link UnsupportedOperationException} if the store cannot do that
	 */
	default CompletableFuture<StoredLocks> list(int limit) {
		return CompletableFuture.failedFuture(
				new UnsupportedOperationException("This lock store (" + description() + ") cannot list its locks."));
	}

	/**
	 * Take a lock from its holder, as a release by the holder would, and notify the
	 * instance of the holder. Intended for operators: a call breaks the promise that was
	 * made to the holder. By default, not supported.
	 * @param name the name of the lock
	 * @param holder the {@linkplain StoredLock#holder() holder} from whom to take it
	 * @return a future of the outcome; it fails with an
	 * {@link UnsupportedOperationException} if the store cannot do that
	 */
	default CompletableFuture<ReleaseOutcome> forceRelease(String name, String holder) {
		return CompletableFuture.failedFuture(new UnsupportedOperationException(
				"This lock store (" + description() + ") cannot take a lock from its holder."));
	}

	/**
	 * Replace the record of a lock, if the token holds the lock exclusively and the
	 * record is the expected one. Neither a release nor another holder changes a record;
	 * it ends with its time to live. A request that is repeated although it was carried
	 * out is answered as the first time, as long as the token holds the lock. By default,
	 * not supported.
	 * @param change the request
	 * @return a future of the outcome; it fails with an
	 * {@link UnsupportedOperationException} if the store cannot do that
	 */
	default CompletableFuture<RecordChange.Outcome> replaceRecord(RecordChange change) {
		return CompletableFuture.failedFuture(withoutRecords());
	}

	/**
	 * Return the record of a lock. By default, not supported.
	 * @param name the name of the lock
	 * @return a future of the record, or of empty if there is none; it fails with an
	 * {@link UnsupportedOperationException} if the store cannot do that
	 */
	default CompletableFuture<Optional<String>> record(String name) {
		return CompletableFuture.failedFuture(withoutRecords());
	}

	private UnsupportedOperationException withoutRecords() {
		return new UnsupportedOperationException(
				"This lock store (" + description() + ") keeps no records beside its locks.");
	}

	/**
	 * Start to listen for grants to the tokens of an instance. Returns immediately;
	 * {@link GrantListener#subscribed()} is called when grants can arrive, and again
	 * after each interruption. Calls after the first one do nothing. A store that cannot
	 * push grants never calls it; waiters then ask again, every 50 ms at first, later
	 * every second.
	 * @param instance the instance part of the tokens
	 * @param listener the listener
	 */
	void listen(String instance, GrantListener listener);

	/**
	 * Begin to connect, so that the first command need not wait for the connection.
	 * Returns immediately. The first command reveals whether this succeeded. By default,
	 * does nothing.
	 */
	default void warmUp() {
	}

	/**
	 * Close what is open, until the next command opens it again: the application context
	 * stops, but is not closed. A checkpoint of the JVM needs that.
	 */
	default void suspend() {
	}

	/**
	 * Check whether locks work in this store, and whether its settings weaken a
	 * guarantee. Changes nothing. By default, finds nothing.
	 * @return a future of what was found
	 */
	default CompletableFuture<StoreReport> inspect() {
		return CompletableFuture.completedFuture(StoreReport.EMPTY);
	}

	/**
	 * Return a short description of the kind and address of the store, for messages.
	 * @return the description, without credentials
	 */
	String description();

	/**
	 * Stop listening and close what the store opened itself.
	 */
	@Override
	void close();

}
