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
 * A method may return an object, which the lock service passes to the next calls for the
 * same acquisition or hold. Exceptions of an observer are logged and do not reach the
 * caller. Re-entry is not observed, but work that re-enters a lock is surrounded again.
 * By default, an observer returns nothing and does nothing.
 *
 * @since 0.1.0
 */
public interface LockObserver {

	/**
	 * Called in the thread of a caller that is about to ask for a lock, for every lock:
	 * return quickly.
	 * @return an object to remember for the caller, or {@code null}
	 */
	default @Nullable Object onRequest() {
		return null;
	}

	/**
	 * Called when a lock was acquired, before the caller receives the handle: in the
	 * caller's thread, or in a thread of the lock service if the caller has a future.
	 * @param request the object remembered for the caller
	 * @param event the event
	 * @param holder the name of the thread that acquired it, or {@code "async"}
	 * @param elapsed from the call to this moment, including the time from the grant
	 * until the thread ran again
	 * @return an object to remember for the hold, or {@code null}
	 */
	default @Nullable Object onAcquired(@Nullable Object request, LockEvent.Acquired event, String holder,
			Duration elapsed) {
		return null;
	}

	/**
	 * Called when a lock was not acquired, in the same threads.
	 * @param request the object remembered for the caller
	 * @param event the event
	 * @param holder who holds the lock, or {@code null} if unknown
	 * @param failure why the store cannot be reached, or {@code null} if it can
	 */
	default void onNotAcquired(@Nullable Object request, LockEvent.NotAcquired event, @Nullable LockInfo holder,
			@Nullable Throwable failure) {
	}

	/**
	 * Called when a hold has ended: in the thread that released the lock, or in a thread
	 * of the lock service. Not called for a release if no object was remembered for the
	 * hold; always called for a loss.
	 * @param hold the object remembered for the hold
	 * @param event a {@link LockEvent.Released}, {@link LockEvent.ReleaseFailed} or
	 * {@link LockEvent.Lost}
	 * @param holder the name of the thread that acquired it, or {@code "async"}
	 */
	default void onEnded(@Nullable Object hold, LockEvent event, String holder) {
	}

	/**
	 * Surround the work that the calling thread is about to do under a lock.
	 * @param hold the object remembered for the hold
	 * @param handle the lock
	 * @return a scope that the same thread closes when the work is done, or {@code null}
	 * for none
	 */
	default @Nullable Scope openScope(@Nullable Object hold, LockHandle handle) {
		return null;
	}

	/**
	 * Return the context values for work that is not bound to a thread, for example for
	 * Reactor's context.
	 * @param hold the object remembered for the hold
	 * @return the values by key
	 */
	default Map<String, Object> contextValues(@Nullable Object hold) {
		return Map.of();
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

}
