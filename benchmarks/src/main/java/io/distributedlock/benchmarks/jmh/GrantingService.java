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

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for the engine: grants one lock at a time to a caller that blocks, as an
 * annotated method without a wait does, and knows nothing else.
 */
final class GrantingService implements LockService {

	@Override
	public LockOptions defaults() {
		return LockOptions.defaults();
	}

	@Override
	public LockOptions optionsFor(String name) {
		return LockOptions.defaults();
	}

	@Override
	public LockHandle acquire(String name, LockOptions options) {
		return new Handle(name, options.lease());
	}

	@Override
	public LockHandle acquireAll(Collection<String> names, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Optional<LockHandle> tryAcquire(String name, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(String name, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletableFuture<LockHandle> acquireAllAsync(Collection<String> names, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(String name, LockOptions options,
			Function<LockHandle, ? extends CompletionStage<T>> work) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Optional<LockInfo> find(String name) {
		return Optional.empty();
	}

	@Override
	public Optional<LockHandle> current(String name) {
		return Optional.empty();
	}

	@Override
	public Optional<LockHandle> reenter(LockHandle held, LockOptions options) {
		return Optional.empty();
	}

	@Override
	public Lock asLock(String name, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	/**
	 * Held until it is closed.
	 */
	private static final class Handle implements LockHandle {

		private final String name;

		private final Duration lease;

		private volatile boolean closed;

		Handle(String name, Duration lease) {
			this.name = name;
			this.lease = lease;
		}

		@Override
		public String name() {
			return this.name;
		}

		@Override
		public long fencingToken() {
			return 1;
		}

		@Override
		public LockState state() {
			return this.closed ? LockState.RELEASED : LockState.HELD;
		}

		@Override
		public boolean isHeld() {
			return !this.closed;
		}

		@Override
		public Duration remaining() {
			return this.closed ? Duration.ZERO : this.lease;
		}

		@Override
		public void assertHeld() {
			// Never lost
		}

		@Override
		public void extend(Duration additional) {
			// Never lost
		}

		@Override
		public CompletableFuture<Void> extendAsync(Duration additional) {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void onLost(Consumer<LockEvent.Lost> callback) {
			// Never lost
		}

		@Override
		public LockHandle detach() {
			return this;
		}

		@Override
		public void release() {
			this.closed = true;
		}

		@Override
		public CompletableFuture<Void> releaseAsync() {
			release();
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void close() {
			release();
		}

	}

}
