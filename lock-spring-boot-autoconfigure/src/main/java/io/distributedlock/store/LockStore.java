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
 * A place, shared by all instances, where locks are kept. Asynchronous throughout, so
 * that one engine serves blocking and non-blocking callers.
 *
 * <p>
 * <b>Every future completes</b> within the command timeout of the store, in any thread,
 * possibly before it is returned. It fails with a {@link LockUnavailableException} if the
 * command may or may not have been carried out, and asking again may help, and with a
 * {@link LockConfigurationException} if asking again is useless. No method throws these
 * directly. Timeouts cancel the command, so that it is not sent later.
 *
 * <p>
 * <b>Commands of one name are carried out in the order in which they were given</b>, also
 * after a timeout, unless the connection was lost in between. So a release cleans up
 * after an acquire whose answer never came.
 *
 * <p>
 * <b>All commands are idempotent by token</b>: repeating one with the same token does no
 * harm and, for as long as nothing else happened, gives the same answer.
 *
 * @since 0.1.0
 */
public interface LockStore extends AutoCloseable {

	/**
	 * Take the lock if it is free, or is held with the same token already: the lease then
	 * starts anew, but is never shortened, and the fencing tokens stay. Otherwise, if the
	 * request says so, enter the queue or confirm the place in it. A token that has a
	 * place should keep saying so: taken by a request that does not, the lock may leave
	 * the place to the release.
	 * @param request what to take
	 * @return a future of the outcome
	 */
	CompletableFuture<AcquireOutcome> acquire(AcquireRequest request);

	/**
	 * Let leases start anew. Never creates a lock that is gone, and shortens a lease only
	 * where the extension says so.
	 * @param extensions the leases to extend, of different names
	 * @return one future for each extension, in their order; one slow lock or node does
	 * not delay the futures of others
	 */
	List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions);

	/**
	 * Leave the queue, and if the lock is held with this token, hand it over to the first
	 * living waiter or free it.
	 * @param name the name of the lock
	 * @param token the token with which it was acquired
	 * @return a future of the outcome
	 */
	CompletableFuture<ReleaseOutcome> release(String name, LockToken token);

	/**
	 * Look who holds the lock.
	 * @param name the name of the lock
	 * @return a future of what is known, or of empty if the lock is free
	 */
	CompletableFuture<Optional<StoredLock>> find(String name);

	/**
	 * Look at a lock and its queue. For those who operate locks; nothing else depends on
	 * it.
	 * @param name the name of the lock
	 * @return a future of what is known, or of empty if the lock is free
	 */
	default CompletableFuture<Optional<StoredLockDetails>> describe(String name) {
		return find(name)
			.thenApply((found) -> found.map((lock) -> new StoredLockDetails(name, lock, null, null, List.of())));
	}

	/**
	 * Look for the locks that any instance holds. Takes longer than other commands, and
	 * gives up in time when there is too much to look through. For those who operate
	 * locks; nothing else depends on it. By default, not supported.
	 * @param limit how many locks to return at most
	 * @return a future of what was found; it fails with an
	 * {@link UnsupportedOperationException} if the store cannot do that
	 */
	default CompletableFuture<StoredLocks> list(int limit) {
		return CompletableFuture.failedFuture(
				new UnsupportedOperationException("This lock store (" + description() + ") cannot list its locks."));
	}

	/**
	 * Take a lock from whoever holds it, as a release by the holder does, and tell the
	 * instance of the holder. For those who operate locks: whoever calls this breaks the
	 * promise that was made to the holder. By default, not supported.
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
	 * Start to listen for grants to the tokens of an instance. Returns at once;
	 * {@link GrantListener#subscribed()} is called when grants can arrive, and again
	 * after each interruption. Calls after the first one do nothing.
	 * @param instance the instance part of the tokens
	 * @param listener the listener
	 */
	void listen(String instance, GrantListener listener);

	/**
	 * Begin to connect, so that the first command does not wait for that. Returns at
	 * once. Whether it succeeds shows with the first command. By default, does nothing.
	 */
	default void warmUp() {
	}

	/**
	 * Look whether locks work in this store, and whether its settings weaken what is
	 * guaranteed. Changes nothing. By default, finds nothing.
	 * @return a future of what was found
	 */
	default CompletableFuture<StoreReport> inspect() {
		return CompletableFuture.completedFuture(StoreReport.EMPTY);
	}

	/**
	 * Return a short text for messages which says what and where the store is.
	 * @return the description, without credentials
	 */
	String description();

	/**
	 * Stop listening and close what the store opened itself.
	 */
	@Override
	void close();

}
