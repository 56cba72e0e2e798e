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

package io.distributedlock.memory;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;
import io.distributedlock.store.StoredLockDetails;
import io.distributedlock.store.StoredLocks;

/**
 * The locks of one JVM. What a Redis script does atomically is done here under one mutex,
 * which is never held while a listener is called.
 *
 * <p>
 * No timer is involved: an expired hold is recognized the next time a command reads it.
 * Entries that no command reads any more are removed by the {@linkplain #sweep(long)
 * sweep}: every entry is in a ring, and each command inspects the next two. Because a
 * command adds one entry at most, the ring and the map soon contain only live entries.
 */
final class LockTable {

	private static final Duration MAX_GRANT_LEASE = Duration.ofSeconds(3);

	/** No lease needs more than 73 years, and sums of two cannot overflow. */
	private static final long MAX_NANOS = Long.MAX_VALUE / 4;

	private static final int SWEPT_PER_COMMAND = 2;

	private final LongSupplier nanoTime;

	private final ReentrantLock mutex = new ReentrantLock();

	// Guarded by mutex
	private final Map<String, LockEntry> entries = new HashMap<>();

	// Guarded by mutex
	private final Deque<LockEntry> ring = new ArrayDeque<>();

	// Guarded by mutex
	private final Map<String, Listening> listeners = new HashMap<>();

	/** Begins with the time, so that tokens increase over restarts. Guarded by mutex. */
	private long lastFence = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());

	LockTable(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	AcquireOutcome acquire(AcquireRequest request) {
		this.mutex.lock();
		try {
			long now = this.nanoTime.getAsLong();
			sweep(now);
			LockEntry entry = entryOf(request.name());
			LockEntry.Hold hold = entry.holdAt(now);
			if (hold != null && !hold.token().equals(request.token())) {
				AcquireRequest.Waiting waiting = request.waiting();
				if (waiting != null) {
					LockEntry.Waiter before = entry.queue.get(request.token());
					entry.queue.put(request.token(), new LockEntry.Waiter((before != null) ? before.since() : now,
							now + nanos(waiting.life()), request.lease(), request.fenceBlock(), waiting.nonce()));
				}
				return new AcquireOutcome.Busy(hold.token().text(), Duration.ofNanos(hold.expiresAt() - now));
			}
			if (request.waiting() != null) {
				entry.queue.remove(request.token());
			}
			long end = now + nanos(request.lease());
			LockEntry.Hold granted = (hold != null) ? hold.until(Math.max(end, hold.expiresAt())) : new LockEntry.Hold(
					request.token(), nextFence(request.fenceBlock()), request.fenceBlock(), now, end);
			entry.hold = granted;
			return new AcquireOutcome.Granted(granted.fence(), granted.fenceBlock());
		}
		finally {
			this.mutex.unlock();
		}
	}

	ExtendOutcome extend(LeaseExtension extension) {
		this.mutex.lock();
		try {
			long now = this.nanoTime.getAsLong();
			sweep(now);
			LockEntry entry = this.entries.get(extension.name());
			LockEntry.Hold hold = (entry != null) ? entry.holdAt(now) : null;
			if (entry == null || hold == null) {
				return ExtendOutcome.ABSENT;
			}
			if (!hold.token().equals(extension.token())) {
				return ExtendOutcome.OTHER;
			}
			long end = now + nanos(extension.lease());
			boolean exactly = extension.mode() == LeaseExtension.Mode.EXACTLY;
			entry.hold = hold.until(exactly ? end : Math.max(end, hold.expiresAt()));
			return ExtendOutcome.EXTENDED;
		}
		finally {
			this.mutex.unlock();
		}
	}

	Release release(String name, LockToken token) {
		this.mutex.lock();
		try {
			long now = this.nanoTime.getAsLong();
			sweep(now);
			LockEntry entry = this.entries.get(name);
			if (entry == null) {
				return new Release(ReleaseOutcome.ABSENT, null);
			}
			entry.queue.remove(token);
			LockEntry.Hold hold = entry.holdAt(now);
			if (hold == null || !hold.token().equals(token)) {
				forgetIfDead(entry, now);
				return new Release((hold != null) ? ReleaseOutcome.OTHER : ReleaseOutcome.ABSENT, null);
			}
			entry.hold = null;
			HandOff handOff = handOff(entry, now);
			forgetIfDead(entry, now);
			return new Release(ReleaseOutcome.RELEASED, handOff);
		}
		finally {
			this.mutex.unlock();
		}
	}

	Optional<StoredLock> find(String name) {
		this.mutex.lock();
		try {
			long now = this.nanoTime.getAsLong();
			sweep(now);
			LockEntry entry = this.entries.get(name);
			LockEntry.Hold hold = (entry != null) ? entry.holdAt(now) : null;
			return Optional.ofNullable(hold)
				.map((held) -> new StoredLock(held.token().text(), Duration.ofNanos(held.expiresAt() - now)));
		}
		finally {
			this.mutex.unlock();
		}
	}

	Optional<StoredLockDetails> describe(String name) {
		this.mutex.lock();
		try {
			long now = this.nanoTime.getAsLong();
			sweep(now);
			LockEntry entry = this.entries.get(name);
			return (entry != null) ? describe(entry, now) : Optional.empty();
		}
		finally {
			this.mutex.unlock();
		}
	}

	StoredLocks list(int limit) {
		this.mutex.lock();
		try {
			long now = this.nanoTime.getAsLong();
			List<StoredLockDetails> locks = new ArrayList<>();
			for (LockEntry entry : this.entries.values()) {
				Optional<StoredLockDetails> lock = describe(entry, now);
				if (lock.isPresent() && locks.size() >= limit) {
					return new StoredLocks(locks, false);
				}
				lock.ifPresent(locks::add);
			}
			return new StoredLocks(locks, true);
		}
		finally {
			this.mutex.unlock();
		}
	}

	private static Optional<StoredLockDetails> describe(LockEntry entry, long now) {
		LockEntry.Hold hold = entry.holdAt(now);
		if (hold == null) {
			return Optional.empty();
		}
		List<StoredLockDetails.Waiter> queue = entry.queue.entrySet()
			.stream()
			.filter((waiter) -> waiter.getValue().isAlive(now))
			.map((waiter) -> new StoredLockDetails.Waiter(waiter.getKey().text(),
					Duration.ofNanos(now - waiter.getValue().since())))
			.toList();
		return Optional.of(new StoredLockDetails(entry.name,
				new StoredLock(hold.token().text(), Duration.ofNanos(hold.expiresAt() - now)),
				Duration.ofNanos(now - hold.since()), (long) queue.size(), queue));
	}

	ForcedRelease forceRelease(String name, String holder) {
		this.mutex.lock();
		try {
			LockEntry entry = this.entries.get(name);
			LockEntry.Hold hold = (entry != null) ? entry.holdAt(this.nanoTime.getAsLong()) : null;
			if (hold == null || !hold.token().text().equals(holder)) {
				return new ForcedRelease(
						new Release((hold != null) ? ReleaseOutcome.OTHER : ReleaseOutcome.ABSENT, null), null, null);
			}
			Listening listening = this.listeners.get(hold.token().instance());
			return new ForcedRelease(release(name, hold.token()), hold.token(),
					(listening != null) ? listening.listener() : null);
		}
		finally {
			this.mutex.unlock();
		}
	}

	boolean addListener(String instance, Object owner, GrantListener listener) {
		this.mutex.lock();
		try {
			return this.listeners.putIfAbsent(instance, new Listening(owner, listener)) == null;
		}
		finally {
			this.mutex.unlock();
		}
	}

	void removeListeners(Object owner) {
		this.mutex.lock();
		try {
			this.listeners.values().removeIf((listening) -> listening.owner == owner);
		}
		finally {
			this.mutex.unlock();
		}
	}

	void clear() {
		this.mutex.lock();
		try {
			this.entries.clear();
			this.ring.clear();
		}
		finally {
			this.mutex.unlock();
		}
	}

	int size() {
		this.mutex.lock();
		try {
			return Math.max(this.entries.size(), this.ring.size());
		}
		finally {
			this.mutex.unlock();
		}
	}

	/**
	 * Give the lock to the first waiter that is alive: whose place was confirmed in time,
	 * and whose instance listens.
	 */
	private @Nullable HandOff handOff(LockEntry entry, long now) {
		Iterator<Map.Entry<LockToken, LockEntry.Waiter>> queue = entry.queue.entrySet().iterator();
		while (queue.hasNext()) {
			Map.Entry<LockToken, LockEntry.Waiter> next = queue.next();
			queue.remove();
			LockToken token = next.getKey();
			LockEntry.Waiter waiter = next.getValue();
			Listening listening = this.listeners.get(token.instance());
			if (waiter.isAlive(now) && listening != null) {
				Duration lease = (waiter.lease().compareTo(MAX_GRANT_LEASE) < 0) ? waiter.lease() : MAX_GRANT_LEASE;
				long fence = nextFence(waiter.fenceBlock());
				entry.hold = new LockEntry.Hold(token, fence, waiter.fenceBlock(), now, now + nanos(lease));
				return new HandOff(listening.listener,
						new Grant(entry.name, token, fence, waiter.fenceBlock(), lease, waiter.nonce()));
			}
		}
		return null;
	}

	private LockEntry entryOf(String name) {
		return this.entries.computeIfAbsent(name, (absent) -> {
			LockEntry entry = new LockEntry(absent);
			this.ring.addLast(entry);
			return entry;
		});
	}

	private void sweep(long now) {
		for (int i = 0; i < SWEPT_PER_COMMAND; i++) {
			LockEntry entry = this.ring.pollFirst();
			if (entry == null) {
				return;
			}
			forgetIfDead(entry, now);
			if (this.entries.get(entry.name) == entry) {
				this.ring.addLast(entry);
			}
		}
	}

	private void forgetIfDead(LockEntry entry, long now) {
		if (entry.isDead(now)) {
			this.entries.remove(entry.name, entry);
		}
	}

	private long nextFence(int block) {
		long first = this.lastFence + 1;
		this.lastFence += block;
		return first;
	}

	private static long nanos(Duration duration) {
		return (duration.getSeconds() < MAX_NANOS / 1_000_000_000L) ? duration.toNanos() : MAX_NANOS;
	}

	/**
	 * The answer to a release, and the notice that follows from it.
	 *
	 * @param handOff the notice to deliver, or {@code null} if no waiter was alive
	 */
	record Release(ReleaseOutcome outcome, @Nullable HandOff handOff) {
	}

	/**
	 * The answer to a release by force, and the notices that follow from it.
	 *
	 * @param release the answer, and the notice to the next holder
	 * @param revoked the token of the holder before, or {@code null} if nothing was taken
	 * @param listener what notifies that holder, or {@code null} if there is none
	 */
	record ForcedRelease(Release release, @Nullable LockToken revoked, @Nullable GrantListener listener) {
	}

	/**
	 * A notice to deliver after the mutex was released.
	 *
	 * @param listener what receives it
	 */
	record HandOff(GrantListener listener, Grant grant) {
	}

	private record Listening(Object owner, GrantListener listener) {
	}

}
