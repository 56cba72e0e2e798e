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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockService;
import io.distributedlock.annotation.internal.LockedCall;
import io.distributedlock.reactive.internal.AsyncHold;
import io.distributedlock.transaction.internal.AmbientTransaction;
import org.jspecify.annotations.Nullable;

/**
 * Runs methods whose work is done when the future that they return completes. Failures
 * complete that future, with two exceptions: an interrupted wait in the calling thread is
 * thrown, and so is what the method throws if the call needs no lock. A call that is made
 * under a lock of the same name enters it again, and keeps it for as long as its own
 * work.
 *
 * <p>
 * The caller gets a future immediately, and no thread waits for the lock. The method runs
 * in a thread in which the lock service completes its futures, with the thread-locals of
 * the caller that Micrometer's context propagation knows. A call that enters a lock again
 * runs in the thread of the caller.
 *
 * @param ownTransaction see {@link AmbientTransaction#ownOf}
 * @param inCallingThread whether to wait and run in the calling thread instead: an
 * {@code @Async} method runs in a thread of its own executor already
 */
record FutureInvocation(Supplier<LockService> service, @Nullable String ownTransaction,
		boolean inCallingThread) implements LockedInvocation {

	@Override
	public @Nullable Object invoke(LockOperation operation, LockedCall call) throws Throwable {
		List<String> names;
		LockOperation lock = operation;
		try {
			names = operation.namesFor(call);
			if (!names.isEmpty()) {
				lock = operation.forCall(call);
			}
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		if (names.isEmpty()) {
			return call.proceed(lock.argumentsFor(call, null));
		}
		AmbientTransaction transaction = AmbientTransaction.find(this.ownTransaction);
		CompletableFuture<AsyncHold> acquisition = acquire(names, lock, transaction);
		if (this.inCallingThread) {
			await(acquisition, names);
		}
		return LockedFuture.start(lock, call, this.service, transaction, acquisition);
	}

	private CompletableFuture<AsyncHold> acquire(List<String> names, LockOperation lock,
			AmbientTransaction transaction) {
		try {
			List<LockHandle> around = new ArrayList<>(LockContext.all());
			around.addAll(transaction.kept(names));
			return transaction.call(() -> AsyncHold.acquire(this.service.get(), names, lock.options().get(), around));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static void await(CompletableFuture<AsyncHold> acquisition, List<String> names) {
		try {
			acquisition.get();
		}
		catch (InterruptedException ex) {
			if (!acquisition.cancel(true)) {
				acquisition.thenAccept(AsyncHold::giveBack);
			}
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(String.join(", ", names));
		}
		catch (ExecutionException ex) {
			// Reported through the future that the caller gets
		}
	}

}
