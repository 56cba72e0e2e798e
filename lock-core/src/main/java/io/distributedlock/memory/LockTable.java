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
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

import io.distributedlock.internal.Printable;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;
import io.distributedlock.store.StoredLockDetails;
import io.distributedlock.store.StoredLocks;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one JVM. What a Redis script does atomically is done here under one mutex,
 * which is never held while a listener is called. All methods but {@link #execute} are
 * called by a command.
 *
 * <p>
 * No timer is involved: an expired hold is recognized the next time a command reads it.
 * Entries that no command reads any more are removed by the {@linkplain #sweep(long)
 * sweep}: every entry is in a ring, and each command inspects the next two. Because a
 * command adds one entry at most, the ring and the map soon contain only live entries.
 */
final class LockTable {

	private static final Log logger = LogFactory.getLog(LockTable.class);

	private static final Duration MAX_GRANT_LEASE = Duration.ofSeconds(3);

	/** No lease needs more than 73 years, and sums of two cannot overflow. */
	private static final long MAX_NANOS = Long.MAX_VALUE / 4;

	private static final int SWEPT_PER_COMMAND = 2;

	private final LongSupplier nanoTime;

	private final ReentrantLock mutex = new ReentrantLock();

	private final Map<String, LockEntry> entries = new HashMap<>();

	private final Deque<LockEntry> ring = new ArrayDeque<>();

	private final Map<String, Listening> listeners = new HashMap<>();

	/** What the command tells listeners. */
	private final List<Runnable> messages = new ArrayList<>();

	/** Begins with the time, so that tokens increase over restarts. */
	private long lastFence = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());

	LockTable(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/**
	 * Carry out a command, which is given the time, and tell listeners afterwards.
	 */
	<T extends @Nullable Object> T execute(LongFunction<T> command) {
		T answer;
		List<Runnable> told;
		this.mutex.lock();
		try {
			long now = this.nanoTime.getAsLong();
			sweep(now);
			answer = command.apply(now);
			told = List.copyOf(this.messages);
		}
		finally {
			this.messages.clear();
			this.mutex.unlock();
		}
		told.forEach(Runnable::run);
		return answer;
	}

	AcquireOutcome acquire(AcquireRequest request, long now) {
		LockEntry entry = entryOf(request.name());
		LockToken token = request.token();
		AcquireRequest.Waiting waiting = request.waiting();
		LockEntry.Hold own = entry.holdAt(now, token);
		LockToken inFront = (own != null) ? null : inFront(entry, request, now);
		boolean fits = entry.fits(now, request.limit());
		if (own == null && (inFront != null || !fits)) {
			if (waiting != null) {
				LockEntry.Waiter before = entry.queue.get(token);
				entry.queue.put(token,
						new LockEntry.Waiter((before != null) ? before.since() : now, now + nanos(waiting.life()),
								request.lease(), request.fenceBlock(), waiting.nonce(), request.limit()));
			}
			return busy(entry, fits ? inFront : null, now);
		}
		if (waiting != null || request.limit() > 1) {
			entry.queue.remove(token);
		}
		long end = now + nanos(request.lease());
		LockEntry.Hold granted = (own != null) ? own.until(Math.max(end, own.expiresAt())) : new LockEntry.Hold(token,
				nextFence(request.fenceBlock()), request.fenceBlock(), now, end, request.limit());
		entry.put(granted);
		return new AcquireOutcome.Granted(granted.fence(), granted.fenceBlock());
	}

	/**
	 * Return the waiter behind which a request has to wait, if any, whatever the holders
	 * say. A caller that wants to be alone looks at the queue only if the leases of
	 * several holders have just ended. Others serve those in front first.
	 */
	private @Nullable LockToken inFront(LockEntry entry, AcquireRequest request, long now) {
		boolean beside = request.beside() != null && entry.holdAt(now, request.beside()) != null;
		boolean alone = request.limit() == 1 && entry.graceAt(now) <= 0;
		if (beside || alone || entry.isHeldAlone(now)) {
			return null;
		}
		if (request.limit() > 1) {
			serve(entry, now, request.token());
		}
		LockToken first = entry.queue.isEmpty() ? null : entry.queue.keySet().iterator().next();
		return request.token().equals(first) ? null : first;
	}

	/**
	 * Any hold that ends may make room, so the answer names the one that ends first,
	 * unless only a waiter is in the way.
	 */
	private AcquireOutcome.Busy busy(LockEntry entry, @Nullable LockToken inFront, long now) {
		List<LockEntry.Hold> holds = nearestFirst(entry, now);
		LockToken token = (inFront != null) ? inFront : holds.get(0).token();
		long remaining = holds.isEmpty() ? entry.graceAt(now) : holds.get(0).expiresAt() - now;
		int smallest = holds.stream().mapToInt(LockEntry.Hold::limit).min().orElse(AcquireRequest.NO_LIMIT);
		return new AcquireOutcome.Busy(token.text(), Duration.ofNanos(remaining), holds.size(), smallest,
				inFront != null, this.lastFence);
	}

	ExtendOutcome extend(LeaseExtension extension, long now) {
		LockEntry entry = this.entries.get(extension.name());
		if (entry == null || entry.holdsAt(now).isEmpty()) {
			return ExtendOutcome.ABSENT;
		}
		LockEntry.Hold hold = entry.holdAt(now, extension.token());
		if (hold == null) {
			return ExtendOutcome.OTHER;
		}
		long end = now + nanos(extension.lease());
		boolean exactly = extension.mode() == LeaseExtension.Mode.EXACTLY;
		entry.put(hold.until(exactly ? end : Math.max(end, hold.expiresAt())));
		return ExtendOutcome.EXTENDED;
	}

	ReleaseOutcome release(String name, LockToken token, long now) {
		LockEntry entry = this.entries.get(name);
		if (entry == null) {
			return ReleaseOutcome.ABSENT;
		}
		entry.queue.remove(token);
		boolean held = entry.holdAt(now, token) != null;
		entry.remove(token);
		boolean others = !entry.holdsAt(now).isEmpty();
		if (held || (others && !entry.isHeldAlone(now)) || entry.graceAt(now) > 0) {
			serve(entry, now, null);
		}
		forgetIfDead(entry, now);
		return held ? ReleaseOutcome.RELEASED : others ? ReleaseOutcome.OTHER : ReleaseOutcome.ABSENT;
	}

	Optional<StoredLock> find(String name, long now) {
		LockEntry entry = this.entries.get(name);
		List<LockEntry.Hold> holds = (entry != null) ? nearestFirst(entry, now) : List.of();
		return holds.stream().findFirst().map((hold) -> stored(hold, now, holds.size()));
	}

	Optional<StoredLockDetails> describe(String name, long now) {
		LockEntry entry = this.entries.get(name);
		return (entry != null) ? describe(entry, now) : Optional.empty();
	}

	StoredLocks list(int limit, long now) {
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

	private static Optional<StoredLockDetails> describe(LockEntry entry, long now) {
		List<LockEntry.Hold> holds = nearestFirst(entry, now);
		if (holds.isEmpty()) {
			return Optional.empty();
		}
		LockEntry.Hold hold = holds.get(0);
		boolean alone = hold.limit() == 1;
		List<StoredLockDetails.Waiter> queue = entry.queue.entrySet()
			.stream()
			.filter((waiter) -> waiter.getValue().isAlive(now))
			.map((waiter) -> new StoredLockDetails.Waiter(waiter.getKey().text(),
					Duration.ofNanos(now - waiter.getValue().since())))
			.toList();
		return Optional.of(new StoredLockDetails(entry.name, stored(hold, now, holds.size()),
				alone ? Duration.ofNanos(now - hold.since()) : null, (long) queue.size(), queue,
				alone ? null : company(holds, now)));
	}

	private static StoredLockDetails.Company company(List<LockEntry.Hold> holds, long now) {
		IntSummaryStatistics limits = holds.stream()
			.mapToInt(LockEntry.Hold::limit)
			.filter((limit) -> limit != AcquireRequest.NO_LIMIT)
			.summaryStatistics();
		boolean limited = limits.getCount() > 0;
		return new StoredLockDetails.Company(holds.size(), limited ? limits.getMin() : null,
				limited ? limits.getMax() : null,
				holds.stream().map((hold) -> stored(hold, now, holds.size())).toList());
	}

	private static List<LockEntry.Hold> nearestFirst(LockEntry entry, long now) {
		return entry.holdsAt(now).stream().sorted(Comparator.comparingLong((hold) -> hold.expiresAt() - now)).toList();
	}

	private static StoredLock stored(LockEntry.Hold hold, long now, int holders) {
		return new StoredLock(hold.token().text(), Duration.ofNanos(hold.expiresAt() - now), holders, hold.limit());
	}

	ReleaseOutcome forceRelease(String name, String holder, long now) {
		LockEntry entry = this.entries.get(name);
		Collection<LockEntry.Hold> holds = (entry != null) ? entry.holdsAt(now) : List.of();
		LockEntry.Hold hold = holds.stream()
			.filter((each) -> each.token().text().equals(holder))
			.findFirst()
			.orElse(null);
		if (hold == null) {
			return holds.isEmpty() ? ReleaseOutcome.ABSENT : ReleaseOutcome.OTHER;
		}
		LockToken revoked = hold.token();
		Listening listening = this.listeners.get(revoked.instance());
		if (listening != null) {
			this.messages.add(() -> guard(name, () -> listening.listener.revoked(name, revoked)));
		}
		return release(name, revoked, now);
	}

	RecordChange.Outcome replaceRecord(RecordChange change, long now) {
		LockEntry entry = this.entries.get(change.name());
		LockEntry.Hold hold = (entry != null) ? entry.holdAt(now, change.token()) : null;
		if (entry == null || hold == null || hold.limit() != 1) {
			return new RecordChange.Outcome.NotHeld();
		}
		String present = entry.recordAt(now);
		if (!Objects.equals(present, change.expected()) && !change.text().equals(present)) {
			return new RecordChange.Outcome.Different(present);
		}
		entry.keepRecord(change.text(), now + nanos(change.timeToLive()));
		return new RecordChange.Outcome.Replaced();
	}

	Optional<String> record(String name, long now) {
		LockEntry entry = this.entries.get(name);
		return Optional.ofNullable((entry != null) ? entry.recordAt(now) : null);
	}

	boolean addListener(String instance, Object owner, GrantListener listener) {
		return this.listeners.putIfAbsent(instance, new Listening(owner, listener)) == null;
	}

	boolean removeListeners(Object owner) {
		return this.listeners.values().removeIf((listening) -> listening.owner == owner);
	}

	void clear() {
		this.entries.clear();
		this.ring.clear();
	}

	int size() {
		return Math.max(this.entries.size(), this.ring.size());
	}

	/**
	 * Give the lock to the first waiters that fit. Stop at one that does not fit, so that
	 * those behind do not make it wait longer. A waiter whose place was not confirmed in
	 * time, or who is to be told and whose instance does not listen, is dead and loses
	 * its place.
	 * @param end the waiter at which to stop in any case, or {@code null} for none
	 */
	private void serve(LockEntry entry, long now, @Nullable LockToken end) {
		Iterator<Map.Entry<LockToken, LockEntry.Waiter>> queue = entry.queue.entrySet().iterator();
		while (queue.hasNext()) {
			Map.Entry<LockToken, LockEntry.Waiter> next = queue.next();
			LockToken token = next.getKey();
			LockEntry.Waiter waiter = next.getValue();
			Listening listening = this.listeners.get(token.instance());
			boolean asks = waiter.nonce() == AcquireRequest.Waiting.NOT_LISTENING;
			boolean alive = waiter.isAlive(now) && (asks || listening != null);
			boolean blocked = entry.isHeldAlone(now) || (alive && !entry.fits(now, waiter.limit()));
			if (token.equals(end) || blocked) {
				break;
			}
			if (alive) {
				Duration lease = (asks || waiter.lease().compareTo(MAX_GRANT_LEASE) < 0) ? waiter.lease()
						: MAX_GRANT_LEASE;
				long fence = nextFence(waiter.fenceBlock());
				entry.put(
						new LockEntry.Hold(token, fence, waiter.fenceBlock(), now, now + nanos(lease), waiter.limit()));
				if (!asks && listening != null) {
					GrantListener listener = listening.listener;
					Grant grant = new Grant(entry.name, token, fence, waiter.fenceBlock(), lease, waiter.nonce());
					this.messages.add(() -> guard(entry.name, () -> listener.granted(grant)));
				}
			}
			queue.remove();
		}
	}

	private static void guard(String name, Runnable call) {
		try {
			call.run();
		}
		catch (RuntimeException ex) {
			logger.warn("A listener failed on a message about lock '" + Printable.of(name) + "'.", ex);
		}
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

	private record Listening(Object owner, GrantListener listener) {
	}

}
