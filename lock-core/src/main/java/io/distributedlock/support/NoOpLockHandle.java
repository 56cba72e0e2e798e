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

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockState;
import io.distributedlock.internal.Printable;

/**
 * A handle that is held until it is closed and never lost.
 */
final class NoOpLockHandle implements LockHandle {

	private final String name;

	private final long fencingToken;

	private final Duration lease;

	private volatile boolean closed;

	NoOpLockHandle(String name, long fencingToken, Duration lease) {
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
