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
 * Accompanies the locks of this instance, from the call of whoever wants one to the end
 * of its hold, and surrounds the work under it. Where a {@link LockListener} is told what
 * happened, an observer also knows who asked, and takes part in the threads of the
 * callers. A lock service has at most one.
 *
 * <p>
 * Between two calls for one acquisition or one hold, the lock service keeps an object
 * that the observer gave it, and does not look at it. What an observer throws is logged
 * and disturbs nobody. Re-entry is not observed, but work that enters a lock again is
 * surrounded again.
 *
 * @since 0.1.0
 */
public interface LockObserver {

	/**
	 * Called in the thread of a caller that is about to ask for a lock, for every lock:
	 * be quick.
	 * @return what to remember of the caller, or {@code null} for nothing
	 */
	@Nullable Object asking();

	/**
	 * Called when a lock was acquired, before its caller has the handle: in its thread,
	 * or in one of the lock service if it has a future.
	 * @param asking what was remembered of the caller
	 * @param event what happened
	 * @param holder the name of the thread that acquired it, or {@code "async"}
	 * @param elapsed from the call to this moment: with the time from the grant until the
	 * thread ran again
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
	 * Called when a hold has ended: in the thread that released the lock, or in one of
	 * the lock service. Not called for a release of a hold of which nothing was
	 * remembered; a loss is always told.
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
	 * @return what the same thread closes when that is done, or {@code null} if there is
	 * nothing to close
	 */
	@Nullable Scope open(@Nullable Object hold, LockHandle handle);

	/**
	 * Return what work that no thread is bound to finds in its own context, such as that
	 * of Reactor.
	 * @param hold what was remembered of the hold
	 * @return the values by key
	 */
	Map<String, Object> valuesOf(@Nullable Object hold);

	/**
	 * Surround the work that the calling thread is about to do under a lock, if it is
	 * observed. For code that runs other code under a lock; {@link LockContext#enter}
	 * does this as well.
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
	 * Return what work under a lock finds in its own context, if the lock is observed.
	 * For code that runs other code under a lock, and not in a thread of its own.
	 * @param handle the lock
	 * @return the values by key; of several locks, those of the last one that has any
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
	 * Something around the work of a thread. Scopes of one thread are closed in the
	 * reverse order of their opening.
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
	 * What handles on a single lock are whose lock service may have an observer.
	 */
	interface Observed {

		/**
		 * Surround the work that the calling thread is about to do.
		 * @return what the same thread closes, or {@code null} if there is nothing
		 */
		@Nullable Scope openScope();

		/**
		 * Return what work finds in its own context that no thread is bound to.
		 * @return the values by key
		 */
		Map<String, Object> contextValues();

	}

}
