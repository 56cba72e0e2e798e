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

package io.distributedlock.fencing;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockState;

/**
 * A lock with a fencing token, whether it is held or not.
 */
final class TestHandle implements LockHandle {

	private final String name;

	private final long token;

	private final List<LockHandle> parts;

	private Duration remaining = Duration.ofSeconds(30);

	TestHandle(String name, long token) {
		this.name = name;
		this.token = token;
		this.parts = List.of(this);
	}

	TestHandle(List<LockHandle> parts) {
		this.name = parts.stream().map(LockHandle::name).collect(Collectors.joining(", "));
		this.token = -1;
		this.parts = parts;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public long fencingToken() {
		return this.token;
	}

	@Override
	public List<LockHandle> parts() {
		return this.parts;
	}

	@Override
	public LockState state() {
		return LockState.HELD;
	}

	@Override
	public boolean isHeld() {
		return true;
	}

	@Override
	public Duration remaining() {
		return this.remaining;
	}

	TestHandle remaining(Duration remaining) {
		this.remaining = remaining;
		return this;
	}

	@Override
	public void assertHeld() {
	}

	@Override
	public void extend(Duration additional) {
	}

	@Override
	public CompletableFuture<Void> extendAsync(Duration additional) {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public void onLost(Consumer<LockEvent.Lost> callback) {
	}

	@Override
	public LockHandle detach() {
		return this;
	}

	@Override
	public void release() {
	}

	@Override
	public CompletableFuture<Void> releaseAsync() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public void close() {
	}

}
