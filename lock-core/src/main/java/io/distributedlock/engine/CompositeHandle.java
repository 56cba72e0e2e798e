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

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockState;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * The handle on several locks: its state is the worst of theirs.
 */
final class CompositeHandle implements LockHandle {

	private final List<Handle> parts;

	CompositeHandle(List<Handle> parts) {
		this.parts = List.copyOf(parts);
	}

	@Override
	public String name() {
		return this.parts.stream().map(LockHandle::name).collect(Collectors.joining(", "));
	}

	@Override
	public long fencingToken() {
		throw new IllegalStateException("This handle is on several locks (" + Printable.of(name())
				+ "), each with a fencing token of its own. Ask the parts() for theirs.");
	}

	@Override
	public List<LockHandle> parts() {
		return List.copyOf(this.parts);
	}

	@Override
	public LockState state() {
		return this.parts.stream()
			.map(LockHandle::state)
			.max(Comparator.comparing((state) -> (state == LockState.LOST) ? Integer.MAX_VALUE : state.ordinal()))
			.orElseThrow();
	}

	@Override
	public boolean isHeld() {
		return this.parts.stream().allMatch(LockHandle::isHeld);
	}

	@Override
	public Duration remaining() {
		return this.parts.stream().map(LockHandle::remaining).min(Comparator.naturalOrder()).orElseThrow();
	}

	@Override
	public void assertHeld() {
		this.parts.forEach(LockHandle::assertHeld);
	}

	@Override
	public void extend(Duration additional) {
		assertHeld();
		Failures.join(name(), requestExtensions(additional));
	}

	@Override
	public CompletableFuture<Void> extendAsync(Duration additional) {
		return CompletableFuture
			.allOf(this.parts.stream().map((part) -> part.extendAsync(additional)).toArray(CompletableFuture[]::new));
	}

	/**
	 * Request all of them before waiting, so that the caller waits for one answer at
	 * most.
	 */
	private CompletableFuture<Void> requestExtensions(Duration additional) {
		return CompletableFuture.allOf(
				this.parts.stream().map((part) -> part.requestExtension(additional)).toArray(CompletableFuture[]::new));
	}

	@Override
	public void onLost(Consumer<LockEvent.Lost> callback) {
		AtomicBoolean first = new AtomicBoolean(true);
		this.parts.forEach((part) -> part.onLost((loss) -> {
			if (first.compareAndSet(true, false)) {
				callback.accept(loss);
			}
		}));
	}

	/**
	 * Re-enter several locks, or none.
	 */
	static Optional<LockHandle> reenter(List<LockHandle> parts, Function<LockHandle, @Nullable Handle> entry) {
		List<Handle> inner = new ArrayList<>(parts.size());
		for (LockHandle part : parts) {
			Handle again = entry.apply(part);
			if (again == null) {
				inner.forEach(Handle::close);
				return Optional.empty();
			}
			inner.add(again);
		}
		return Optional.of(new CompositeHandle(inner));
	}

	@Override
	public LockHandle detach() {
		this.parts.forEach(LockHandle::detach);
		return this;
	}

	@Override
	public void release() {
		this.parts.forEach(Handle::closing);
		RuntimeException problem = null;
		for (Handle.Release release : startReleases()) {
			try {
				release.awaitStrictly();
			}
			catch (RuntimeException ex) {
				if (problem == null) {
					problem = ex;
				}
				else {
					problem.addSuppressed(ex);
				}
			}
		}
		if (problem != null) {
			throw problem;
		}
	}

	/**
	 * Start the releases of all parts, the last one first.
	 */
	private List<Handle.Release> startReleases() {
		List<Handle.Release> releases = new ArrayList<>(this.parts.size());
		for (int i = this.parts.size() - 1; i >= 0; i--) {
			releases.add(this.parts.get(i).startRelease());
		}
		return releases;
	}

	@Override
	public CompletableFuture<Void> releaseAsync() {
		return CompletableFuture
			.allOf(this.parts.stream().map(LockHandle::releaseAsync).toArray(CompletableFuture[]::new));
	}

	@Override
	public void close() {
		this.parts.forEach(Handle::closing);
		startReleases().forEach(Handle.Release::finish);
	}

	@Override
	public String toString() {
		return "locks " + this.parts;
	}

}
