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

package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.Grant;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of the Lua scripts, in Java: what they answer, when keys end, and what they
 * publish. {@link SimulatedRedisTests} compares it with the scripts on a real server.
 */
final class SimulatedRedis {

	private static final long MAX_MILLIS = 1L << 42;

	private static final long FENCE_RETENTION = Duration.ofMinutes(10).toMillis();

	private static final long LONGEST_GRANT = Duration.ofSeconds(3).toMillis();

	private static final long NEVER = Long.MAX_VALUE;

	private final LongSupplier micros;

	private final Publisher publisher;

	private final Map<String, Keys> names = new LinkedHashMap<>();

	/**
	 * Create a server without data.
	 * @param micros the clock of the server, in microseconds
	 */
	SimulatedRedis(LongSupplier micros, Publisher publisher) {
		this.micros = micros;
		this.publisher = publisher;
	}

	AcquireOutcome acquire(AcquireRequest request) {
		Keys keys = keys(request.name());
		String token = request.token().text();
		long time = this.micros.getAsLong();
		long now = time / 1000;
		long lease = millis(request.lease());
		AcquireRequest.Waiting waiting = request.waiting();
		keys.expire(now);
		String holder = keys.holder;
		if (holder != null && !holder.equals(token)) {
			if (waiting != null) {
				enqueue(keys, request, waiting, time);
			}
			return new AcquireOutcome.Busy(holder, Duration.ofMillis(keys.holderEnd - now));
		}
		if (holder != null && keys.fenceEnd != 0) {
			keys.holderEnd = Math.max(keys.holderEnd, now + lease);
			return new AcquireOutcome.Granted(keys.fence - keys.fenceBlock + 1, keys.fenceBlock);
		}
		long fence = keys.reserve(time, request.fenceBlock(), lease);
		boolean first = holder == null && waiting != null && waiting.sign() == 0;
		if (waiting != null && !first) {
			keys.leave(token);
		}
		keys.holder = token;
		keys.holderEnd = (holder != null) ? Math.max(keys.holderEnd, now + lease) : now + lease;
		return new AcquireOutcome.Granted(fence, request.fenceBlock());
	}

	private void enqueue(Keys keys, AcquireRequest request, AcquireRequest.Waiting waiting, long time) {
		String token = request.token().text();
		long now = time / 1000;
		long life = millis(waiting.life());
		long keep = now + Math.max(10_000, 5 * life);
		boolean keeping = waiting.sign() % 4 == 3;
		if (keeping && !keys.queue.isEmpty()) {
			keys.queueEnd = keep;
			if (!keys.waiting.isEmpty()) {
				keys.waitingEnd = keep;
				return;
			}
		}
		boolean known = keys.waiting.put(token,
				new Entry(now + life, millis(request.lease()), request.fenceBlock(), waiting.nonce())) != null;
		if (!known || waiting.sign() == 0 || keeping) {
			keys.enter(token, time);
			keys.queueEnd = keep;
			keys.waitingEnd = keep;
		}
	}

	ExtendOutcome extend(LeaseExtension extension) {
		Keys keys = keys(extension.name());
		long now = this.micros.getAsLong() / 1000;
		keys.expire(now);
		if (keys.holder == null) {
			return ExtendOutcome.ABSENT;
		}
		if (!keys.holder.equals(extension.token().text())) {
			return ExtendOutcome.OTHER;
		}
		long end = now + millis(extension.lease());
		keys.holderEnd = (extension.mode() == LeaseExtension.Mode.EXACTLY) ? end : Math.max(keys.holderEnd, end);
		return ExtendOutcome.EXTENDED;
	}

	ReleaseOutcome release(String name, String token) {
		return release(name, token, false);
	}

	ReleaseOutcome forceRelease(String name, String holder) {
		return release(name, holder, true);
	}

	private ReleaseOutcome release(String name, String token, boolean forced) {
		Keys keys = keys(name);
		long time = this.micros.getAsLong();
		keys.expire(time / 1000);
		if (!token.equals(keys.holder)) {
			keys.leave(token);
			return (keys.holder != null) ? ReleaseOutcome.OTHER : ReleaseOutcome.ABSENT;
		}
		if (forced && token.indexOf(':') >= 0) {
			this.publisher.revoked(name, LockToken.parse(token));
		}
		if (!keys.queue.isEmpty()) {
			String first = keys.queue.get(0).token;
			Entry entry = keys.poll(first);
			keys.leave(token);
			while (true) {
				if (handOff(keys, name, token, first, entry, time)) {
					return ReleaseOutcome.RELEASED;
				}
				if (keys.queue.isEmpty()) {
					break;
				}
				first = keys.queue.get(0).token;
				entry = keys.poll(first);
			}
		}
		keys.holder = null;
		return ReleaseOutcome.RELEASED;
	}

	private boolean handOff(Keys keys, String name, String token, String waiter, @Nullable Entry entry, long time) {
		if (waiter.equals(token) || entry == null || entry.aliveUntil * 1000 <= time) {
			return false;
		}
		long first = keys.reserve(time, entry.fenceBlock, entry.lease);
		long lease = Math.min(entry.lease, LONGEST_GRANT);
		keys.holder = waiter;
		keys.holderEnd = time / 1000 + lease;
		return this.publisher.granted(new Grant(name, LockToken.parse(waiter), first, entry.fenceBlock,
				Duration.ofMillis(lease), entry.nonce)) > 0;
	}

	Optional<StoredLock> find(String name) {
		Keys keys = keys(name);
		long now = this.micros.getAsLong() / 1000;
		keys.expire(now);
		return (keys.holder != null) ? Optional.of(new StoredLock(keys.holder, Duration.ofMillis(keys.holderEnd - now)))
				: Optional.empty();
	}

	/**
	 * Forget everything.
	 */
	void flush() {
		this.names.clear();
	}

	/**
	 * End a lease, as if its time were over.
	 */
	void expire(String name) {
		keys(name).holder = null;
	}

	/**
	 * Return who holds a lock, or {@code null}.
	 */
	@Nullable String holder(String name) {
		Keys keys = this.names.get(name);
		if (keys == null) {
			return null;
		}
		keys.expire(this.micros.getAsLong() / 1000);
		return keys.holder;
	}

	/**
	 * Return when the lease of the holder ends, in milliseconds of the server.
	 */
	long holderEnd(String name) {
		return keys(name).holderEnd;
	}

	/**
	 * Return the tokens that wait for a lock, alive or not.
	 */
	List<String> queue(String name) {
		Keys keys = keys(name);
		keys.expire(this.micros.getAsLong() / 1000);
		return keys.queue.stream().map((place) -> place.token).toList();
	}

	/**
	 * Whether a token waits for a lock and would be granted it.
	 */
	boolean isAlive(String name, String token) {
		Entry entry = keys(name).waiting.get(token);
		return entry != null && entry.aliveUntil * 1000 > this.micros.getAsLong();
	}

	private Keys keys(String name) {
		return this.names.computeIfAbsent(name, (absent) -> new Keys());
	}

	private static long millis(Duration duration) {
		return (duration.getSeconds() < MAX_MILLIS / 1000) ? Math.max(1, duration.toMillis()) : MAX_MILLIS;
	}

	/**
	 * Delivers messages.
	 */
	interface Publisher {

		/**
		 * Deliver a grant.
		 * @return how many receive it, as far as the server knows
		 */
		int granted(Grant grant);

		void revoked(String name, LockToken token);

	}

	/**
	 * The keys of one name.
	 */
	private static final class Keys {

		private @Nullable String holder;

		private long holderEnd;

		/** The last fencing token. */
		private long fence;

		private int fenceBlock;

		/** Zero if there is none. */
		private long fenceEnd;

		/** By score, then by token. */
		private final List<Place> queue = new ArrayList<>();

		private long queueEnd = NEVER;

		private final Map<String, Entry> waiting = new HashMap<>();

		private long waitingEnd = NEVER;

		/** Keys are there up to the millisecond of their end. */
		private void expire(long now) {
			if (this.holder != null && now > this.holderEnd) {
				this.holder = null;
			}
			if (this.fenceEnd != 0 && now > this.fenceEnd) {
				this.fenceEnd = 0;
			}
			if (now > this.queueEnd) {
				this.queue.clear();
				this.queueEnd = NEVER;
			}
			if (now > this.waitingEnd) {
				this.waiting.clear();
				this.waitingEnd = NEVER;
			}
		}

		private long reserve(long time, int block, long lease) {
			long first = Math.max((this.fenceEnd != 0) ? this.fence + 1 : 1, time);
			this.fence = first + block - 1;
			this.fenceBlock = block;
			this.fenceEnd = time / 1000 + Math.max(FENCE_RETENTION, 2 * lease);
			return first;
		}

		private void enter(String token, long score) {
			for (Place place : this.queue) {
				if (place.token.equals(token)) {
					return;
				}
			}
			int at = this.queue.size();
			while (at > 0 && (this.queue.get(at - 1).score > score
					|| (this.queue.get(at - 1).score == score && this.queue.get(at - 1).token.compareTo(token) > 0))) {
				at--;
			}
			this.queue.add(at, new Place(token, score));
		}

		private void leave(String token) {
			this.queue.removeIf((place) -> place.token.equals(token));
			this.waiting.remove(token);
			tidy();
		}

		private @Nullable Entry poll(String token) {
			this.queue.remove(0);
			Entry entry = this.waiting.remove(token);
			tidy();
			return entry;
		}

		/** An empty key is no key. */
		private void tidy() {
			if (this.queue.isEmpty()) {
				this.queueEnd = NEVER;
			}
			if (this.waiting.isEmpty()) {
				this.waitingEnd = NEVER;
			}
		}

	}

	private record Place(String token, long score) {
	}

	private record Entry(long aliveUntil, long lease, int fenceBlock, long nonce) {
	}

}
