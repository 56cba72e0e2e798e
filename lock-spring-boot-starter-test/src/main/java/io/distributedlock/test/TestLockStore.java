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

package io.distributedlock.test;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.memory.InMemoryLockStore;
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
import io.distributedlock.test.AutoConfigureDistributedLock.Mode;

/**
 * The store that the application under test uses: in memory, and failing when the test
 * requires it.
 */
final class TestLockStore implements LockStore {

	private static final String NOBODY = "denied-by-@AutoConfigureDistributedLock~AAAAAAAAAAAAAAAAAAAAAA:1";

	private final InMemoryLockStore table;

	private final boolean denying;

	private final Set<String> asked = ConcurrentHashMap.newKeySet();

	private volatile boolean failing;

	TestLockStore(TestClock clock, Mode mode) {
		this.table = new InMemoryLockStore(clock::nanos);
		this.denying = mode == Mode.DENY;
	}

	/**
	 * Return the locks themselves, on which nothing ever fails.
	 */
	InMemoryLockStore table() {
		return this.table;
	}

	/**
	 * Return the names that were asked for so far, in this test and in earlier ones.
	 */
	Set<String> asked() {
		return this.asked;
	}

	void fail(boolean failing) {
		this.failing = failing;
	}

	private static <T> CompletableFuture<T> failure(String name) {
		return CompletableFuture.failedFuture(new LockUnavailableException(name,
				"The lock store is unavailable because the test called failStore().", null));
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireRequest request) {
		this.asked.add(request.name());
		if (this.failing) {
			return failure(request.name());
		}
		return this.denying ? CompletableFuture.completedFuture(new AcquireOutcome.Busy(NOBODY, null))
				: this.table.acquire(request);
	}

	@Override
	public List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions) {
		return this.failing ? extensions.stream()
			.map((extension) -> TestLockStore.<ExtendOutcome>failure(extension.name()))
			.toList() : this.table.extend(extensions);
	}

	@Override
	public CompletableFuture<ReleaseOutcome> release(String name, LockToken token) {
		return this.failing ? failure(name) : this.table.release(name, token);
	}

	@Override
	public CompletableFuture<Optional<StoredLock>> find(String name) {
		return this.failing ? failure(name) : this.table.find(name);
	}

	@Override
	public CompletableFuture<Optional<StoredLockDetails>> describe(String name) {
		return this.failing ? failure(name) : this.table.describe(name);
	}

	@Override
	public CompletableFuture<StoredLocks> list(int limit) {
		return this.failing ? failure("") : this.table.list(limit);
	}

	@Override
	public CompletableFuture<ReleaseOutcome> forceRelease(String name, String holder) {
		return this.failing ? failure(name) : this.table.forceRelease(name, holder);
	}

	@Override
	public CompletableFuture<RecordChange.Outcome> replaceRecord(RecordChange change) {
		return this.failing ? failure(change.name()) : this.table.replaceRecord(change);
	}

	@Override
	public CompletableFuture<Optional<String>> record(String name) {
		return this.failing ? failure(name) : this.table.record(name);
	}

	@Override
	public void listen(String instance, GrantListener listener) {
		this.table.listen(instance, listener);
	}

	@Override
	public String description() {
		return "the memory of this test";
	}

	@Override
	public void close() {
		this.table.close();
	}

}
