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

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.OnLost;
import io.distributedlock.annotation.internal.LockWarningFilter;
import io.distributedlock.annotation.internal.LockedCall;
import io.distributedlock.annotation.internal.WorkGuard;
import io.distributedlock.internal.DeferredInterrupts;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.Printable;
import io.distributedlock.internal.WorkUnderLock;
import io.distributedlock.transaction.internal.AmbientTransaction;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Runs methods that have done their work when they return.
 *
 * @param ownTransaction see {@link AmbientTransaction#ownOf}
 * @param told whether the log has an older transaction
 */
record BlockingInvocation(Supplier<LockService> service, @Nullable String ownTransaction,
		AtomicBoolean told) implements LockedInvocation {

	private static final Log logger = LogFactory.getLog(DistributedLock.class);

	BlockingInvocation(Supplier<LockService> service, @Nullable String ownTransaction) {
		this(service, ownTransaction, new AtomicBoolean());
	}

	@Override
	public @Nullable Object invoke(LockOperation operation, LockedCall call) throws Throwable {
		List<String> names = operation.namesFor(call);
		if (names.isEmpty()) {
			return runWithout(operation, call);
		}
		LockOperation lock = operation.forCall(call);
		LockOptions options = lock.options().get();
		AmbientTransaction transaction = AmbientTransaction.find(this.ownTransaction);
		boolean older = isNewsOfOlder(transaction, names);
		LockService service = this.service.get();
		LockHandle handle;
		try {
			handle = transaction.call(() -> acquire(service, names, options));
		}
		catch (LockNotAcquiredException ex) {
			lock.guard().refused(ex);
			return lock.onBusy(call, ex);
		}
		catch (RuntimeException ex) {
			lock.guard().refused(ex);
			throw ex;
		}
		Object result;
		try {
			if (older) {
				tellOfOlderTransaction(lock);
			}
			if (transaction.keeps() && transaction.keep(handle, options, service::reenter)) {
				lock.fence().claim(handle);
			}
			result = proceed(lock, call, handle);
		}
		catch (Throwable ex) {
			transaction.run(() -> releaseAfter(ex, handle));
			throw ex;
		}
		transaction.run(() -> release(handle, options));
		return result;
	}

	/**
	 * Return whether the transaction is older than a lock that the call does not have
	 * yet, and this was not told before.
	 */
	private boolean isNewsOfOlder(AmbientTransaction transaction, List<String> names) {
		return transaction.keeps() && !this.told.get() && transaction.kept(names).isEmpty()
				&& LockContext.all()
					.stream()
					.flatMap((around) -> around.parts().stream())
					.noneMatch((around) -> names.contains(around.name()));
	}

	/**
	 * What the transaction has read before is not protected by the lock, and nobody can
	 * see whether it matters.
	 */
	private void tellOfOlderTransaction(LockOperation lock) {
		if (this.told.compareAndSet(false, true) && !LockWarningFilter.isSilent(lock.scope().method())) {
			String begunBy = AmbientTransaction.name();
			logger.warn(lock.scope().method().shortName() + " took its lock in a transaction that had begun before"
					+ ((begunBy != null) ? ", '" + Printable.of(begunBy) + "'" : "")
					+ ": what that transaction has read, or reads in its snapshot, can be older than what the last holder has committed. Call the method from outside of transactions, or read again under the lock, and say so with @SuppressLockWarnings. This is logged once for each method.");
		}
	}

	private static @Nullable Object proceed(LockOperation lock, LockedCall call, LockHandle handle) throws Throwable {
		WorkGuard guard = lock.guard();
		if (guard != WorkGuard.NONE && !Failures.join(handle.name(), guard.begin(handle))) {
			return lock.onContention().nothing();
		}
		lock.fence().mark(handle);
		LockContext.Scope scope = LockContext.enter(handle);
		Object result;
		try {
			result = call.proceed(handle, lock.argumentsFor(call, handle));
		}
		catch (Throwable ex) {
			end(guard, handle, ex);
			throw ex;
		}
		finally {
			scope.close();
		}
		end(guard, handle, null);
		lock.fence().assertClaimed(handle);
		return result;
	}

	private static void end(WorkGuard guard, LockHandle handle, @Nullable Throwable failure) {
		if (guard != WorkGuard.NONE) {
			DeferredInterrupts.join(guard.end(handle, failure));
		}
	}

	private static LockHandle acquire(LockService service, List<String> names, LockOptions options) {
		return (names.size() == 1) ? service.acquire(names.get(0), options) : service.acquireAll(names, options);
	}

	private static @Nullable Object runWithout(LockOperation lock, LockedCall call) throws Throwable {
		if (logger.isDebugEnabled()) {
			logger.debug(lock.scope().method().shortName() + " runs without its lock: the condition is false");
		}
		return call.proceed(lock.argumentsFor(call, null));
	}

	private static void release(LockHandle handle, LockOptions options) {
		if (options.onLost() != OnLost.THROW) {
			handle.close();
			return;
		}
		try {
			handle.release();
		}
		catch (LockUnavailableException ex) {
			logger.debug("The lock service releases '" + Printable.of(handle.name()) + "' in the background", ex);
		}
	}

	private static void releaseAfter(Throwable failure, LockHandle handle) {
		try {
			WorkUnderLock.discard(handle);
		}
		catch (RuntimeException ex) {
			failure.addSuppressed(ex);
		}
	}

}
