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

package io.distributedlock.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.distributedlock.LockEvent;
import io.distributedlock.LockObserver;
import io.distributedlock.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * What gates, leases and handles ask of the engine: all that the state of the locks knows
 * of the machine that moves it. Each operation locks the gate itself.
 */
interface EngineOperations {

	/**
	 * Return the time.
	 */
	long now();

	/**
	 * Whether the current thread may look at the gate of a name and change it.
	 */
	boolean isLocked(String name);

	/**
	 * The timer says that something is due for a contender.
	 */
	void due(Contender contender);

	/**
	 * The timer says that something is due for a lease.
	 */
	void due(Lease lease, long now);

	/**
	 * Tell the loss now if the deadline has passed but the timer has not come to it yet.
	 */
	void expireIfOver(Hold hold);

	/**
	 * Add to a lease, after the request under way if there is one. If that is not
	 * answered, neither would be the next one: it fails with the same failure, so that a
	 * caller waits for one answer at most.
	 */
	CompletableFuture<Void> extend(Hold hold, Duration additional);

	/**
	 * Let at least the given length be left of a lease, counted from the sending of the
	 * request.
	 */
	CompletableFuture<Void> refresh(Hold hold, Duration length);

	/**
	 * Go on with other options for a lock that is still held.
	 */
	void adopt(Hold hold, LockOptions options);

	/**
	 * Call back when a lock is lost, at once if it was.
	 */
	void onLost(Hold hold, Consumer<LockEvent.Lost> callback);

	/**
	 * Let no thread own the hold any more.
	 */
	void detach(Hold hold);

	/**
	 * Have the lock released without regard to its minimum hold.
	 */
	void waiveMinHold(Hold hold);

	/**
	 * Close a handle; with the last one the lock is handed on or released.
	 */
	Handle.Release release(Handle handle);

	/**
	 * Surround the work that the calling thread is about to do under a lock.
	 */
	LockObserver.@Nullable Scope openScope(Handle handle);

	/**
	 * Return what the work under a lock finds in its own context.
	 */
	Map<String, Object> contextValues(Hold hold);

	/**
	 * Return where futures complete and user code is called.
	 */
	Executor completions();

	/**
	 * Let a future complete where user code may run, and not in a thread of the store. If
	 * it is complete already, nothing keeps its caller.
	 */
	default <T extends @Nullable Object> CompletableFuture<T> completeElsewhere(CompletableFuture<T> answer) {
		return answer.isDone() ? answer : answer.whenCompleteAsync((value, failure) -> {
		}, completions());
	}

}
