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

package io.distributedlock.annotation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.OnLost;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * One call of a method that returns a future: the wait for the lock, the work, and the
 * release. When the future that the caller has is cancelled, or completed by somebody
 * else, what is under way is cancelled and the lock given back.
 */
final class LockedFuture {

	private static final int VIRTUAL_THREADS = 21;

	/**
	 * A thread for each task, which ends with it: tasks wait for futures, and run what
	 * depends on them. In the common pool they might take all threads there are.
	 */
	private static final AsyncTaskExecutor THREADS = threads();

	private final LockSpecification lock;

	private final LockedCall call;

	private final @Nullable ClassLoader contextClassLoader = Thread.currentThread().getContextClassLoader();

	private final CompletableFuture<@Nullable Object> result = new CompletableFuture<>();

	private volatile @Nullable Future<?> underWay;

	LockedFuture(LockSpecification lock, LockedCall call) {
		this.lock = lock;
		this.call = call;
	}

	private static AsyncTaskExecutor threads() {
		SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("distributed-lock-future-");
		executor.setDaemon(true);
		executor.setVirtualThreads(Runtime.version().feature() >= VIRTUAL_THREADS);
		return executor;
	}

	CompletableFuture<@Nullable Object> start(CompletableFuture<LockHandle> acquisition) {
		this.underWay = acquisition;
		this.result.whenComplete((value, failure) -> cancelUnderWay());
		acquisition.whenComplete((handle, failure) -> {
			if (failure != null) {
				refused(unwrap(failure));
			}
			else if (this.result.isDone()) {
				giveBack(handle);
			}
			else {
				run(handle);
			}
		});
		return this.result;
	}

	/**
	 * Release a lock under which nothing was done.
	 */
	static void giveBack(LockHandle handle) {
		handle.waiveMinHold();
		handle.releaseAsync();
	}

	private void refused(Throwable failure) {
		if (!(failure instanceof LockNotAcquiredException busy)) {
			this.result.completeExceptionally(failure);
			return;
		}
		CompletableFuture<?> substitute;
		try {
			substitute = observe(this.lock.onBusy(this.call, busy));
		}
		catch (Throwable ex) {
			substitute = CompletableFuture.failedFuture(ex);
		}
		substitute.whenComplete((value, problem) -> complete(value, (problem != null) ? unwrap(problem) : null));
	}

	private void run(LockHandle handle) {
		if (onLost() == OnLost.INTERRUPT) {
			// Not in the thread of the callbacks, which continuations might block
			handle.onLost(
					(event) -> THREADS.execute(() -> this.result.completeExceptionally(new LockLostException(event))));
		}
		CompletableFuture<?> work;
		LockContext.Scope scope = LockContext.enter(handle);
		Thread thread = Thread.currentThread();
		ClassLoader usual = thread.getContextClassLoader();
		try {
			thread.setContextClassLoader(this.contextClassLoader);
			work = observe(this.call.proceed(this.lock.argumentsFor(this.call, handle)));
		}
		catch (Throwable ex) {
			work = CompletableFuture.failedFuture(ex);
		}
		finally {
			thread.setContextClassLoader(usual);
			scope.close();
		}
		work.whenComplete((value, problem) -> finish(handle, value, (problem != null) ? unwrap(problem) : null));
	}

	/**
	 * Return a future of what the method returned.
	 */
	private CompletableFuture<?> observe(@Nullable Object returned) {
		CompletableFuture<?> future;
		if (returned instanceof CompletionStage<?> stage) {
			future = stage.toCompletableFuture();
			this.underWay = future;
		}
		else if (returned instanceof Future<?> opaque) {
			this.underWay = opaque;
			future = opaque.isDone() ? completed(opaque)
					: CompletableFuture.supplyAsync(() -> completed(opaque).join(), THREADS);
		}
		else {
			future = CompletableFuture.failedFuture(new IllegalStateException(
					this.lock.scope().method().description() + " returned null in place of a future."));
		}
		if (this.result.isDone()) {
			cancelUnderWay();
		}
		return future;
	}

	private static CompletableFuture<?> completed(Future<?> future) {
		try {
			return CompletableFuture.completedFuture(future.get());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return CompletableFuture.failedFuture(ex);
		}
		catch (ExecutionException ex) {
			return CompletableFuture.failedFuture((ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private void finish(LockHandle handle, @Nullable Object value, @Nullable Throwable problem) {
		Throwable failure = (problem != null) ? problem : lossOf(handle);
		if (failure != null) {
			handle.waiveMinHold();
		}
		handle.releaseAsync().whenComplete((done, ignored) -> complete(value, failure));
	}

	private @Nullable Throwable lossOf(LockHandle handle) {
		try {
			if (onLost() == OnLost.THROW) {
				HeldLocks.assertHeld(handle);
			}
			return null;
		}
		catch (RuntimeException ex) {
			return ex;
		}
	}

	private OnLost onLost() {
		return this.lock.options().get().onLost();
	}

	private void complete(@Nullable Object value, @Nullable Throwable failure) {
		if (failure != null) {
			this.result.completeExceptionally(failure);
		}
		else {
			this.result.complete(value);
		}
	}

	private void cancelUnderWay() {
		Future<?> current = this.underWay;
		if (current != null) {
			current.cancel(true);
		}
	}

	private static Throwable unwrap(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
