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
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;
import org.jspecify.annotations.Nullable;

/**
 * One instance of an application, as a store sees it.
 */
public final class StoreClient implements GrantListener {

	/** Longer than anything takes on a busy machine. */
	private static final Duration PATIENCE = Duration.ofSeconds(60);

	public static final Duration LEASE = Duration.ofSeconds(30);

	public static final Duration LIFE = Duration.ofSeconds(5);

	/** What every waiter leaves with its place. */
	public static final long NONCE = -4_611_686_018_427_387_905L;

	/** A place in the queue that is entered. */
	public static final AcquireRequest.Waiting PLACE = place(LIFE);

	private final LockStore store;

	private final String instance;

	private final AtomicLong sequence = new AtomicLong();

	private final BlockingQueue<Grant> grants = new LinkedBlockingQueue<>();

	private final ConcurrentMap<String, BlockingQueue<LockToken>> revoked = new ConcurrentHashMap<>();

	private final BlockingQueue<Boolean> subscriptions = new LinkedBlockingQueue<>();

	public StoreClient(LockStore store, String instance) {
		this.store = store;
		this.instance = instance;
	}

	/** A place in the queue that is good for some time. */
	public static AcquireRequest.Waiting place(Duration life) {
		return new AcquireRequest.Waiting(life, 0, NONCE);
	}

	public LockStore store() {
		return this.store;
	}

	public LockToken newToken() {
		return new LockToken(this.instance, this.sequence.incrementAndGet());
	}

	public StoreClient listen() throws InterruptedException {
		this.store.listen(this.instance, this);
		awaitSubscribed();
		return this;
	}

	public void awaitSubscribed() throws InterruptedException {
		if (this.subscriptions.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS) == null) {
			throw new AssertionError("Not subscribed within " + PATIENCE);
		}
	}

	public AcquireOutcome tryAcquire(String name, LockToken token) {
		return tryAcquire(name, token, LEASE);
	}

	public AcquireOutcome tryAcquire(String name, LockToken token, Duration lease) {
		return get(this.store.acquire(new AcquireRequest(name, token, lease, 1, null)));
	}

	/** Acquire or enter the queue. */
	public AcquireOutcome queue(String name, LockToken token) {
		return get(this.store.acquire(new AcquireRequest(name, token, LEASE, 1, StoreClient.PLACE)));
	}

	/** Make one attempt to be one of several holders. */
	public AcquireOutcome tryJoin(String name, LockToken token, Duration lease, int limit) {
		return get(this.store.acquire(new AcquireRequest(name, token, lease, 1, null, limit)));
	}

	/** Be a reader that shared the place in the queue of another holder. */
	public AcquireOutcome joinBeside(String name, LockToken token, LockToken beside) {
		return get(
				this.store.acquire(new AcquireRequest(name, token, LEASE, 1, null, AcquireRequest.NO_LIMIT, beside)));
	}

	/** Be one of several holders, or enter the queue. */
	public AcquireOutcome queue(String name, LockToken token, int limit) {
		return get(this.store.acquire(new AcquireRequest(name, token, LEASE, 1, StoreClient.PLACE, limit)));
	}

	/** Extend the lease of one of several holders. */
	public ExtendOutcome extend(String name, LockToken token, Duration lease, int limit) {
		return get(
				this.store.extend(List.of(new LeaseExtension(name, token, lease, LeaseExtension.Mode.EXACTLY, limit)))
					.get(0));
	}

	/** Acquire a lock that must be free, and return the fencing token. */
	public long mustAcquire(String name, LockToken token) {
		AcquireOutcome outcome = tryAcquire(name, token);
		if (outcome instanceof AcquireOutcome.Granted granted) {
			return granted.fencingToken();
		}
		throw new AssertionError("Not granted: " + outcome);
	}

	/** Acquire a lock that must be free, and return the token. */
	public LockToken hold(String name) {
		LockToken token = newToken();
		mustAcquire(name, token);
		return token;
	}

	/** Enter the queue of a lock that must be held, and return the token. */
	public LockToken enqueue(String name) {
		return enqueue(name, LIFE);
	}

	/** Enter the queue for a time. */
	public LockToken enqueue(String name, Duration life) {
		LockToken token = newToken();
		AcquireOutcome outcome = get(this.store.acquire(new AcquireRequest(name, token, LEASE, 1, place(life))));
		if (!(outcome instanceof AcquireOutcome.Busy)) {
			throw new AssertionError("Not busy: " + outcome);
		}
		return token;
	}

	public ReleaseOutcome forceRelease(String name, LockToken holder) {
		return get(this.store.forceRelease(name, holder.text()));
	}

	public ReleaseOutcome release(String name, LockToken token) {
		return get(this.store.release(name, token));
	}

	public ExtendOutcome extend(String name, LockToken token, Duration lease) {
		return get(this.store.extend(List.of(new LeaseExtension(name, token, lease, LeaseExtension.Mode.EXACTLY, 1)))
			.get(0));
	}

	public @Nullable StoredLock find(String name) {
		return get(this.store.find(name)).orElse(null);
	}

	public Grant awaitGrant() throws InterruptedException {
		Grant grant = this.grants.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
		if (grant == null) {
			throw new AssertionError("No grant within " + PATIENCE);
		}
		return grant;
	}

	/** What has arrived and was not taken. */
	public @Nullable Grant grantIfAny() {
		return this.grants.poll();
	}

	@Override
	public void granted(Grant grant) {
		this.grants.add(grant);
	}

	/** Wait until this is told that the lock was taken from it. */
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

	@Override
	public void subscribed() {
		this.subscriptions.add(Boolean.TRUE);
	}

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
