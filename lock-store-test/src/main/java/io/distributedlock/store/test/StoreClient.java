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

package io.distributedlock.store.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;
import org.jspecify.annotations.Nullable;

/**
 * One instance of an application, as a store sees it: asks a store in short, waits for
 * each answer, and keeps the grants that the store pushes. An answer that does not arrive
 * within a minute is an {@link AssertionError}.
 *
 * @since 0.1.0
 */
public final class StoreClient implements GrantListener {

	/** Longer than anything takes on a busy machine. */
	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/**
	 * The lease that is asked for if none is given: 30 seconds.
	 */
	public static final Duration LEASE = Duration.ofSeconds(30);

	/**
	 * How long a place in the queue is good for without a confirmation: 5 seconds.
	 */
	public static final Duration LIFE = Duration.ofSeconds(5);

	/**
	 * The secret that every waiter leaves with its place.
	 */
	public static final long NONCE = -4_611_686_018_427_387_905L;

	/**
	 * A place in the queue that is entered, for {@link #LIFE}.
	 */
	public static final AcquireRequest.Waiting PLACE = place(LIFE);

	private final LockStore store;

	private final String instance;

	private final AtomicLong sequence = new AtomicLong();

	private final BlockingQueue<Grant> grants = new LinkedBlockingQueue<>();

	private final ConcurrentMap<String, BlockingQueue<LockToken>> revoked = new ConcurrentHashMap<>();

	private final ConcurrentMap<String, BlockingQueue<Boolean>> changed = new ConcurrentHashMap<>();

	private final BlockingQueue<Boolean> subscriptions = new LinkedBlockingQueue<>();

	/**
	 * Create a client of a store.
	 * @param store the store
	 * @param instance the instance part of its tokens
	 */
	public StoreClient(LockStore store, String instance) {
		this.store = store;
		this.instance = instance;
	}

	/**
	 * Return a place in the queue that is entered.
	 * @param life how long it is good for without a confirmation
	 * @return the place
	 */
	public static AcquireRequest.Waiting place(Duration life) {
		return new AcquireRequest.Waiting(life, 0, NONCE);
	}

	/**
	 * Return the store that is asked.
	 * @return the store
	 */
	public LockStore store() {
		return this.store;
	}

	/**
	 * Return a token that was not used before.
	 * @return the token
	 */
	public LockToken newToken() {
		return new LockToken(this.instance, this.sequence.incrementAndGet());
	}

	/**
	 * Listen for grants, and wait until they can arrive.
	 * @return this client
	 * @throws InterruptedException if the thread is interrupted while it waits
	 */
	public StoreClient listen() throws InterruptedException {
		this.store.listen(this.instance, this);
		awaitSubscribed();
		return this;
	}

	/**
	 * Wait until the store says once more that grants can arrive.
	 * @throws InterruptedException if the thread is interrupted while it waits
	 */
	public void awaitSubscribed() throws InterruptedException {
		if (this.subscriptions.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS) == null) {
			throw new AssertionError("Not subscribed within " + PATIENCE);
		}
	}

	/**
	 * Make one attempt to be the only holder.
	 * @param name the name of the lock
	 * @param token the token to ask with
	 * @return the outcome
	 */
	public AcquireOutcome tryAcquire(String name, LockToken token) {
		return tryAcquire(name, token, LEASE);
	}

	/**
	 * Make one attempt to be the only holder.
	 * @param name the name of the lock
	 * @param token the token to ask with
	 * @param lease the lease to ask for
	 * @return the outcome
	 */
	public AcquireOutcome tryAcquire(String name, LockToken token, Duration lease) {
		return get(this.store.acquire(new AcquireRequest(name, token, lease, 1, null)));
	}

	/**
	 * Be the only holder, or enter the queue.
	 * @param name the name of the lock
	 * @param token the token to ask with
	 * @return the outcome
	 */
	public AcquireOutcome queue(String name, LockToken token) {
		return get(this.store.acquire(new AcquireRequest(name, token, LEASE, 1, StoreClient.PLACE)));
	}

	/**
	 * Make one attempt to be one of several holders.
	 * @param name the name of the lock
	 * @param token the token to ask with
	 * @param lease the lease to ask for
	 * @param limit how many holders it accepts, itself included
	 * @return the outcome
	 */
	public AcquireOutcome tryJoin(String name, LockToken token, Duration lease, int limit) {
		return get(this.store.acquire(new AcquireRequest(name, token, lease, 1, null, limit)));
	}

	/**
	 * Be a reader that shared the place in the queue of another holder.
	 * @param name the name of the lock
	 * @param token the token to ask with
	 * @param beside the token of that holder
	 * @return the outcome
	 */
	public AcquireOutcome joinBeside(String name, LockToken token, LockToken beside) {
		return get(
				this.store.acquire(new AcquireRequest(name, token, LEASE, 1, null, AcquireRequest.NO_LIMIT, beside)));
	}

	/**
	 * Be one of several holders, or enter the queue.
	 * @param name the name of the lock
	 * @param token the token to ask with
	 * @param limit how many holders it accepts, itself included
	 * @return the outcome
	 */
	public AcquireOutcome queue(String name, LockToken token, int limit) {
		return get(this.store.acquire(new AcquireRequest(name, token, LEASE, 1, StoreClient.PLACE, limit)));
	}

	/**
	 * Restart the lease of one of several holders, even if it becomes shorter.
	 * @param name the name of the lock
	 * @param token the token with which it is held
	 * @param lease the new lease
	 * @param limit how many holders it accepts, itself included
	 * @return the outcome
	 */
	public ExtendOutcome extend(String name, LockToken token, Duration lease, int limit) {
		return get(
				this.store.extend(List.of(new LeaseExtension(name, token, lease, LeaseExtension.Mode.EXACTLY, limit)))
					.get(0));
	}

	/**
	 * Acquire a lock that must be free.
	 * @param name the name of the lock
	 * @param token the token to ask with
	 * @return the fencing token
	 */
	public long mustAcquire(String name, LockToken token) {
		AcquireOutcome outcome = tryAcquire(name, token);
		if (outcome instanceof AcquireOutcome.Granted granted) {
			return granted.fencingToken();
		}
		throw new AssertionError("Not granted: " + outcome);
	}

	/**
	 * Acquire a lock that must be free.
	 * @param name the name of the lock
	 * @return the token with which it is held
	 */
	public LockToken hold(String name) {
		LockToken token = newToken();
		mustAcquire(name, token);
		return token;
	}

	/**
	 * Enter the queue of a lock that must be held, for {@link #LIFE}.
	 * @param name the name of the lock
	 * @return the token of the waiter
	 */
	public LockToken enqueue(String name) {
		return enqueue(name, LIFE);
	}

	/**
	 * Enter the queue of a lock that must be held.
	 * @param name the name of the lock
	 * @param life how long the place is good for without a confirmation
	 * @return the token of the waiter
	 */
	public LockToken enqueue(String name, Duration life) {
		LockToken token = newToken();
		AcquireOutcome outcome = get(this.store.acquire(new AcquireRequest(name, token, LEASE, 1, place(life))));
		if (!(outcome instanceof AcquireOutcome.Busy)) {
			throw new AssertionError("Not busy: " + outcome);
		}
		return token;
	}

	/**
	 * Take a lock from its holder.
	 * @param name the name of the lock
	 * @param holder the token of the holder
	 * @return the outcome
	 */
	public ReleaseOutcome forceRelease(String name, LockToken holder) {
		return get(this.store.forceRelease(name, holder.text()));
	}

	/**
	 * Release a lock, or leave its queue.
	 * @param name the name of the lock
	 * @param token the token with which it is held or waited for
	 * @return the outcome
	 */
	public ReleaseOutcome release(String name, LockToken token) {
		return get(this.store.release(name, token));
	}

	/**
	 * Restart the lease of the only holder, even if it becomes shorter.
	 * @param name the name of the lock
	 * @param token the token with which it is held
	 * @param lease the new lease
	 * @return the outcome
	 */
	public ExtendOutcome extend(String name, LockToken token, Duration lease) {
		return get(this.store.extend(List.of(new LeaseExtension(name, token, lease, LeaseExtension.Mode.EXACTLY, 1)))
			.get(0));
	}

	/**
	 * Extend a lock to a lease, and have it watched.
	 * @param name the name of the lock
	 * @param token the token that holds it exclusively
	 * @param lease the new time to live
	 * @return the outcome
	 */
	public ExtendOutcome extendAndWatch(String name, LockToken token, Duration lease) {
		LeaseExtension extension = new LeaseExtension(name, token, lease, LeaseExtension.Mode.EXACTLY, 1);
		return get(this.store.extendAndWatch(List.of(extension)).get(0));
	}

	/**
	 * Find the holder of a lock.
	 * @param name the name of the lock
	 * @return what the store knows, or {@code null} if the lock is free
	 */
	public @Nullable StoredLock find(String name) {
		return get(this.store.find(name)).orElse(null);
	}

	/**
	 * Replace the record of a lock, which is kept for {@link #LEASE}.
	 * @param name the name of the lock
	 * @param token the token with which it is held
	 * @param expected the present record, or {@code null} if there is none
	 * @param text the new record
	 * @return the outcome
	 */
	public RecordChange.Outcome replaceRecord(String name, LockToken token, @Nullable String expected, String text) {
		return replaceRecord(name, token, expected, text, LEASE);
	}

	/**
	 * Replace the record of a lock.
	 * @param name the name of the lock
	 * @param token the token with which it is held
	 * @param expected the present record, or {@code null} if there is none
	 * @param text the new record
	 * @param timeToLive how long to keep it
	 * @return the outcome
	 */
	public RecordChange.Outcome replaceRecord(String name, LockToken token, @Nullable String expected, String text,
			Duration timeToLive) {
		return get(this.store.replaceRecord(new RecordChange(name, token, expected, text, timeToLive)));
	}

	/**
	 * Read the record of a lock.
	 * @param name the name of the lock
	 * @return the record, or {@code null} if there is none
	 */
	public @Nullable String record(String name) {
		return get(this.store.record(name)).orElse(null);
	}

	/**
	 * Wait for the next grant that the store pushes.
	 * @return the grant
	 * @throws InterruptedException if the thread is interrupted while it waits
	 */
	public Grant awaitGrant() throws InterruptedException {
		Grant grant = this.grants.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		if (grant == null) {
			throw new AssertionError("No grant within " + PATIENCE);
		}
		return grant;
	}

	/**
	 * Take a grant that has arrived already.
	 * @return the grant, or {@code null} if there is none
	 */
	public @Nullable Grant grantIfAny() {
		return this.grants.poll();
	}

	boolean isSubscribed() {
		return !this.subscriptions.isEmpty();
	}

	@Override
	public void granted(Grant grant) {
		this.grants.add(grant);
	}

	/**
	 * Wait until the store says that a lock was taken from this instance.
	 * @param name the name of the lock
	 * @return the token with which it was held
	 * @throws InterruptedException if the thread is interrupted while it waits
	 */
	public LockToken awaitRevoked(String name) throws InterruptedException {
		LockToken token = this.revoked.computeIfAbsent(name, (absent) -> new LinkedBlockingQueue<>())
			.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		if (token == null) {
			throw new AssertionError("Not told within " + PATIENCE);
		}
		return token;
	}

	@Override
	public void revoked(String name, LockToken token) {
		this.revoked.computeIfAbsent(name, (absent) -> new LinkedBlockingQueue<>()).add(token);
	}

	/**
	 * Wait until this instance is told that a watched lock has changed.
	 * @param name the name of the lock
	 * @throws InterruptedException if the thread is interrupted while it waits
	 */
	public void awaitChanged(String name) throws InterruptedException {
		if (changes(name).poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS) == null) {
			throw new AssertionError("Not told within " + PATIENCE);
		}
	}

	/**
	 * Return whether this instance was told that a watched lock has changed, and nobody
	 * {@linkplain #awaitChanged waited} for it.
	 * @param name the name of the lock
	 * @return whether it was told
	 */
	public boolean isChanged(String name) {
		return !changes(name).isEmpty();
	}

	private BlockingQueue<Boolean> changes(String name) {
		return this.changed.computeIfAbsent(name, (absent) -> new LinkedBlockingQueue<>());
	}

	@Override
	public void changed(String name) {
		changes(name).add(Boolean.TRUE);
	}

	@Override
	public void subscribed() {
		this.subscriptions.add(Boolean.TRUE);
	}

	/**
	 * Wait for an answer. A runtime exception with which it fails is thrown.
	 * @param <T> the type of the answer
	 * @param future the future of the answer
	 * @return the answer
	 */
	public static <T> T get(CompletableFuture<T> future) {
		try {
			return future.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RuntimeException cause) {
				throw cause;
			}
			throw new AssertionError(ex.getCause());
		}
		catch (TimeoutException | InterruptedException ex) {
			throw new AssertionError("The future did not complete within " + PATIENCE, ex);
		}
	}

}
