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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.distributedlock.LockEvent;
import org.jspecify.annotations.Nullable;

/**
 * The actions that result from an event at a gate. {@link Contention} and
 * {@link LeaseKeeper} decide with the gate locked and request actions here; the engine
 * performs them: some immediately, with the gate still locked, and all others after it
 * was unlocked. Nothing here blocks.
 */
interface Effects {

	// Immediately, in the order of the events of a gate: sets the timer or joins a queue,
	// and runs no code of others

	/**
	 * Schedule a timed object for the given time, in place of an earlier time.
	 */
	void schedule(LeaseTimer.Timed timed, long due);

	void cancel(LeaseTimer.Timed timed);

	/**
	 * Have a lease renewed, in a batch with others.
	 */
	void renew(Hold hold);

	/**
	 * Ask the store whether it still has a lease, in a batch with others, and have it
	 * watched.
	 */
	void ask(Lease lease);

	/**
	 * Ask whether the store still has the leases of the other holders of a lock.
	 */
	void askOthers(Hold hold);

	/**
	 * Notify listeners, in the order in which the events happened.
	 */
	void tell(LockEvent event);

	void heldLong(Hold hold, long now);

	// After the gate was unlocked: commands to the store, wake-ups, callbacks and more

	void wake(Waiter waiter);

	/**
	 * Wake a waiter after the requests that are sent in the thread for I/O.
	 */
	void wakeLater(Waiter waiter);

	/**
	 * Send the prepared request in this thread.
	 */
	void send(Contender contender);

	/**
	 * Send the prepared request in the thread for I/O.
	 */
	void sendLater(Contender contender);

	/**
	 * Have grants pushed to this instance.
	 */
	void listen();

	/**
	 * Release what a contender has, or may have, in the store.
	 */
	void cleanUp(Contender contender);

	/**
	 * End the hold in the store: release it, or give it a lease that ends with its
	 * minimum hold.
	 * @param answered completes when the request under way for its lease was answered,
	 * before which this must not be sent; {@code null} if there is none
	 */
	void end(Hold hold, @Nullable CompletableFuture<@Nullable Throwable> answered);

	/**
	 * Release a lost lock that may still be in the store.
	 */
	void giveBack(Hold hold);

	void releaseForgotten(Hold hold);

	/**
	 * Ensure that at least the given length of a lease remains.
	 */
	void refresh(Hold hold, Duration length);

	/**
	 * Resume those that wait for the answer to a request for a lease, if any do.
	 * @param failure why there was no answer, or {@code null}
	 */
	void complete(@Nullable CompletableFuture<@Nullable Throwable> answered, @Nullable Throwable failure);

	/**
	 * Notify listeners of a hold that went to the next local waiter.
	 */
	void handedOn(Hold hold, long now);

	void interrupt(Hold hold);

	/**
	 * Call off the interrupt of a holder that is done, or take it back.
	 */
	void endInterrupt(Hold hold);

	void closedByOther(Hold hold, Thread owner);

	/**
	 * Notify the holder of a loss, and the listeners in the order in which the events
	 * happened.
	 */
	void lost(Hold hold, LockEvent.Lost loss, List<Consumer<LockEvent.Lost>> callbacks);

}
