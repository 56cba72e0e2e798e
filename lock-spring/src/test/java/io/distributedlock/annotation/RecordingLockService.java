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

package io.distributedlock.annotation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockState;
import io.distributedlock.LossCause;
import io.distributedlock.internal.WorkUnderLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock service that locks nothing, remembers what it was asked for, and says what the
 * test wants it to say.
 */
class RecordingLockService implements LockService {

	final List<String> log = new CopyOnWriteArrayList<>();

	final List<RecordingHandle> handles = new CopyOnWriteArrayList<>();

	final Map<String, LockOptions> optionsByName = new ConcurrentHashMap<>();

	final Set<String> busy = ConcurrentHashMap.newKeySet();

	LockOptions defaults = LockOptions.defaults();

	/**
	 * Called before each acquisition.
	 */
	Runnable beforeAcquire = () -> {
	};

	/**
	 * What asynchronous acquisitions get.
	 */
	@Nullable CompletableFuture<LockHandle> pending;

	@Nullable RuntimeException failure;

	@Nullable RuntimeException closeFailure;

	@Override
	public LockOptions defaults() {
		return this.defaults;
	}

	@Override
	public LockOptions optionsFor(String name) {
		return this.defaults;
	}

	@Override
	public LockHandle acquire(String name, LockOptions options) {
		return acquireAll(List.of(name), options);
	}

	@Override
	public LockHandle acquireAll(Collection<String> names, LockOptions options) {
		String joined = String.join(", ", names);
		this.beforeAcquire.run();
		if (this.failure != null) {
			throw this.failure;
		}
		for (String name : names) {
			this.optionsByName.put(name, options);
			if (this.busy.contains(name)) {
				this.log.add("busy " + name);
				throw new LockNotAcquiredException(name, Duration.ZERO,
						LockInfo.heldElsewhere(name, "worker-2", Duration.ofSeconds(20)));
			}
		}
		this.log.add("acquire " + joined);
		RecordingHandle handle = new RecordingHandle(joined, new Hold(), false);
		this.handles.add(handle);
		return handle;
	}

	@Override
	public Optional<LockHandle> tryAcquire(String name, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(String name, LockOptions options) {
		return acquireAllAsync(List.of(name), options);
	}

	@Override
	public CompletableFuture<LockHandle> acquireAllAsync(Collection<String> names, LockOptions options) {
		if (this.pending != null) {
			return this.pending;
		}
		try {
			return CompletableFuture.completedFuture(acquireAll(names, options));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
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
		if (!this.handles.contains(held) || !held.isHeld()) {
			return Optional.empty();
		}
		this.log.add("enter " + held.name());
		RecordingHandle inner = new RecordingHandle(held.name(), ((RecordingHandle) held).hold, true);
		this.handles.add(inner);
		return Optional.of(inner);
	}

	@Override
	public Lock asLock(String name, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	LockOptions options() {
		return this.optionsByName.values().iterator().next();
	}

	List<String> takeLog() {
		List<String> taken = new ArrayList<>(this.log);
		this.log.clear();
		return taken;
	}

	/**
	 * What all handles on a lock have in common.
	 */
	private static final class Hold {

		private final AtomicInteger open = new AtomicInteger();

		private volatile boolean lost;

	}

	/**
	 * The handle of a lock that does not exist.
	 */
	class RecordingHandle implements LockHandle, WorkUnderLock.MinHold {

		private final String name;

		private final Hold hold;

		private final boolean inner;

		private final List<Consumer<LockEvent.Lost>> callbacks = new CopyOnWriteArrayList<>();

		private final AtomicBoolean closed = new AtomicBoolean();

		private RecordingHandle(String name, Hold hold, boolean inner) {
			this.name = name;
			this.hold = hold;
			this.inner = inner;
			hold.open.incrementAndGet();
		}

		void lose() {
			this.hold.lost = true;
			this.callbacks.forEach((callback) -> callback.accept(loss()));
		}

		private LockEvent.Lost loss() {
			return new LockEvent.Lost(this.name, "declared name", Duration.ofSeconds(1), 42, Duration.ofSeconds(1),
					LossCause.LEASE_EXPIRED, "Test.");
		}

		@Override
		public String name() {
			return this.name;
		}

		@Override
		public long fencingToken() {
			return 42;
		}

		@Override
		public LockState state() {
			return this.closed.get() ? LockState.RELEASED : this.hold.lost ? LockState.LOST : LockState.HELD;
		}

		@Override
		public boolean isHeld() {
			return state() == LockState.HELD;
		}

		@Override
		public Duration remaining() {
			return isHeld() ? Duration.ofDays(1) : Duration.ZERO;
		}

		@Override
		public void assertHeld() {
			if (this.hold.lost) {
				throw new LockLostException(loss());
			}
		}

		@Override
		public void extend(Duration additional) {
			throw new UnsupportedOperationException();
		}

		@Override
		public CompletableFuture<Void> extendAsync(Duration additional) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void onLost(Consumer<LockEvent.Lost> callback) {
			this.callbacks.add(callback);
		}

		@Override
		public LockHandle detach() {
			RecordingLockService.this.log.add("detach " + this.name);
			return this;
		}

		@Override
		public void waive() {
			if (!this.inner) {
				RecordingLockService.this.log.add("waive " + this.name);
			}
		}

		@Override
		public void release() {
			try {
				assertHeld();
			}
			finally {
				close();
			}
		}

		@Override
		public CompletableFuture<Void> releaseAsync() {
			close();
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void close() {
			if (this.closed.compareAndSet(false, true)) {
				boolean last = this.hold.open.decrementAndGet() == 0;
				RecordingLockService.this.log.add((last ? "release " : "leave ") + this.name);
				if (RecordingLockService.this.closeFailure != null) {
					throw RecordingLockService.this.closeFailure;
				}
			}
		}

	}

}
