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

package io.distributedlock.support;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.HeldLock;
import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockContext;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockInspector;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.LockState;
import io.distributedlock.WaitingLock;
import io.distributedlock.internal.JoinedHandle;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * A {@link LockService} that locks nothing: every request is granted immediately, and
 * nothing is ever lost. For tests in which locks do not matter.
 *
 * @since 0.1.0
 */
public final class NoOpLockService implements LockService, LockInspector {

	private final LockOptions defaults;

	private final LockOptionsCustomizer customizer;

	private final AtomicLong fencingTokens = new AtomicLong();

	private final ThreadLocal<List<WeakReference<Handle>>> handles = ThreadLocal.withInitial(ArrayList::new);

	private final ThreadLocal<Map<Kind, Integer>> lockHolds = ThreadLocal.withInitial(HashMap::new);

	/**
	 * Create a new instance.
	 * @param defaults the options where none are given
	 * @param customizer changes the defaults for each name
	 */
	public NoOpLockService(LockOptions defaults, LockOptionsCustomizer customizer) {
		this.defaults = defaults;
		this.customizer = customizer;
	}

	@Override
	public LockOptions defaults() {
		return this.defaults;
	}

	@Override
	public LockOptions optionsFor(String name) {
		checkName(name);
		return this.customizer.customize(name, this.defaults);
	}

	@Override
	public LockHandle acquire(String name, LockOptions options) {
		Handle handle = grant(name, options);
		List<WeakReference<Handle>> mine = this.handles.get();
		mine.removeIf((reference) -> isClosed(reference.get()));
		mine.add(new WeakReference<>(handle));
		return handle;
	}

	@Override
	public LockHandle acquireAll(Collection<String> names, LockOptions options) {
		return JoinedHandle.of(sorted(names).stream().map((name) -> acquire(name, options)).toList());
	}

	@Override
	public Optional<LockHandle> tryAcquire(String name, LockOptions options) {
		return Optional.of(acquire(name, options));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(String name, LockOptions options) {
		return CompletableFuture.completedFuture(grant(name, options));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAllAsync(Collection<String> names, LockOptions options) {
		return CompletableFuture
			.completedFuture(JoinedHandle.of(sorted(names).stream().map((name) -> grant(name, options)).toList()));
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(String name, LockOptions options,
			Function<LockHandle, ? extends CompletionStage<T>> work) {
		LockHandle handle = grant(name, options);
		return CompletableFuture.<T>completedStage(null)
			.thenCompose((ignored) -> call(work, handle))
			.whenComplete((result, ex) -> handle.close())
			.toCompletableFuture();
	}

	private static <T extends @Nullable Object> CompletionStage<T> call(
			Function<LockHandle, ? extends CompletionStage<T>> work, LockHandle handle) {
		LockContext.Scope scope = LockContext.enter(handle);
		try {
			return work.apply(handle);
		}
		finally {
			scope.close();
		}
	}

	@Override
	public Optional<LockInfo> find(String name) {
		return Optional.empty();
	}

	@Override
	public Optional<LockHandle> current(String name) {
		return this.handles.get()
			.stream()
			.map(WeakReference::get)
			.filter((handle) -> !isClosed(handle) && handle.name().equals(name))
			.<LockHandle>map((handle) -> handle)
			.findFirst();
	}

	@Override
	public Optional<LockHandle> reenter(LockHandle held, LockOptions options) {
		List<LockHandle> parts = held.parts();
		if (!(parts.get(0) instanceof Handle) || !held.isHeld()) {
			return Optional.empty();
		}
		return Optional.of(JoinedHandle.of(parts.stream().map((part) -> grant(part.name(), options)).toList()));
	}

	@Override
	public Lock asLock(String name, LockOptions options) {
		return new View(new Kind(name, options.mode(), options.permits()), this.lockHolds);
	}

	@Override
	public List<HeldLock> held() {
		return List.of();
	}

	@Override
	public List<WaitingLock> waiting() {
		return List.of();
	}

	private Handle grant(String name, LockOptions options) {
		checkName(name);
		return new Handle(name, this.fencingTokens.incrementAndGet(), options.lease());
	}

	private static void checkName(@Nullable String name) {
		if (name == null || name.isBlank()) {
			throw new InvalidLockNameException((name != null) ? name : "",
					"The name of a lock is " + ((name != null) ? "blank" : "null")
							+ ". Give a name that says what is locked, for example 'order:42'.");
		}
	}

	private static Collection<String> sorted(Collection<String> names) {
		if (names.isEmpty()) {
			throw new InvalidLockNameException("", "There is no name of a lock; give at least one.");
		}
		return new TreeSet<>(names);
	}

	private static boolean isClosed(@Nullable Handle handle) {
		return handle == null || !handle.isHeld();
	}

	/**
	 * A handle that is held until it is closed and never lost.
	 */
	private static final class Handle implements LockHandle {

		private final String name;

		private final long fencingToken;

		private final Duration lease;

		private volatile boolean closed;

		Handle(String name, long fencingToken, Duration lease) {
			this.name = name;
			this.fencingToken = fencingToken;
			this.lease = lease;
		}

		@Override
		public String name() {
			return this.name;
		}

		@Override
		public long fencingToken() {
			return this.fencingToken;
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
			if (this.closed) {
				throw new IllegalStateException(
						"The handle of lock '%s' was closed already.".formatted(Printable.of(this.name)));
			}
		}

		@Override
		public void extend(Duration additional) {
			if (additional.isNegative() || additional.isZero()) {
				throw new IllegalArgumentException(
						"The time to add to the lease is %s, but must be positive.".formatted(additional));
			}
			assertHeld();
		}

		@Override
		public CompletableFuture<Void> extendAsync(Duration additional) {
			extend(additional);
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

	/**
	 * What a view locks, and must unlock.
	 */
	private record Kind(String name, LockMode mode, int permits) {

	}

	/**
	 * A {@link Lock} that any number of threads may lock at the same time.
	 */
	private static final class View implements Lock {

		private final Kind kind;

		private final ThreadLocal<Map<Kind, Integer>> holds;

		View(Kind kind, ThreadLocal<Map<Kind, Integer>> holds) {
			this.kind = kind;
			this.holds = holds;
		}

		@Override
		public void lock() {
			this.holds.get().merge(this.kind, 1, Integer::sum);
		}

		@Override
		public void lockInterruptibly() throws InterruptedException {
			if (Thread.interrupted()) {
				throw new InterruptedException("Interrupted before locking '" + Printable.of(this.kind.name) + "'.");
			}
			lock();
		}

		@Override
		public boolean tryLock() {
			lock();
			return true;
		}

		@Override
		public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
			lockInterruptibly();
			return true;
		}

		@Override
		public void unlock() {
			if (!this.holds.get().containsKey(this.kind)) {
				throw new IllegalMonitorStateException(
						"This thread has not locked '" + Printable.of(this.kind.name) + "'.");
			}
			this.holds.get().computeIfPresent(this.kind, (kind, count) -> (count > 1) ? count - 1 : null);
		}

		@Override
		public Condition newCondition() {
			throw new UnsupportedOperationException("Distributed locks have no conditions.");
		}

	}

}
