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

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.OnLost;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.Printable;
import io.distributedlock.internal.WorkUnderLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs asynchronous work under a lock and releases the lock when the work is done. The
 * future of the whole completes after the release. A caller that cancels it ends the
 * wait; work that has begun continues under its lock, because cancelling a stage
 * completes it without stopping the computation. The stage of the work is cancelled only
 * if the lock is lost and the options ask for it.
 */
final class AsyncExecution {

	private static final Log logger = LogFactory.getLog(AsyncExecution.class);

	private AsyncExecution() {
	}

	static <T extends @Nullable Object> CompletableFuture<T> start(CompletableFuture<LockHandle> acquisition,
			LockOptions options, Function<LockHandle, ? extends CompletionStage<T>> work, Executor completions) {
		CompletableFuture<T> result = new CompletableFuture<>();
		result.whenComplete((value, failure) -> {
			if (!acquisition.isDone()) {
				acquisition.cancel(true);
			}
		});
		acquisition.whenComplete((handle, failure) -> {
			if (failure != null) {
				result.completeExceptionally(Failures.unwrap(failure));
			}
			else if (result.isDone()) {
				WorkUnderLock.discardAsync(handle);
			}
			else {
				run(handle, options, result, work, completions);
			}
		});
		return result;
	}

	private static <T extends @Nullable Object> void run(LockHandle handle, LockOptions options,
			CompletableFuture<T> result, Function<LockHandle, ? extends CompletionStage<T>> work,
			Executor completions) {
		CompletableFuture<Void> lost = new CompletableFuture<>();
		if (options.onLost() == OnLost.INTERRUPT) {
			// There is no thread to interrupt. Continuations do not delay the callbacks
			// that the work itself has given
			handle.onLost((event) -> completions.execute(() -> {
				result.completeExceptionally(new LockLostException(event));
				lost.complete(null);
			}));
		}
		CompletableFuture<T> stage = call(work, handle);
		lost.thenRun(() -> stage.cancel(true));
		stage.whenComplete((value, problem) -> finish(handle, options, result, value, problem));
	}

	private static <T extends @Nullable Object> CompletableFuture<T> call(
			Function<LockHandle, ? extends CompletionStage<T>> work, LockHandle handle) {
		try {
			CompletionStage<T> stage = surrounded(work, handle);
			if (stage == null) {
				throw new IllegalStateException("The work under lock '" + Printable.of(handle.name())
						+ "' returned null. Return a CompletionStage that completes when the work is done.");
			}
			return stage.toCompletableFuture();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static <T extends @Nullable Object> @Nullable CompletionStage<T> surrounded(
			Function<LockHandle, ? extends CompletionStage<T>> work, LockHandle handle) {
		LockContext.Scope scope = LockContext.enter(handle);
		try {
			return work.apply(handle);
		}
		finally {
			scope.close();
		}
	}

	private static <T extends @Nullable Object> void finish(LockHandle handle, LockOptions options,
			CompletableFuture<T> result, @Nullable T value, @Nullable Throwable problem) {
		Throwable failure = (problem != null) ? Failures.unwrap(problem) : null;
		if (failure == null) {
			try {
				if (options.onLost() == OnLost.THROW) {
					WorkUnderLock.assertNotLost(handle);
				}
			}
			catch (RuntimeException ex) {
				failure = ex;
			}
		}
		Throwable outcome = failure;
		CompletableFuture<Void> released = (failure != null) ? WorkUnderLock.discardAsync(handle)
				: handle.releaseAsync();
		released.whenComplete((done, ignored) -> {
			if (outcome == null) {
				result.complete(value);
			}
			else if (!result.completeExceptionally(outcome) && logger.isDebugEnabled()) {
				logger.debug("The work under lock '" + Printable.of(handle.name())
						+ "' failed after its future had been completed", outcome);
			}
		});
	}

}
