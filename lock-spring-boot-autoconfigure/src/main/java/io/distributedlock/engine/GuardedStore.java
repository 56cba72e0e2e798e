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

package io.distributedlock.engine;

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
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * A store that throws is a store that fails: what a command throws comes with its future,
 * so that the engine, which waits for answers, gets one. A store must not throw, but it
 * may run out of memory, or miss a class.
 */
final class GuardedStore implements LockStore {

	private static final Log logger = LogFactory.getLog(GuardedStore.class);

	private final LockStore store;

	GuardedStore(LockStore store) {
		this.store = store;
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireRequest request) {
		try {
			return this.store.acquire(request);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions) {
		try {
			return this.store.extend(extensions);
		}
		catch (Throwable ex) {
			return extensions.stream().map((extension) -> CompletableFuture.<ExtendOutcome>failedFuture(ex)).toList();
		}
	}

	@Override
	public CompletableFuture<ReleaseOutcome> release(String name, LockToken token) {
		try {
			return this.store.release(name, token);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public CompletableFuture<Optional<StoredLock>> find(String name) {
		try {
			return this.store.find(name);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public void listen(String instance, GrantListener listener) {
		try {
			this.store.listen(instance, listener);
		}
		catch (RuntimeException ex) {
			logger.warn("The lock store cannot listen for grants; waiters ask it from time to time instead.", ex);
		}
	}

	@Override
	public String description() {
		return this.store.description();
	}

	@Override
	public void close() {
		this.store.close();
	}

}
