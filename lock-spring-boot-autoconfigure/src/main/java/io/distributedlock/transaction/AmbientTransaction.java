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

package io.distributedlock.transaction;

import java.lang.reflect.Method;
import java.util.List;

import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * What the transaction in which a locked method is called has to do with the locks of the
 * method. The locks that are taken within it are kept until it has completed; those of
 * the same names that it keeps already are entered again. Without spring-tx there is
 * never a transaction.
 *
 * @since 0.1.0
 */
public final class AmbientTransaction {

	private static final AmbientTransaction NONE = new AmbientTransaction(null, List.of());

	private static final boolean BLOCKING = isPresent("org.springframework.transaction.support");

	private static final boolean REACTIVE = isPresent("org.springframework.transaction.reactive");

	private final @Nullable TransactionLocks keeper;

	private final List<LockHandle> kept;

	private AmbientTransaction(@Nullable TransactionLocks keeper, List<LockHandle> kept) {
		this.keeper = keeper;
		this.kept = kept;
	}

	private static boolean isPresent(String javaPackage) {
		return ClassUtils.isPresent(javaPackage + ".TransactionSynchronization",
				AmbientTransaction.class.getClassLoader());
	}

	private static AmbientTransaction of(TransactionLocks.Found found) {
		return (found != TransactionLocks.Found.NONE) ? new AmbientTransaction(found.keeper(), found.kept()) : NONE;
	}

	/**
	 * Look for the transaction of the current thread.
	 * @param own the name of the only transaction that may keep locks, or {@code null}
	 * for any, see {@link #ownOf(Method, String)}
	 * @param names the names of the locks
	 * @return what it has to do with them
	 */
	public static AmbientTransaction find(@Nullable String own, List<String> names) {
		if (!BLOCKING || (!TransactionSynchronizationManager.isActualTransactionActive()
				&& !TransactionSynchronizationManager.hasResource(TransactionBoundRelease.class))) {
			return NONE;
		}
		return of(TransactionBoundRelease.find(own, names));
	}

	/**
	 * Look for the transaction that the subscription runs in. Needs Reactor.
	 * @param own the name of the only transaction that may keep locks, or {@code null}
	 * for any, see {@link #ownOf(Method, String)}
	 * @param names the names of the locks
	 * @return what it has to do with them
	 */
	public static Mono<AmbientTransaction> findReactive(@Nullable String own, List<String> names) {
		return REACTIVE ? ReactiveTransactionBoundRelease.find(own, names).map(AmbientTransaction::of)
				: Mono.just(NONE);
	}

	/**
	 * Return the name of the only transaction that may keep the locks of a method.
	 * @param method the method
	 * @param qualifiedName class and method, as Spring calls the method's own transaction
	 * @return that name if the method does not take part in the transaction of its
	 * caller, in case that its own is configured to begin before the lock is taken;
	 * {@code null} if it is any transaction
	 */
	public static @Nullable String ownOf(Method method, String qualifiedName) {
		return OwnTransaction.isIndependent(method) ? qualifiedName : null;
	}

	/**
	 * Return the locks of the same names that it keeps already.
	 * @return the handles
	 */
	public List<LockHandle> kept() {
		return this.kept;
	}

	/**
	 * Return whether there is a transaction that keeps locks, and the method takes part
	 * in it.
	 * @return whether {@link #keep(LockHandle, int)} keeps a lock until the transaction
	 * has completed
	 */
	public boolean keeps() {
		return this.keeper != null;
	}

	/**
	 * Have a lock kept until the transaction has completed.
	 * @param handle the lock
	 * @param parties how many have to let go of it: the transaction, and the work if it
	 * may last longer
	 * @return the lock, or {@code null} if there is no transaction that keeps it, or if
	 * it has completed already
	 */
	public @Nullable KeptLock keep(LockHandle handle, int parties) {
		TransactionLocks.KeptLock lock = (this.keeper != null) ? this.keeper.keep(handle, parties) : null;
		return (lock != null) ? new KeptLock(lock) : null;
	}

	/**
	 * A lock that is released when all of its parties have let go of it.
	 */
	public static final class KeptLock {

		private final TransactionLocks.KeptLock lock;

		private KeptLock(TransactionLocks.KeptLock lock) {
			this.lock = lock;
		}

		/**
		 * Let go of the lock.
		 * @return whether no other party needs it, so that it must be released
		 */
		public boolean letGo() {
			return this.lock.letGo();
		}

		/**
		 * Continue only if the lock is certain to be held, or if the method itself closed
		 * it and so has dealt with a loss.
		 * @throws io.distributedlock.LockLostException if it was lost
		 */
		public void assertHeld() {
			this.lock.handle().assertNotLost();
		}

	}

}
