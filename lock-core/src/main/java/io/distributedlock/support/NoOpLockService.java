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
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import io.distributedlock.HeldLock;
import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockInspector;
import io.distributedlock.LockOptions;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.WaitingLock;
import io.distributedlock.internal.JoinedHandle;
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

	private final ThreadLocal<List<WeakReference<NoOpLockHandle>>> handles = ThreadLocal.withInitial(ArrayList::new);

	private final ThreadLocal<Map<String, Integer>> lockHolds = ThreadLocal.withInitial(HashMap::new);

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
		return this.customizer.customize(name, this.defaults);
	}

	@Override
	public LockHandle acquire(String name, LockOptions options) {
		NoOpLockHandle handle = grant(name, options);
		List<WeakReference<NoOpLockHandle>> mine = this.handles.get();
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
		if (!(parts.get(0) instanceof NoOpLockHandle) || !held.isHeld()) {
			return Optional.empty();
		}
		return Optional.of(JoinedHandle.of(parts.stream().map((part) -> grant(part.name(), options)).toList()));
	}

	@Override
	public Lock asLock(String name, LockOptions options) {
		return new NoOpLock(name, this.lockHolds);
	}

	@Override
	public List<HeldLock> held() {
		return List.of();
	}

	@Override
	public List<WaitingLock> waiting() {
		return List.of();
	}

	private NoOpLockHandle grant(String name, LockOptions options) {
		if (name.isBlank()) {
			throw new InvalidLockNameException(name, "The name of a lock must not be blank.");
		}
		return new NoOpLockHandle(name, this.fencingTokens.incrementAndGet(), options.lease());
	}

	private static Collection<String> sorted(Collection<String> names) {
		if (names.isEmpty()) {
			throw new InvalidLockNameException("", "There is no name of a lock; give at least one.");
		}
		return new TreeSet<>(names);
	}

	private static boolean isClosed(@Nullable NoOpLockHandle handle) {
		return handle == null || !handle.isHeld();
	}

}
