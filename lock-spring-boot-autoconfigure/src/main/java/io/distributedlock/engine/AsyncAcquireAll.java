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

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * Acquires several locks one after the other without blocking a thread. The step under
 * way is cancelled with the future of the whole. The twin of {@link BlockingAcquireAll}.
 */
final class AsyncAcquireAll {

	private final DefaultLockService service;

	private final AcquiredParts parts;

	private final CompletableFuture<LockHandle> result = new CompletableFuture<>();

	AsyncAcquireAll(DefaultLockService service, List<String> names, LockOptions options) {
		this.service = service;
		this.parts = new AcquiredParts(service, names, options);
	}

	CompletableFuture<LockHandle> start() {
		acquireNext();
		return this.result;
	}

	private void acquireNext() {
		String name = this.parts.next();
		if (name == null) {
			this.parts.refresh().whenComplete((done, failure) -> refreshed(failure));
			return;
		}
		CompletableFuture<LockHandle> step = this.service.acquireAsync(name, this.parts.nextOptions());
		this.result.whenComplete((handle, failure) -> step.cancel(false));
		step.whenComplete(this::acquired);
	}

	private void acquired(@Nullable LockHandle handle, @Nullable Throwable failure) {
		if (handle != null) {
			this.parts.add(handle);
		}
		if (failure != null || this.result.isDone()) {
			giveUp(failure);
		}
		else {
			acquireNext();
		}
	}

	private void refreshed(@Nullable Throwable failure) {
		try {
			if (failure != null && !(Failures.unwrap(failure) instanceof LockLostException)) {
				giveUp(failure);
			}
			else if (this.result.isDone()) {
				giveUp(null);
			}
			else if (!this.parts.areHeld()) {
				acquireNext();
			}
			else if (!this.result.complete(this.parts.complete())) {
				giveUp(null);
			}
		}
		catch (RuntimeException ex) {
			giveUp(ex);
		}
	}

	private void giveUp(@Nullable Throwable failure) {
		this.service.concludeLater(this.parts.giveBack());
		if (failure != null) {
			this.result.completeExceptionally(Failures.unwrap(failure));
		}
	}

}
