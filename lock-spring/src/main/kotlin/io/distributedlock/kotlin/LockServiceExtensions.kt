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

package io.distributedlock.kotlin

import io.distributedlock.LockEvent
import io.distributedlock.LockHandle
import io.distributedlock.LockLostException
import io.distributedlock.LockOptions
import io.distributedlock.LockService
import io.distributedlock.OnLost
import io.distributedlock.internal.Printable
import io.distributedlock.internal.WorkUnderLock
import io.distributedlock.reactive.ReactiveLockContext
import io.distributedlock.transaction.internal.AmbientTransaction
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.future.await
import kotlinx.coroutines.isActive
import kotlinx.coroutines.job
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.withContext
import reactor.util.context.Context
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import java.util.concurrent.atomic.AtomicReference
import kotlin.coroutines.resumeWithException

/**
 * Run [work] under a lock, without blocking a thread. The lock is released when the work
 * has completed, failed or been cancelled, with all that it has launched in its own scope;
 * the caller resumes afterwards.
 *
 * Cancelling the coroutine while it waits ends the wait and leaves nothing behind.
 * Cancelling it later cancels the work; in any case, the lock is released only when the
 * work has ended, including its `finally` blocks.
 *
 * In a running reactive transaction, the lock is released after the transaction has
 * completed.
 *
 * The work runs in the context of the caller. Code that it calls re-enters the lock if it
 * uses the same name: this function, locked suspending functions, and reactive code.
 *
 * If the lock is lost, the options decide: [OnLost.INTERRUPT] cancels the work, and
 * [LockLostException] reaches the caller; [OnLost.THROW] throws it after the work;
 * [OnLost.LOG] only logs it, so that the work has to check [LockHandle.isHeld].
 *
 * @param name the name of the lock
 * @param options lease, wait and the rest; by default those that are configured for the name
 * @param work what to do under the lock
 * @return the result of the work
 * @throws io.distributedlock.LockNotAcquiredException if the lock is still held elsewhere
 * when the wait ends; the work was not called
 * @throws io.distributedlock.LockUnavailableException if the store cannot be reached; the
 * work was not called
 * @throws LockLostException if the lock was lost and the options ask for it
 * @throws io.distributedlock.InvalidLockNameException if the name cannot be a lock name
 * @since 0.1.0
 */
public suspend fun <T> LockService.withLock(name: String, options: LockOptions = optionsFor(name),
		work: suspend (LockHandle) -> T): T {
	val outer = currentCoroutineContext()[ReactorContext]?.context ?: Context.empty()
	val transaction = AmbientTransaction.find(null, outer)
	val handle = ReactiveLockContext.find(outer, name).flatMap { reenter(it, options) }.orElse(null)
			?: transaction.kept(listOf(name)).firstNotNullOfOrNull { reenter(it, options).orElse(null) }
			?: acquireAsync(name, options).awaitHandle()
	val result: T
	try {
		check(!transaction.keeps() || transaction.keep(handle, options, this::reenter)) {
			"The transaction has completed before lock '${Printable.of(name)}' was granted in it. " +
				"Wait for the work under the lock within the transaction."
		}
		result = withContext(ReactorContext(outer.under(handle))) { work.callUnder(handle, options) }
		if (options.onLost() == OnLost.THROW) {
			WorkUnderLock.assertNotLost(handle)
		}
	}
	catch (ex: Throwable) {
		withContext(NonCancellable) { WorkUnderLock.discardAsync(handle).await() }
		throw ex
	}
	withContext(NonCancellable) { handle.releaseAsync().await() }
	return result
}

private fun Context.under(handle: LockHandle): Context =
	ReactiveLockContext.with(this, handle).putAllMap(WorkUnderLock.contextOf(handle))

private suspend fun <T> (suspend (LockHandle) -> T).callUnder(handle: LockHandle, options: LockOptions): T {
	val loss = AtomicReference<LockEvent.Lost>()
	try {
		return coroutineScope {
			if (options.onLost() == OnLost.INTERRUPT) {
				val job = currentCoroutineContext().job
				handle.onLost {
					loss.set(it)
					job.cancel(CancellationException(it.explanation()))
				}
			}
			this@callUnder(handle)
		}
	}
	catch (ex: CancellationException) {
		// The caller may have been cancelled as well, which takes precedence
		if (loss.get() != null && currentCoroutineContext().isActive) {
			throw LockLostException(loss.get())
		}
		throw ex
	}
}

/**
 * Wait for a handle. If the coroutine is cancelled just as the handle arrives, the handle
 * is given back.
 */
private suspend fun CompletableFuture<LockHandle>.awaitHandle(): LockHandle =
	suspendCancellableCoroutine { continuation ->
		continuation.invokeOnCancellation { cancel(false) }
		whenComplete { handle: LockHandle?, failure: Throwable? ->
			if (handle != null) {
				continuation.resume(handle) { _, granted, _ -> WorkUnderLock.discardAsync(granted) }
			}
			else {
				val cause = (failure as? CompletionException)?.cause ?: failure
				continuation.resumeWithException(cause ?: IllegalStateException("There is neither a lock nor a failure."))
			}
		}
	}
