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

package io.distributedlock.leadership;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockState;
import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a leader, for user code: all share it, so nobody can close it, and it is
 * held as long as the candidate leads.
 */
final class LeaderHandle implements LockHandle {

	private final Term term;

	private final @Nullable LockHandle reentered;

	LeaderHandle(Term term, @Nullable LockHandle reentered) {
		this.term = term;
		this.reentered = reentered;
	}

	@Override
	public String name() {
		return this.term.handle.name();
	}

	@Override
	public long fencingToken() {
		return this.term.handle.fencingToken();
	}

	/**
	 * The lock service knows only its own handles, so this contains one of them.
	 */
	@Override
	public List<LockHandle> parts() {
		return List.of((this.reentered != null) ? this.reentered : this);
	}

	@Override
	public LockState state() {
		LockState state = this.term.handle.state();
		return (this.term.over && state != LockState.LOST) ? LockState.RELEASED : state;
	}

	@Override
	public boolean isHeld() {
		return !this.term.over && this.term.handle.isHeld();
	}

	@Override
	public Duration remaining() {
		return this.term.over ? Duration.ZERO : this.term.handle.remaining();
	}

	@Override
	public void assertHeld() {
		this.term.handle.assertHeld();
		if (this.term.over) {
			throw resigned();
		}
	}

	private IllegalStateException resigned() {
		return new IllegalStateException(
				"The leader '%s' has resigned, so its lock is no longer held. Resign only after the work that needs the lock."
					.formatted(Printable.of(name())));
	}

	@Override
	public void extend(Duration additional) {
		assertHeld();
		this.term.handle.extend(additional);
	}

	@Override
	public CompletableFuture<Void> extendAsync(Duration additional) {
		return this.term.over ? CompletableFuture.failedFuture(resigned()) : this.term.handle.extendAsync(additional);
	}

	@Override
	public void onLost(Consumer<LockEvent.Lost> callback) {
		this.term.handle.onLost(callback);
	}

	@Override
	public LockHandle detach() {
		return this;
	}

	@Override
	public void release() {
		// The leader releases it
	}

	@Override
	public CompletableFuture<Void> releaseAsync() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public void close() {
		// The leader closes it
	}

	void end() {
		if (this.reentered != null) {
			this.reentered.close();
		}
	}

	@Override
	public String toString() {
		return this.term.handle.toString();
	}

}
