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

package io.distributedlock.internal;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockObserver.Scope;
import io.distributedlock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * For code that runs work under a lock: surrounds the work, and ends the hold.
 */
public final class WorkUnderLock {

	private WorkUnderLock() {
	}

	/**
	 * Surround the work that the calling thread is about to do under a lock, if it is
	 * observed. {@link io.distributedlock.LockContext#enter} does this as well.
	 * @return a scope that the same thread must close before the lock is released, or
	 * {@code null} for none
	 */
	public static @Nullable Scope surround(LockHandle handle) {
		if (handle instanceof Observed observed) {
			return observed.openScope();
		}
		Scope all = null;
		for (LockHandle part : handle.parts()) {
			Scope outer = all;
			Scope inner = (part instanceof Observed observed) ? observed.openScope() : null;
			all = (outer == null || inner == null) ? ((inner != null) ? inner : outer) : () -> {
				inner.close();
				outer.close();
			};
		}
		return all;
	}

	/**
	 * Return the context values for work under a lock, if the lock is observed. Of
	 * several locks, the last lock with context values counts.
	 */
	public static Map<String, Object> contextOf(LockHandle handle) {
		Map<String, Object> all = Map.of();
		for (LockHandle part : handle.parts()) {
			Map<String, Object> values = (part instanceof Observed observed) ? observed.contextValues() : Map.of();
			all = values.isEmpty() ? all : values;
		}
		return all;
	}

	/**
	 * Ensure that the lock is still held, or that the work itself released it.
	 * @throws io.distributedlock.LockLostException if it was lost
	 */
	public static void assertNotLost(LockHandle handle) {
		if (handle.state() != LockState.RELEASED) {
			handle.assertHeld();
		}
	}

	/**
	 * Release the lock after work that failed or did not run: immediately, regardless of
	 * the minimum hold. Otherwise like {@link LockHandle#close()}.
	 */
	public static void discard(LockHandle handle) {
		waiveMinHold(handle);
		handle.close();
	}

	/**
	 * Like {@link #discard}, but as {@link LockHandle#releaseAsync()} does it.
	 */
	public static CompletableFuture<Void> discardAsync(LockHandle handle) {
		waiveMinHold(handle);
		return handle.releaseAsync();
	}

	/**
	 * Make the next release take effect immediately, regardless of the minimum hold.
	 */
	public static void waiveMinHold(LockHandle handle) {
		for (LockHandle part : handle.parts()) {
			if (part instanceof MinHold minHold) {
				minHold.waive();
			}
		}
	}

	/**
	 * Implemented by handles on a single lock that may have a minimum hold.
	 */
	public interface MinHold {

		void waive();

	}

	/**
	 * Implemented by handles on a single lock whose lock service may have an observer.
	 */
	public interface Observed {

		/**
		 * Surround the work that the calling thread is about to do.
		 * @return a scope that the same thread closes, or {@code null} for none
		 */
		@Nullable Scope openScope();

		/**
		 * Return the context values for work that is not bound to a thread.
		 */
		Map<String, Object> contextValues();

	}

}
