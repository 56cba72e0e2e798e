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

/**
 * An event in the life of a lock of this instance. Re-entry does not cause an event.
 *
 * @since 0.1.0
 */
public sealed interface LockEvent {

	/**
	 * Return the name of the lock. High cardinality: not for meters.
	 * @return the name
	 */
	String name();

	/**
	 * Return the declared name of the options with which the lock was acquired.
	 * @return the declared name
	 */
	String declaredName();

	/**
	 * A lock was acquired.
	 *
	 * @param name the name of the lock
	 * @param declaredName the declared name
	 * @param waited from the call to the grant
	 * @param contended whether, in the meantime, another holder had the lock or another
	 * waiter was ahead of the caller
	 * @param fencingToken the fencing token of the hold
	 * @param lease the lease that the holder asked for
	 */
	record Acquired(String name, String declaredName, Duration waited, boolean contended, long fencingToken,
			Duration lease) implements LockEvent {
	}

	/**
	 * A lock was not acquired.
	 *
	 * @param name the name of the lock
	 * @param declaredName the declared name
	 * @param waited from the call to the refusal
	 * @param reason why
	 */
	record NotAcquired(String name, String declaredName, Duration waited, Reason reason) implements LockEvent {
	}

	/**
	 * The holder released the lock in time.
	 *
	 * @param name the name of the lock
	 * @param declaredName the declared name
	 * @param held from the grant to the release
	 * @param fencingToken the fencing token of the hold
	 * @param lease the lease that the holder asked for
	 */
	record Released(String name, String declaredName, Duration held, long fencingToken,
			Duration lease) implements LockEvent {
	}

	/**
	 * The holder released the lock, but the release has not reached the store yet. It is
	 * retried in the background; if that fails too, the store frees the lock when the
	 * lease ends.
	 *
	 * @param name the name of the lock
	 * @param declaredName the declared name
	 * @param held from the grant to the release
	 * @param fencingToken the fencing token of the hold
	 * @param lease the lease that the holder asked for
	 * @param cause the failure that prevented it
	 */
	record ReleaseFailed(String name, String declaredName, Duration held, long fencingToken, Duration lease,
			Throwable cause) implements LockEvent {
	}

	/**
	 * Two thirds of a lease have passed without a renewal.
	 *
	 * @param name the name of the lock
	 * @param declaredName the declared name
	 * @param fencingToken the fencing token of the hold
	 * @param remaining how long the lock is certain to be held
	 */
	record AtRisk(String name, String declaredName, long fencingToken, Duration remaining) implements LockEvent {
	}

	/**
	 * A lease was renewed.
	 *
	 * @param name the name of the lock
	 * @param declaredName the declared name
	 * @param fencingToken the fencing token of the hold
	 * @param remaining how long the lock is now certain to be held
	 */
	record Renewed(String name, String declaredName, long fencingToken, Duration remaining) implements LockEvent {
	}

	/**
	 * The store did not answer a renewal. The renewal is retried until the lease ends.
	 *
	 * @param name the name of the lock
	 * @param declaredName the declared name
	 * @param fencingToken the fencing token of the hold
	 * @param remaining how long the lock is certain to be held
	 * @param cause the failure that prevented it
	 */
	record RenewalFailed(String name, String declaredName, long fencingToken, Duration remaining,
			Throwable cause) implements LockEvent {
	}

	/**
	 * A lock was lost before its holder released it.
	 *
	 * @param name the name of the lock
	 * @param declaredName the declared name
	 * @param held from the grant to the loss
	 * @param fencingToken the fencing token of the hold
	 * @param lease the lease that the holder asked for
	 * @param cause the likely cause
	 * @param explanation a sentence that states the likely cause and what to do
	 * @param sinceConfirmed the time since the sending of the last request by which the
	 * store confirmed the lock: it lost the lock no longer ago, unless a server confirmed
	 * it that was not the master any more. May be longer than {@code held}
	 */
	record Lost(String name, String declaredName, Duration held, long fencingToken, Duration lease, LossCause cause,
			String explanation, Duration sinceConfirmed) implements LockEvent {

		/**
		 * Create an event for a lock that the store has not confirmed since its grant.
		 * @param name the name of the lock
		 * @param declaredName the declared name
		 * @param held from the grant to the loss
		 * @param fencingToken the fencing token of the hold
		 * @param lease the lease that the holder asked for
		 * @param cause the likely cause
		 * @param explanation a sentence that states the likely cause and what to do
		 */
		public Lost(String name, String declaredName, Duration held, long fencingToken, Duration lease, LossCause cause,
				String explanation) {
			this(name, declaredName, held, fencingToken, lease, cause, explanation, held);
		}

	}

	/**
	 * Why a lock was not acquired.
	 */
	enum Reason {

		/**
		 * Another holder has it.
		 */
		BUSY,

		/**
		 * The waiting thread was interrupted, or the future was cancelled.
		 */
		INTERRUPTED,

		/**
		 * The store cannot be reached or returned an invalid answer.
		 */
		UNAVAILABLE

	}

}
