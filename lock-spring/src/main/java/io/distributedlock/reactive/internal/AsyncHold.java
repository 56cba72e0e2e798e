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

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.JoinedHandle;
import io.distributedlock.internal.WorkUnderLock;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one asynchronous call: further handles on those that the call runs under
 * already, and handles on newly acquired ones. Each lock is released when all handles on
 * it are closed, so work that outlives the outer call keeps it. Shared by annotated
 * methods that return futures and those that return reactive types; applications use
 * {@link LockService}. Does not require Reactor.
 *
 * @since 0.1.0
 */
public final class AsyncHold {

	private final LockHandle handle;

	private final @Nullable LockHandle acquired;

	private AsyncHold(List<LockHandle> entered, @Nullable LockHandle acquired) {
		List<LockHandle> all = new ArrayList<>(entered);
		if (acquired != null) {
			all.add(acquired);
		}
		this.handle = JoinedHandle.of(all);
		this.acquired = acquired;
	}

	/**
	 * Re-enter the locks that a call has, and acquire the others: all or none. Fails as
	 * {@link LockService#acquireAsync(String, LockOptions)} does. Cancelling the future
	 * ends the wait and leaves nothing behind.
	 * @param outer the locks that the call runs under, the innermost first
	 */
	public static CompletableFuture<AsyncHold> acquire(LockService service, Collection<String> names,
			LockOptions options, List<LockHandle> outer) {
		List<LockHandle> entered = new ArrayList<>();
		List<String> missing = new ArrayList<>();
		try {
			for (String name : new LinkedHashSet<>(names)) {
				enter(service, name, options, outer).ifPresentOrElse(entered::add, () -> missing.add(name));
			}
		}
		catch (RuntimeException ex) {
			entered.forEach(LockHandle::releaseAsync);
			throw ex;
		}
		if (missing.isEmpty() && !entered.isEmpty()) {
			return CompletableFuture.completedFuture(new AsyncHold(entered, null));
		}
		CompletableFuture<LockHandle> acquisition = acquire(service, missing, options);
		CompletableFuture<AsyncHold> result = new CompletableFuture<>();
		acquisition.whenComplete((handle, failure) -> {
			if (failure != null) {
				entered.forEach(LockHandle::releaseAsync);
				result.completeExceptionally(Failures.unwrap(failure));
				return;
			}
			AsyncHold hold = new AsyncHold(entered, handle);
			try {
				// One that was entered may be lost meanwhile
				entered.forEach(LockHandle::assertHeld);
			}
			catch (LockLostException ex) {
				result.completeExceptionally(ex);
			}
			if (!result.complete(hold)) {
				hold.giveBack();
			}
		});
		result.whenComplete((hold, failure) -> {
			if (!acquisition.isDone()) {
				acquisition.cancel(true);
			}
		});
		return result;
	}

	/**
	 * Enter the innermost lock of the name that comes from the service and is held.
	 */
	private static Optional<LockHandle> enter(LockService service, String name, LockOptions options,
			List<LockHandle> outer) {
		for (LockHandle handle : outer) {
			for (LockHandle part : handle.parts()) {
				Optional<LockHandle> inner = part.name().equals(name) ? service.reenter(part, options)
						: Optional.empty();
				if (inner.isPresent()) {
					return inner;
				}
			}
		}
		return Optional.empty();
	}

	private static CompletableFuture<LockHandle> acquire(LockService service, List<String> names, LockOptions options) {
		try {
			return (names.size() == 1) ? service.acquireAsync(names.get(0), options)
					: service.acquireAllAsync(names, options);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Return one handle on all locks.
	 */
	public LockHandle handle() {
		return this.handle;
	}

	/**
	 * Return whether a loss can be reported while the work is running, which is possible
	 * for the locks that were acquired for this call. No callback is registered with a
	 * lock of an outer call, because it would be kept until that call ends, and there may
	 * be many inner calls.
	 */
	public boolean tellsLoss() {
		return this.acquired != null;
	}

	/**
	 * Register a callback for the loss of a lock that was acquired for this call.
	 */
	public void onLost(Consumer<LockEvent.Lost> callback) {
		if (this.acquired != null) {
			this.acquired.onLost(callback);
		}
	}

	/**
	 * Release locks under which nothing was done.
	 */
	public void giveBack() {
		WorkUnderLock.discardAsync(this.handle);
	}

}
