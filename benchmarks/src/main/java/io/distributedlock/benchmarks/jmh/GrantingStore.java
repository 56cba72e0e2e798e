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

package io.distributedlock.benchmarks.jmh;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;

/**
 * Stands in for Redis where nobody else wants the lock: whatever is asked is granted at
 * once.
 */
final class GrantingStore implements LockStore {

	private static final AcquireOutcome ONE = new AcquireOutcome.Granted(1, 1);

	/** Enough for all hand-offs that are allowed. */
	private static final AcquireOutcome MANY = new AcquireOutcome.Granted(1, 101);

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireRequest request) {
		return CompletableFuture.completedFuture((request.fenceBlock() == 1) ? ONE : MANY);
	}

	@Override
	public List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions) {
		return extensions.stream()
			.map((extension) -> CompletableFuture.completedFuture(ExtendOutcome.EXTENDED))
			.toList();
	}

	@Override
	public CompletableFuture<ReleaseOutcome> release(String name, LockToken token) {
		return CompletableFuture.completedFuture(ReleaseOutcome.RELEASED);
	}

	@Override
	public CompletableFuture<Optional<StoredLock>> find(String name) {
		return CompletableFuture.completedFuture(Optional.empty());
	}

	@Override
	public void listen(String instance, GrantListener listener) {
		listener.subscribed();
	}

	@Override
	public String description() {
		return "grants everything";
	}

	@Override
	public void close() {
		// Nothing is open
	}

}
