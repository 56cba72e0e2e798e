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
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.Printable;
import org.jspecify.annotations.Nullable;

/**
 * The handle on several locks: as good as the worst of them.
 */
final class CompositeHandle implements LockHandle {

	private final List<LockHandle> parts;

	CompositeHandle(List<LockHandle> parts) {
		this.parts = List.copyOf(parts);
	}

	/**
	 * Return the names in the order in which everybody acquires them.
	 */
	static List<String> sorted(Collection<String> names) {
		if (names.isEmpty()) {
			throw new InvalidLockNameException("",
					"There is no name to lock: the collection of names is empty. Give at least one.");
		}
		for (String name : names) {
			LockNames.check(name);
		}
		return new ArrayList<>(new TreeSet<>(names));
	}

	/**
	 * Return the options for the next part, of what is left of the shared wait.
	 */
	static LockOptions within(LockOptions options, long left) {
		return options.waitTime().isZero() ? options
				: options.withWaitTime(Duration.ofNanos(Math.max(left, LeaseTimes.MILLI)));
	}

	static void closeAll(List<LockHandle> parts) {
		for (int i = parts.size() - 1; i >= 0; i--) {
			parts.get(i).waiveMinHold();
			parts.get(i).close();
		}
	}

	/**
	 * Bring the leases that started long before the last one to their full length.
	 */
	CompletableFuture<Void> refresh(Duration lease) {
		List<CompletableFuture<Void>> answers = new ArrayList<>();
		Duration tooShort = lease.dividedBy(4).multipliedBy(3);
		for (LockHandle part : this.parts) {
			part.assertHeld();
			if (part.remaining().compareTo(tooShort) < 0) {
				answers.add(((Handle) part).refresh(lease));
			}
		}
		return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
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
		return this.parts;
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

	/**
	 * Enter all parts again, or none.
	 */
	Optional<LockHandle> reenter(Function<LockHandle, Optional<LockHandle>> entry) {
		List<LockHandle> inner = new ArrayList<>(this.parts.size());
		for (LockHandle part : this.parts) {
			Optional<LockHandle> again = entry.apply(part);
			if (again.isEmpty()) {
				inner.forEach(LockHandle::close);
				return Optional.empty();
			}
			inner.add(again.get());
		}
		return Optional.of(new CompositeHandle(inner));
	}

	@Override
	public LockHandle detach() {
		this.parts.forEach(LockHandle::detach);
		return this;
	}

	@Override
	public void waiveMinHold() {
		this.parts.forEach(LockHandle::waiveMinHold);
	}

	@Override
	public void release() {
		RuntimeException problem = null;
		for (int i = this.parts.size() - 1; i >= 0; i--) {
			problem = release(this.parts.get(i), problem);
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
		for (int i = this.parts.size() - 1; i >= 0; i--) {
			this.parts.get(i).close();
		}
	}

	@Override
	public String toString() {
		return "locks " + this.parts;
	}

}
