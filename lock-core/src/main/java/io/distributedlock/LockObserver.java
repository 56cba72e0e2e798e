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

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Observes the locks of this instance from the call that asks for one to the end of its
 * hold, and surrounds the work under it. A {@link LockListener} receives events; an
 * observer also knows the caller and takes part in the caller's thread. A lock service
 * has at most one.
 *
 * <p>
 * Between two calls for one acquisition or one hold, the lock service keeps an opaque
 * object that the observer returned. Exceptions of an observer are logged and do not
 * reach the caller. Re-entry is not observed, but work that re-enters a lock is
 * surrounded again.
 *
 * @since 0.1.0
 */
public interface LockObserver {

	/**
	 * Called in the thread of a caller that is about to ask for a lock, for every lock:
	 * return quickly.
	 * @return what to remember of the caller, or {@code null} for nothing
	 */
	@Nullable Object asking();

	/**
	 * Called when a lock was acquired, before the caller receives the handle: in the
	 * caller's thread, or in a thread of the lock service if the caller has a future.
	 * @param asking what was remembered of the caller
	 * @param event what happened
	 * @param holder the name of the thread that acquired it, or {@code "async"}
	 * @param elapsed from the call to this moment, including the time from the grant
	 * until the thread ran again
	 * @return what to remember of the hold, or {@code null} for nothing
	 */
	@Nullable Object acquired(@Nullable Object asking, LockEvent.Acquired event, String holder, Duration elapsed);

	/**
	 * Called when a lock was not acquired, in the same threads.
	 * @param asking what was remembered of the caller
	 * @param event what happened
	 * @param holder who holds the lock, if that is known
	 * @param failure why the store cannot be reached, or {@code null} if it can
	 */
	void notAcquired(@Nullable Object asking, LockEvent.NotAcquired event, @Nullable LockInfo holder,
			@Nullable Throwable failure);

	/**
	 * Called when a hold has ended: in the thread that released the lock, or in a thread
	 * of the lock service. Not called for the release of a hold of which nothing was
	 * remembered; a loss is always reported.
	 * @param hold what was remembered of the hold
	 * @param event a {@link LockEvent.Released}, {@link LockEvent.ReleaseFailed} or
	 * {@link LockEvent.Lost}
	 * @param holder the name of the thread that acquired it, or {@code "async"}
	 */
	void ended(@Nullable Object hold, LockEvent event, String holder);

	/**
	 * Surround the work that the calling thread is about to do under a lock.
	 * @param hold what was remembered of the hold
	 * @param handle the lock
	 * @return what the same thread closes when the work is done, or {@code null} if there
	 * is nothing to close
	 */
	@Nullable Scope open(@Nullable Object hold, LockHandle handle);

	/**
	 * Return the context values for work that is not bound to a thread, for example for
	 * Reactor's context.
	 * @param hold what was remembered of the hold
	 * @return the values by key
	 */
	Map<String, Object> valuesOf(@Nullable Object hold);

	/**
	 * Surround the work that the calling thread is about to do under a lock, if it is
	 * observed. Intended for code that runs other code under a lock;
	 * {@link LockContext#enter} does this as well.
	 * @param handle the lock
	 * @return what the same thread must close before the lock is released, or
	 * {@code null} if there is nothing to close
	 */
	static @Nullable Scope surround(LockHandle handle) {
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
	 * Return the context values for work under a lock, if the lock is observed. Intended
	 * for code that runs other code under a lock without a thread of its own.
	 * @param handle the lock
	 * @return the values by key; for several locks, those of the last one that has any
	 */
	static Map<String, Object> contextOf(LockHandle handle) {
		if (handle instanceof Observed observed) {
			return observed.contextValues();
		}
		Map<String, Object> all = Map.of();
		for (LockHandle part : handle.parts()) {
			Map<String, Object> values = (part instanceof Observed observed) ? observed.contextValues() : Map.of();
			all = values.isEmpty() ? all : values;
		}
		return all;
	}

	/**
	 * A scope around the work of a thread. Scopes of one thread are closed in the reverse
	 * order of their opening.
	 */
	@FunctionalInterface
	interface Scope extends AutoCloseable {

		/**
		 * End it.
		 */
		@Override
		void close();

	}

	/**
	 * Implemented by handles on a single lock whose lock service may have an observer.
	 */
	interface Observed {

		/**
		 * Surround the work that the calling thread is about to do.
		 * @return what the same thread closes, or {@code null} if there is nothing
		 */
		@Nullable Scope openScope();

		/**
		 * Return the context values for work that is not bound to a thread.
		 * @return the values by key
		 */
		Map<String, Object> contextValues();

	}

}
