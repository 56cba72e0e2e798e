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

package io.distributedlock.internal;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockState;

/**
 * One handle on several locks: its state is the worst of theirs.
 */
public class JoinedHandle implements LockHandle {

	private final List<LockHandle> parts;

	/**
	 * Join the handles of single locks, in the order of their names.
	 */
	public JoinedHandle(List<? extends LockHandle> parts) {
		this.parts = List.copyOf(parts);
	}

	/**
	 * Join handles into one. Each may hold several locks. A single handle is returned
	 * unchanged.
	 */
	public static LockHandle of(List<? extends LockHandle> handles) {
		return (handles.size() == 1) ? handles.get(0)
				: new JoinedHandle(handles.stream()
					.flatMap((handle) -> handle.parts().stream())
					.sorted(Comparator.comparing(LockHandle::name))
					.toList());
	}

	@Override
	public List<LockHandle> parts() {
		return this.parts;
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
	public LockState state() {
		List<LockState> states = this.parts.stream().map(LockHandle::state).toList();
		return states.contains(LockState.LOST) ? LockState.LOST
				: states.stream().max(Comparator.naturalOrder()).orElseThrow();
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
		Failures.join("", extendAsync(additional));
	}

	/**
	 * Extends all parts at the same time, so that the caller waits for only one answer.
	 */
	@Override
	public CompletableFuture<Void> extendAsync(Duration additional) {
		return all(this.parts, (part) -> part.extendAsync(additional));
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

	@Override
	public LockHandle detach() {
		this.parts.forEach(LockHandle::detach);
		return this;
	}

	@Override
	public void release() {
		forEach(this.parts, LockHandle::release);
	}

	/**
	 * Send all requests before any answer is there.
	 */
	protected static <T> CompletableFuture<Void> all(List<T> parts, Function<T, CompletableFuture<Void>> request) {
		return CompletableFuture.allOf(parts.stream().map(request).toArray(CompletableFuture[]::new));
	}

	/**
	 * Do something with each, whatever becomes of the others, and throw the first failure
	 * afterwards.
	 */
	protected static <T> void forEach(List<? extends T> all, Consumer<T> action) {
		RuntimeException problem = null;
		for (T each : all) {
			try {
				action.accept(each);
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

	@Override
	public CompletableFuture<Void> releaseAsync() {
		return all(this.parts, LockHandle::releaseAsync);
	}

	@Override
	public void close() {
		this.parts.forEach(LockHandle::close);
	}

	@Override
	public String toString() {
		return "locks " + this.parts;
	}

}
