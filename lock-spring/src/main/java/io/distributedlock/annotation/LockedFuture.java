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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockService;
import io.distributedlock.OnLost;
import io.distributedlock.annotation.internal.LockedCall;
import io.distributedlock.annotation.internal.WorkGuard;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.WorkUnderLock;
import io.distributedlock.reactive.internal.AsyncHold;
import io.distributedlock.transaction.internal.AmbientTransaction;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskDecorator;
import org.springframework.core.task.support.ContextPropagatingTaskDecorator;
import org.springframework.util.ClassUtils;

/**
 * The future that the caller of an asynchronous method gets: the wait for the lock, the
 * work, and the release.
 *
 * <p>
 * A caller that cancels it, completes it or gives it a timeout ends the wait. Work that
 * has begun continues under its lock, which is released when the work itself is done,
 * because cancelling a {@link CompletableFuture} completes it without stopping the work.
 * The future of the work is cancelled only if the lock is lost and
 * {@link OnLost#INTERRUPT} asks for it.
 *
 * <p>
 * {@link io.distributedlock.LockService#executeAsync} cannot be used here: it acquires
 * one name, leaves the stage of the work alone when its caller cancels, although that
 * stage may be the wait for the next lock of the same method, and runs the work in the
 * thread in which the lock is granted, although an {@code @Async} method must stay in its
 * own.
 */
final class LockedFuture extends CompletableFuture<@Nullable Object> {

	private static final Log logger = LogFactory.getLog(DistributedLock.class);

	private static final int VIRTUAL_THREADS = 21;

	/**
	 * One thread for each task: what waits for futures could exhaust the common pool.
	 */
	private static final AsyncTaskExecutor THREADS = threads();

	/** Takes along the thread-locals of the caller, if Micrometer knows how. */
	private static final TaskDecorator CONTEXT = context();

	private final LockOperation lock;

	private final LockedCall call;

	private final Supplier<LockService> service;

	/** May need the lock for longer than the work. */
	private final AmbientTransaction transaction;

	private final CompletableFuture<AsyncHold> acquisition;

	private final @Nullable ClassLoader contextClassLoader = Thread.currentThread().getContextClassLoader();

	private final CompletableFuture<LockLostException> loss = new CompletableFuture<>();

	private volatile boolean settled;

	/** The future that the method returned. */
	private volatile @Nullable Future<?> work;

	private LockedFuture(LockOperation lock, LockedCall call, Supplier<LockService> service,
			AmbientTransaction transaction, CompletableFuture<AsyncHold> acquisition) {
		this.lock = lock;
		this.call = call;
		this.service = service;
		this.transaction = transaction;
		this.acquisition = acquisition;
	}

	private static AsyncTaskExecutor threads() {
		SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("distributed-lock-future-");
		executor.setDaemon(true);
		executor.setVirtualThreads(Runtime.version().feature() >= VIRTUAL_THREADS);
		return executor;
	}

	private static TaskDecorator context() {
		return ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory", LockedFuture.class.getClassLoader())
				? new ContextPropagatingTaskDecorator() : (task) -> task;
	}

	static LockedFuture start(LockOperation lock, LockedCall call, Supplier<LockService> service,
			AmbientTransaction transaction, CompletableFuture<AsyncHold> acquisition) {
		LockedFuture future = new LockedFuture(lock, call, service, transaction, acquisition);
		future.whenComplete((value, failure) -> future.endWait());
		if (acquisition.isDone()) {
			future.settle();
			return future;
		}
		try {
			Runnable settling = CONTEXT.decorate(future::settle);
			acquisition.whenComplete((hold, failure) -> future.settleBy(settling));
		}
		catch (RuntimeException | LinkageError ex) {
			future.completeExceptionally(ex);
			acquisition.whenComplete((hold, failure) -> future.settle());
		}
		return future;
	}

	/**
	 * The lock must not be left behind if the context of the caller cannot be restored.
	 */
	private void settleBy(Runnable settling) {
		try {
			settling.run();
		}
		catch (RuntimeException | LinkageError ex) {
			if (this.settled) {
				throw ex;
			}
			completeExceptionally(ex);
			settle();
		}
	}

	private void settle() {
		this.settled = true;
		this.acquisition.whenComplete((hold, failure) -> {
			if (failure == null && isDone()) {
				hold.giveBack();
			}
			else if (failure == null) {
				run(hold);
			}
			else if (!isDone()) {
				refused(Failures.unwrap(failure));
			}
		});
	}

	/**
	 * End the wait for the lock, or for the next lock of the same method.
	 */
	private void endWait() {
		if (!this.acquisition.isDone()) {
			this.acquisition.cancel(true);
		}
		else if (this.work instanceof LockedFuture inner) {
			inner.endWait();
		}
	}

	private void refused(Throwable failure) {
		this.lock.guard().refused(failure);
		if (!(failure instanceof LockNotAcquiredException busy)) {
			completeExceptionally(failure);
			return;
		}
		CompletableFuture<?> substitute;
		try {
			substitute = observe(this.lock.onBusy(this.call, busy));
		}
		catch (Throwable ex) {
			substitute = failedFuture(ex);
		}
		substitute
			.whenComplete((value, problem) -> complete(value, (problem != null) ? Failures.unwrap(problem) : null));
	}

	private void run(AsyncHold hold) {
		if (onLost() == OnLost.INTERRUPT) {
			// Not in the thread of the callbacks, which continuations might block
			hold.onLost((event) -> THREADS.execute(() -> lost(new LockLostException(event))));
		}
		boolean kept = this.transaction.keeps()
				&& this.transaction.keep(hold.handle(), this.lock.options().get(), this.service.get()::reenter);
		CompletableFuture<?> result;
		WorkGuard guard = WorkGuard.NONE;
		LockContext.Scope scope = LockContext.enter(hold.handle());
		Thread thread = Thread.currentThread();
		ClassLoader usual = thread.getContextClassLoader();
		try {
			thread.setContextClassLoader(this.contextClassLoader);
			this.lock.fence().mark(hold.handle());
			if (kept) {
				this.lock.fence().claim(hold.handle());
			}
			if (begins(hold.handle())) {
				guard = this.lock.guard();
				result = observe(this.call.proceed(hold.handle(), this.lock.argumentsFor(this.call, hold.handle())));
			}
			else {
				result = observe(this.lock.onContention().nothing());
			}
		}
		catch (Throwable ex) {
			result = failedFuture(ex);
		}
		finally {
			thread.setContextClassLoader(usual);
			scope.close();
		}
		this.loss.thenAccept(this::interrupt);
		WorkGuard begun = guard;
		result.whenComplete((value, problem) -> {
			Throwable failure = (problem != null) ? Failures.unwrap(problem) : null;
			if (begun == WorkGuard.NONE) {
				finish(hold.handle(), value, failure);
			}
			else {
				begun.end(hold.handle(), failure)
					.whenComplete((ended, ignored) -> finish(hold.handle(), value, failure));
			}
		});
	}

	/**
	 * Waits for the answer, which it may: no thread of the store runs the method.
	 */
	private boolean begins(LockHandle handle) {
		WorkGuard guard = this.lock.guard();
		return guard == WorkGuard.NONE || Failures.join(handle.name(), guard.begin(handle));
	}

	private void lost(LockLostException ex) {
		completeExceptionally(ex);
		this.loss.complete(ex);
	}

	private void interrupt(LockLostException ex) {
		Future<?> current = this.work;
		if (current instanceof LockedFuture inner) {
			inner.lost(ex);
		}
		else if (current != null) {
			current.cancel(true);
		}
	}

	private CompletableFuture<?> observe(@Nullable Object returned) {
		if (returned instanceof CompletionStage<?> stage) {
			CompletableFuture<?> future = stage.toCompletableFuture();
			this.work = future;
			if (isDone()) {
				endWait();
			}
			return future;
		}
		if (returned instanceof Future<?> opaque) {
			this.work = opaque;
			return opaque.isDone() ? completed(opaque) : supplyAsync(() -> completed(opaque).join(), THREADS);
		}
		return failedFuture(new IllegalStateException(
				this.lock.scope().method().description() + " returned null in place of a future."));
	}

	private static CompletableFuture<?> completed(Future<?> future) {
		try {
			return completedFuture(future.get());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return failedFuture(ex);
		}
		catch (ExecutionException ex) {
			return failedFuture((ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (RuntimeException ex) {
			return failedFuture(ex);
		}
	}

	/**
	 * Release the lock, which a transaction may keep for longer. The caller gets the
	 * result when the work is done, because the transaction may wait for it.
	 */
	private void finish(LockHandle handle, @Nullable Object value, @Nullable Throwable problem) {
		Throwable failure = (problem != null) ? problem : lossOf(handle);
		CompletableFuture<Void> released = (failure != null) ? WorkUnderLock.discardAsync(handle)
				: handle.releaseAsync();
		released.whenComplete((done, ignored) -> {
			if (!complete(value, failure) && failure != null && logger.isDebugEnabled()) {
				logger.debug(this.lock.scope().method().shortName() + " failed after its future had been completed",
						failure);
			}
		});
	}

	private @Nullable Throwable lossOf(LockHandle handle) {
		try {
			this.lock.fence().assertClaimed(handle);
			if (onLost() == OnLost.THROW) {
				WorkUnderLock.assertNotLost(handle);
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

	private boolean complete(@Nullable Object value, @Nullable Throwable failure) {
		return (failure != null) ? completeExceptionally(failure) : complete(value);
	}

	/**
	 * Futures that callers derive from this one do not involve the lock.
	 */
	@Override
	public <U extends @Nullable Object> CompletableFuture<U> newIncompleteFuture() {
		return new CompletableFuture<>();
	}

}
