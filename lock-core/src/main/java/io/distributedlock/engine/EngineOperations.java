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
import java.util.function.Supplier;

import io.distributedlock.LockEvent;
import io.distributedlock.LockObserver;
import io.distributedlock.LockOptions;
import io.distributedlock.internal.LockRecord;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * The operations of the engine for gates, leases and handles: the only view that the
 * state of the locks has of the engine. Each operation locks the gate itself.
 */
interface EngineOperations {

	long now();

	/**
	 * Return a random number between the given one and 1.
	 */
	double jitter(double least);

	/**
	 * Whether the current thread may look at the gate of a name and change it.
	 */
	boolean isLocked(String name);

	/**
	 * Read or change what the gate of a name guards, if no action results from it.
	 */
	<T extends @Nullable Object> T locked(String name, Supplier<T> work);

	/**
	 * Whether the store can report that a lease is gone.
	 */
	boolean canWatch();

	void due(Contender contender);

	void answered(Contender contender, @Nullable AcquireOutcome outcome, @Nullable Throwable failure);

	void due(Lease lease, long now);

	/**
	 * Report the loss now if the deadline has passed but the timer has not noticed yet.
	 */
	void expireIfOver(Hold hold);

	/**
	 * Add to a lease, after the request under way if there is one. If that is not
	 * answered, this fails with the same failure without being sent, so that a caller
	 * waits for one answer at most.
	 */
	CompletableFuture<Void> extend(Hold hold, Duration additional);

	/**
	 * Ensure that at least the given length of a lease remains, counted from the sending
	 * of the request.
	 */
	CompletableFuture<Void> refresh(Hold hold, Duration length);

	/**
	 * Replace the record of the lock, as {@link LockRecord} says.
	 */
	CompletableFuture<LockRecord.Answer> replaceRecord(Hold hold, @Nullable String expected, String text,
			Duration timeToLive);

	void adopt(Hold hold, LockOptions options);

	/**
	 * Call back when a lock is lost: immediately if it already was, and not after the
	 * handle was closed.
	 */
	void onLost(Handle handle, Consumer<LockEvent.Lost> callback);

	/**
	 * Let the scope around the current thread keep the lock of a handle that it is about
	 * to close.
	 */
	void closing(Handle handle);

	/**
	 * Close a handle; with the last one the lock is handed on or released.
	 */
	Handle.Release release(Handle handle);

	/**
	 * Report the result of a release. The state was settled before, when the answer
	 * arrived.
	 * @param releasedAt when the holder was done
	 * @return the loss that the answer reveals
	 * @throws RuntimeException if there is no answer
	 */
	LockEvent.@Nullable Lost released(Hold hold, @Nullable ReleaseOutcome outcome, @Nullable Throwable failure,
			long releasedAt);

	/**
	 * If closing a handle does not wait for the answer of the store, report the result of
	 * a release when it is there, in another thread if that runs user code.
	 * @return whether closing does not wait
	 */
	boolean releasedLater(Hold hold, CompletableFuture<@Nullable ReleaseOutcome> answer, long releasedAt);

	LockObserver.@Nullable Scope openScope(Handle handle);

	Map<String, Object> contextValues(Hold hold);

	/**
	 * Return where futures complete and user code is called.
	 */
	Executor completions();

	/**
	 * Complete a future where user code may run, and not in a thread of the store. If it
	 * is already complete, its caller continues immediately.
	 */
	default <T extends @Nullable Object> CompletableFuture<T> completeElsewhere(CompletableFuture<T> answer) {
		return answer.isDone() ? answer : answer.whenCompleteAsync((value, failure) -> {
		}, completions());
	}

}
