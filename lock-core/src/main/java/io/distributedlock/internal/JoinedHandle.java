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

package io.distributedlock.reactive.internal;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * One handle on several locks, some acquired and some re-entered: its state is the worst
 * of theirs.
 *
 * @param parts the handles of the single locks, in the order of their names
 */
record JoinedHandle(List<LockHandle> parts) implements LockHandle {

	/**
	 * Join handles, each of which may be on several locks.
	 * @param handles at least one
	 */
	static LockHandle of(List<LockHandle> handles) {
		return (handles.size() == 1) ? handles.get(0)
				: new JoinedHandle(handles.stream()
					.flatMap((handle) -> handle.parts().stream())
					.sorted(Comparator.comparing(LockHandle::name))
					.toList());
	}

	@Override
	public String name() {
		return this.parts.stream().map(LockHandle::name).collect(Collectors.joining(", "));
	}

	@Override
	public long fencingToken() {
		throw new IllegalStateException("This handle is on several locks (" + name()
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
		this.parts.forEach((part) -> part.extend(additional));
	}

	@Override
	public CompletableFuture<Void> extendAsync(Duration additional) {
		return CompletableFuture
			.allOf(this.parts.stream().map((part) -> part.extendAsync(additional)).toArray(CompletableFuture[]::new));
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
		RuntimeException problem = null;
		for (LockHandle part : this.parts) {
			problem = release(part, problem);
		}
		if (problem != null) {
			throw problem;
		}
	}

	private static @Nullable RuntimeException release(LockHandle part, @Nullable RuntimeException earlier) {
		try {
			part.release();
			return earlier;
		}
		catch (RuntimeException ex) {
			if (earlier == null) {
				return ex;
			}
			earlier.addSuppressed(ex);
			return earlier;
		}
	}

	@Override
	public CompletableFuture<Void> releaseAsync() {
		return CompletableFuture
			.allOf(this.parts.stream().map(LockHandle::releaseAsync).toArray(CompletableFuture[]::new));
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
