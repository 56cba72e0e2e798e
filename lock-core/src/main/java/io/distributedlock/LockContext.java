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

package io.distributedlock;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.distributedlock.internal.WorkUnderLock;
import org.jspecify.annotations.Nullable;

/**
 * Gives access to the locks under which the current thread's call stack runs: those of
 * annotated methods, and those of {@link LockService#execute(String, LockedWork) execute}
 * and its variants. For code that does not receive the handle but needs it, for example a
 * repository that writes the {@linkplain LockHandle#fencingToken() fencing token}.
 *
 * <p>
 * A thread sees only the locks of its own call stack. It does not see a lock that it has
 * {@linkplain LockService#acquire(String) acquired}, because the handle may be closed
 * anywhere and at any time: show such a lock with {@link #enter(LockHandle)}. For
 * reactive code see {@code io.distributedlock.reactive.ReactiveLockContext}.
 *
 * @since 0.1.0
 */
public final class LockContext {

	private static final ThreadLocal<@Nullable Scope> INNERMOST = new ThreadLocal<>();

	private LockContext() {
	}

	/**
	 * Return the innermost lock that the current thread runs under.
	 * @return the handle of the nearest code on the call stack that has a lock; empty if
	 * there is none
	 */
	public static Optional<LockHandle> current() {
		Scope innermost = INNERMOST.get();
		return (innermost != null) ? Optional.of(innermost.handle) : Optional.empty();
	}

	/**
	 * Return all locks that the current thread runs under.
	 * @return the handles, the innermost first; empty if there are none
	 */
	public static List<LockHandle> all() {
		Scope innermost = INNERMOST.get();
		if (innermost == null) {
			return List.of();
		}
		List<LockHandle> handles = new ArrayList<>();
		for (Scope scope = innermost; scope != null; scope = scope.outer) {
			handles.add(scope.handle);
		}
		return handles;
	}

	/**
	 * Make a lock visible to the code that the current thread calls from now on. Intended
	 * for code that runs other code under a lock, or that carries a lock to another
	 * thread. The observation of the lock and its logging context entries apply to that
	 * code as well.
	 * @param handle the lock
	 * @return a scope that the same thread must close after the code has returned and
	 * before the lock is released; close scopes in the reverse order of their opening
	 */
	public static Scope enter(LockHandle handle) {
		Scope scope = new Scope(handle, INNERMOST.get(), WorkUnderLock.surround(handle));
		INNERMOST.set(scope);
		return scope;
	}

	/**
	 * The part of a call stack that sees a lock.
	 */
	public static final class Scope implements AutoCloseable {

		private final LockHandle handle;

		private final @Nullable Scope outer;

		private final LockObserver.@Nullable Scope observed;

		private Scope(LockHandle handle, @Nullable Scope outer, LockObserver.@Nullable Scope observed) {
			this.handle = handle;
			this.outer = outer;
			this.observed = observed;
		}

		/**
		 * Restore what was visible before. Does not release the lock.
		 */
		@Override
		public void close() {
			// Not removed: an entry of null is cheaper than a new one for the next call
			INNERMOST.set(this.outer);
			if (this.observed != null) {
				this.observed.close();
			}
		}

	}

}
