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

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;
import io.distributedlock.store.StoredLockDetails;
import io.distributedlock.store.StoredLocks;

/**
 * A {@link LockStore} in the memory of this JVM: for development, for tests, and for
 * applications that never run more than one instance. It behaves like Redis, answers
 * immediately in the calling thread, has no thread of its own, and removes expired
 * entries.
 *
 * <p>
 * Several instances in one JVM share the locks if each has its own store, created with
 * {@link #connect()}; closing one does not affect the others.
 *
 * @since 0.1.0
 */
public final class InMemoryLockStore implements LockStore {

	private final LockTable table;

	private volatile boolean closed;

	/**
	 * Create an empty store that uses the system time.
	 */
	public InMemoryLockStore() {
		this(System::nanoTime);
	}

	/**
	 * Create an empty store.
	 * @param nanoTime the source of time, in nanoseconds from any origin; it must never
	 * go back
	 */
	public InMemoryLockStore(LongSupplier nanoTime) {
		this(new LockTable(nanoTime));
	}

	private InMemoryLockStore(LockTable table) {
		this.table = table;
	}

	/**
	 * Create another store that keeps the same locks.
	 * @return an open store, even if this one is closed
	 */
	public InMemoryLockStore connect() {
		return new InMemoryLockStore(this.table);
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireRequest request) {
		return answer(request.name(), (now) -> this.table.acquire(request, now));
	}

	@Override
	public List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions) {
		List<CompletableFuture<ExtendOutcome>> outcomes = new ArrayList<>(extensions.size());
		for (LeaseExtension extension : extensions) {
			outcomes.add(answer(extension.name(), (now) -> this.table.extend(extension, now)));
		}
		return outcomes;
	}

	@Override
	public CompletableFuture<ReleaseOutcome> release(String name, LockToken token) {
		return answer(name, (now) -> this.table.release(name, token, now));
	}

	@Override
	public CompletableFuture<Optional<StoredLock>> find(String name) {
		return answer(name, (now) -> this.table.find(name, now));
	}

	@Override
	public CompletableFuture<Optional<StoredLockDetails>> describe(String name) {
		return answer(name, (now) -> this.table.describe(name, now));
	}

	@Override
	public CompletableFuture<StoredLocks> list(int limit) {
		return answer("", (now) -> this.table.list(limit, now));
	}

	@Override
	public CompletableFuture<ReleaseOutcome> forceRelease(String name, String holder) {
		return answer(name, (now) -> this.table.forceRelease(name, holder, now));
	}

	@Override
	public CompletableFuture<RecordChange.Outcome> replaceRecord(RecordChange change) {
		return answer(change.name(), (now) -> this.table.replaceRecord(change, now));
	}

	@Override
	public CompletableFuture<Optional<String>> record(String name) {
		return answer(name, (now) -> this.table.record(name, now));
	}

	@Override
	public void listen(String instance, GrantListener listener) {
		if (!this.closed && this.table.execute((now) -> this.table.addListener(instance, this, listener))) {
			listener.subscribed();
		}
	}

	@Override
	public String description() {
		return "memory of this JVM";
	}

	@Override
	public void close() {
		this.closed = true;
		this.table.execute((now) -> this.table.removeListeners(this));
	}

	/**
	 * Forget every lock, queue, record and fencing token, as a Redis server does on
	 * {@code FLUSHALL}. Fencing tokens still increase.
	 */
	public void clear() {
		this.table.execute((now) -> {
			this.table.clear();
			return null;
		});
	}

	private <T> CompletableFuture<T> answer(String name, LongFunction<T> command) {
		if (this.closed) {
			return CompletableFuture.failedFuture(new LockUnavailableException(name,
					"The in-memory lock store is closed. Do not use locks after the application has stopped.", null));
		}
		return CompletableFuture.completedFuture(this.table.execute(command));
	}

}
