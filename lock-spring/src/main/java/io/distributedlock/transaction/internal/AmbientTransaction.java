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

package io.distributedlock.transaction.internal;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.internal.LockKeeper;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * The transaction that surrounds code which takes a lock. Locks that are taken within it
 * are kept until it has completed; a name that it already keeps is re-entered. Without
 * spring-tx there is never a transaction.
 *
 * @since 0.1.0
 */
public final class AmbientTransaction implements LockKeeper.Keeping {

	private static final AmbientTransaction NONE = new AmbientTransaction(TransactionLocks.Found.NONE, false);

	private static final boolean BLOCKING = isPresent("org.springframework.transaction.support");

	private static final boolean REACTIVE = isPresent("org.springframework.transaction.reactive");

	/** Set while the thread asks for locks that its transaction must not keep. */
	private static final ThreadLocal<@Nullable Boolean> APART = new ThreadLocal<>();

	private final TransactionLocks.Found found;

	private final boolean apart;

	private AmbientTransaction(TransactionLocks.Found found, boolean apart) {
		this.found = found;
		this.apart = apart;
	}

	private static boolean isPresent(String javaPackage) {
		return ClassUtils.isPresent(javaPackage + ".TransactionSynchronization",
				AmbientTransaction.class.getClassLoader());
	}

	/**
	 * Make transactions keep the locks that threads take in them.
	 */
	public static LockKeeper keeper() {
		return () -> (isAround() && APART.get() == null) ? find(null) : null;
	}

	/**
	 * Return the name of the transaction of the current thread, which Spring derives from
	 * the method that began it, or {@code null} if there is none.
	 */
	public static @Nullable String name() {
		return BLOCKING ? TransactionSynchronizationManager.getCurrentTransactionName() : null;
	}

	private static boolean isAround() {
		return BLOCKING && (TransactionSynchronizationManager.isActualTransactionActive()
				|| TransactionSynchronizationManager.hasResource(TransactionBoundRelease.class));
	}

	/**
	 * Look for the transaction of the current thread.
	 * @param own the name of the only transaction that may keep locks, or {@code null}
	 * for any, see {@link #ownOf(Method, String)}
	 */
	public static AmbientTransaction find(@Nullable String own) {
		return isAround() ? of(TransactionBoundRelease.find(own), own) : NONE;
	}

	/**
	 * Look for the transaction that a subscription runs in. Requires Reactor.
	 * @param own as for {@link #find(String)}
	 */
	public static AmbientTransaction find(@Nullable String own, ContextView context) {
		return (REACTIVE && !context.isEmpty()) ? of(ReactiveTransactionBoundRelease.find(own, context), null) : NONE;
	}

	private static AmbientTransaction of(TransactionLocks.Found found, @Nullable String own) {
		boolean apart = own != null && found.keeper() == null;
		return (apart || found != TransactionLocks.Found.NONE) ? new AmbientTransaction(found, apart) : NONE;
	}

	/**
	 * Return the name of the only transaction that may keep the locks of a method: its
	 * own, which may be configured to begin before the lock is taken, if the method does
	 * not take part in that of its caller; {@code null} for any transaction.
	 * @param qualifiedName class and method, as Spring calls the method's own transaction
	 */
	public static @Nullable String ownOf(Method method, String qualifiedName) {
		DeclaredTransaction declared = DeclaredTransaction.on(method, method.getDeclaringClass());
		return (declared != null && declared.isIndependent()) ? qualifiedName : null;
	}

	@Override
	public List<LockHandle> kept(Collection<String> names) {
		return TransactionLocks.named(this.found.innermost(), names);
	}

	/**
	 * Return whether there is a transaction that keeps locks, and the code takes part in
	 * it.
	 */
	public boolean keeps() {
		return this.found.keeper() != null;
	}

	@Override
	public boolean keep(LockHandle handle, LockOptions options,
			BiFunction<LockHandle, LockOptions, Optional<LockHandle>> reentry) {
		TransactionLocks keeper = this.found.keeper();
		return keeper != null && keeper.keep(handle, options, reentry);
	}

	/**
	 * Acquire or release locks in the current thread. If the code does not take part in
	 * the transaction of the thread, that transaction does not keep them.
	 */
	public <T extends @Nullable Object> T call(Supplier<T> call) {
		if (!this.apart) {
			return call.get();
		}
		Boolean before = APART.get();
		APART.set(true);
		try {
			return call.get();
		}
		finally {
			APART.set(before);
		}
	}

	/**
	 * Release locks in the current thread, see {@link #call(Supplier)}.
	 */
	public void run(Runnable call) {
		this.<@Nullable Void>call(() -> {
			call.run();
			return null;
		});
	}

}
