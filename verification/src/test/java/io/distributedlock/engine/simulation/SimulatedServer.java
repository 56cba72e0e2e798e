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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

import io.distributedlock.memory.InMemoryLockStore;
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
import io.distributedlock.store.trace.HistoryRecorder;
import org.jspecify.annotations.Nullable;

/**
 * The server of a history: the in-memory store with a clock of its own. It counts fencing
 * tokens from its start, so that a history is the same each time, and remembers who
 * entered a queue and did not leave it, which the store forgets when the place is no
 * longer good.
 */
final class SimulatedServer {

	private final LongSupplier nanoTime;

	private final InMemoryLockStore store;

	private final long tokensBefore;

	/** Who waits, and until when the place is good, by name and token. */
	private final Map<String, Map<String, Long>> places = new LinkedHashMap<>();

	private final @Nullable HistoryRecorder recorder;

	SimulatedServer(LongSupplier nanoTime, @Nullable HistoryRecorder recorder) {
		this.recorder = recorder;
		this.nanoTime = nanoTime;
		this.store = new InMemoryLockStore(nanoTime);
		AcquireRequest first = new AcquireRequest("first", new LockToken("first", 1), Duration.ofNanos(1), 1, null);
		this.tokensBefore = ((AcquireOutcome.Granted) this.store.acquire(first).join()).fencingToken();
	}

	AcquireOutcome acquire(AcquireRequest request) {
		AcquireOutcome outcome = acquireFromStore(request);
		if (this.recorder != null) {
			this.recorder.acquired(now(), request, outcome, describe(request.name()));
		}
		return outcome;
	}

	private AcquireOutcome acquireFromStore(AcquireRequest request) {
		AcquireOutcome outcome = this.store.acquire(request).join();
		AcquireRequest.Waiting waiting = request.waiting();
		if (outcome instanceof AcquireOutcome.Granted granted) {
			if (waiting != null) {
				places(request.name()).remove(request.token().text());
			}
			return new AcquireOutcome.Granted(granted.fencingToken() - this.tokensBefore, granted.fenceBlock());
		}
		if (waiting != null) {
			places(request.name()).put(request.token().text(), this.nanoTime.getAsLong() + waiting.life().toNanos());
		}
		AcquireOutcome.Busy busy = (AcquireOutcome.Busy) outcome;
		return new AcquireOutcome.Busy(busy.holder(), busy.remaining(), busy.holders(), busy.permits(),
				busy.behindWaiters(), busy.fencingToken() - this.tokensBefore);
	}

	ExtendOutcome extend(LeaseExtension extension) {
		ExtendOutcome outcome = this.store.extend(List.of(extension)).get(0).join();
		if (this.recorder != null) {
			this.recorder.extended(now(), extension, outcome, describe(extension.name()));
		}
		return outcome;
	}

	ReleaseOutcome release(String name, LockToken token) {
		ReleaseOutcome outcome = this.store.release(name, token).join();
		Optional<StoredLockDetails> left = this.store.describe(name).join();
		if (left.stream()
			.flatMap((lock) -> lock.queue().stream())
			.noneMatch((waiter) -> waiter.token().equals(token.text()))) {
			places(name).remove(token.text());
		}
		if (this.recorder != null) {
			this.recorder.released(now(), name, token, outcome, left);
		}
		return outcome;
	}

	ReleaseOutcome forceRelease(String name, String holder) {
		ReleaseOutcome outcome = this.store.forceRelease(name, holder).join();
		if (this.recorder != null && outcome == ReleaseOutcome.RELEASED) {
			this.recorder.released(now(), name, LockToken.parse(holder), outcome, describe(name));
		}
		return outcome;
	}

	RecordChange.Outcome replaceRecord(RecordChange change) {
		RecordChange.Outcome outcome = this.store.replaceRecord(change).join();
		if (this.recorder != null) {
			this.recorder.recorded(now(), change.name(), change.token(),
					!(outcome instanceof RecordChange.Outcome.NotHeld), describe(change.name()));
		}
		return outcome;
	}

	@Nullable String record(String name) {
		return this.store.record(name).join().orElse(null);
	}

	Optional<StoredLock> find(String name) {
		Optional<StoredLock> found = this.store.find(name).join();
		if (this.recorder != null) {
			this.recorder.found(now(), name, found, describe(name));
		}
		return found;
	}

	private Optional<StoredLockDetails> describe(String name) {
		return this.store.describe(name).join();
	}

	private long now() {
		return this.nanoTime.getAsLong();
	}

	/**
	 * Subscribe an instance to the messages to it.
	 */
	InMemoryLockStore subscribe(String instance, GrantListener listener) {
		if (this.recorder != null) {
			this.recorder.subscribed(instance);
		}
		InMemoryLockStore connection = this.store.connect();
		connection.listen(instance, new GrantListener() {

			@Override
			public void subscribed() {
				listener.subscribed();
			}

			@Override
			public void granted(Grant grant) {
				places(grant.name()).remove(grant.token().text());
				Grant told = new Grant(grant.name(), grant.token(),
						grant.fencingToken() - SimulatedServer.this.tokensBefore, grant.fenceBlock(), grant.lease(),
						grant.nonce());
				if (SimulatedServer.this.recorder != null) {
					SimulatedServer.this.recorder.pushed(told);
				}
				listener.granted(told);
			}

			@Override
			public void revoked(String name, LockToken token) {
				listener.revoked(name, token);
			}

		});
		return connection;
	}

	void unsubscribe(String instance, InMemoryLockStore connection) {
		connection.close();
		if (this.recorder != null) {
			this.recorder.unsubscribed(instance);
		}
	}

	void flush() {
		if (this.recorder != null) {
			this.recorder.lost();
		}
		this.store.clear();
		this.places.clear();
	}

	/**
	 * Return all who hold a lock, and for how long their leases are still good, in
	 * nanoseconds of the server's clock.
	 */
	Map<String, Long> holders(String name) {
		Map<String, Long> holders = new LinkedHashMap<>();
		this.store.describe(name)
			.join()
			.ifPresent((lock) -> lock.holds()
				.forEach((hold) -> holders.put(hold.holder(), Objects.requireNonNull(hold.remaining()).toNanos())));
		return holders;
	}

	/**
	 * Return the tokens that wait for a lock, alive or not.
	 */
	Set<String> queue(String name) {
		return places(name).keySet();
	}

	/**
	 * Whether a token waits for a lock and would be granted it.
	 */
	boolean isAlive(String name, String token) {
		Long aliveUntil = places(name).get(token);
		return aliveUntil != null && aliveUntil > this.nanoTime.getAsLong();
	}

	/**
	 * Whether anybody waits for a lock, and would be granted it.
	 */
	boolean isAwaited(String name) {
		return this.store.describe(name).join().stream().anyMatch((lock) -> !lock.queue().isEmpty());
	}

	private Map<String, Long> places(String name) {
		return this.places.computeIfAbsent(name, (absent) -> new LinkedHashMap<>());
	}

}
