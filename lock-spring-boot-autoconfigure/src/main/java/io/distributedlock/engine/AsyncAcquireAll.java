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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several locks one after the other without blocking a thread. The step under
 * way is cancelled with the future of the whole.
 */
final class AsyncAcquireAll {

	private final LockService service;

	private final LongSupplier now;

	private final List<String> names;

	private final LockOptions options;

	private final long end;

	private final List<LockHandle> parts = new ArrayList<>();

	private final CompletableFuture<LockHandle> result = new CompletableFuture<>();

	AsyncAcquireAll(LockService service, LongSupplier now, List<String> names, LockOptions options) {
		this.service = service;
		this.now = now;
		this.names = names;
		this.options = options;
		this.end = now.getAsLong() + options.waitTime().toNanos();
	}

	CompletableFuture<LockHandle> start() {
		acquireNext();
		return this.result;
	}

	private void acquireNext() {
		String name = this.names.get(this.parts.size());
		CompletableFuture<LockHandle> step = this.service.acquireAsync(name,
				CompositeHandle.within(this.options, this.end - this.now.getAsLong()));
		this.result.whenComplete((handle, failure) -> step.cancel(false));
		step.whenComplete(this::acquired);
	}

	private void acquired(@Nullable LockHandle handle, @Nullable Throwable failure) {
		if (handle != null) {
			this.parts.add(handle);
		}
		if (failure != null || this.result.isDone()) {
			giveUp((failure != null) ? Failures.unwrap(failure) : null);
		}
		else if (this.parts.size() < this.names.size()) {
			acquireNext();
		}
		else {
			complete(new CompositeHandle(this.parts));
		}
	}

	private void complete(CompositeHandle all) {
		CompletableFuture<Void> refreshed;
		try {
			refreshed = all.refresh(this.options.lease());
		}
		catch (RuntimeException ex) {
			refreshed = CompletableFuture.failedFuture(ex);
		}
		refreshed.whenComplete((done, failure) -> {
			if (failure != null || !this.result.complete(all)) {
				giveUp((failure != null) ? Failures.unwrap(failure) : null);
			}
		});
	}

	private void giveUp(@Nullable Throwable failure) {
		this.parts.forEach((part) -> {
			part.waiveMinHold();
			part.releaseAsync();
		});
		if (failure != null) {
			this.result.completeExceptionally(failure);
		}
	}

}
