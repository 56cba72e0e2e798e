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

import java.io.Serializable;
import java.time.Duration;

import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * The information that the store has about a lock that is held. Identifies the holder,
 * but contains nothing with which a caller could release the lock. Applications do not
 * implement it.
 *
 * @since 0.1.0
 */
public interface LockInfo extends Serializable {

	/**
	 * Return the name of the lock.
	 * @return the name
	 */
	String name();

	/**
	 * Return who holds it.
	 * @return the kind of holder
	 */
	Kind kind();

	/**
	 * Return the name of the instance that holds it, as configured by
	 * {@code distributed-lock.instance-name}, or of the operator.
	 * @return the name, or {@code null} if a foreign client holds it
	 */
	@Nullable String holder();

	/**
	 * Return why an operator holds it.
	 * @return the reason that the operator gave, or {@code null} for any other holder
	 */
	@Nullable String reason();

	/**
	 * Return the thread that acquired it, if this instance holds the lock.
	 * @return the name of the thread or {@code "async"}; {@code null} otherwise
	 */
	@Nullable String thread();

	/**
	 * Return a digest that distinguishes the values of foreign clients.
	 * @return eight hexadecimal digits, or {@code null} if an instance holds it
	 */
	@Nullable String digest();

	/**
	 * Return how long the store keeps the lock without a renewal.
	 * @return the time, or {@code null} if the lock never expires; only foreign clients
	 * create such locks
	 */
	@Nullable Duration remaining();

	/**
	 * Return how many callers hold the lock, on all instances together. Of several
	 * holders, this object describes the holder with the earliest end of its lease.
	 * @return the number of holders, at least 1; if this instance holds all permits, the
	 * number that it knows of
	 */
	int holders();

	/**
	 * Return whether the holders accept any number of others.
	 * @return {@link LockMode#SHARED} if none of them has a limit
	 */
	LockMode mode();

	/**
	 * Return how many holders there may be.
	 * @return the smallest number of permits that one of them asked for, at least 1; 1
	 * for a lock with one holder, and for a {@linkplain #mode() shared} lock, which has
	 * no limit
	 */
	int permits();

	/**
	 * Return whether the holders would accept the caller, but others wait in front of it.
	 * {@link #kind()}, {@link #holder()} and {@link #digest()} then describe the first
	 * waiter.
	 * @return whether only others that wait are in the way
	 */
	boolean othersWait();

	/**
	 * Return this description for a lock that several may hold at the same time.
	 * @param holders how many hold it, at least 1
	 * @param mode whether they accept any number of others
	 * @param permits the smallest number of permits that one of them asked for; 1 if the
	 * mode is shared
	 * @return the description
	 */
	LockInfo withCompany(int holders, LockMode mode, int permits);

	/**
	 * Return this description for a caller that is refused because of others that wait.
	 * @return a description of the first of them
	 */
	LockInfo withOthersWaiting();

	/**
	 * Describe a lock that this instance holds.
	 * @param name the name of the lock
	 * @param holder the name of the instance
	 * @param thread the name of the thread that acquired it, or {@code null} if unknown
	 * @param remaining how long the store keeps the lock
	 * @return the description
	 */
	static LockInfo heldHere(String name, String holder, @Nullable String thread, @Nullable Duration remaining) {
		return new LockDescription(name, Kind.THIS_INSTANCE, holder, thread, null, remaining, 1, LockMode.EXCLUSIVE, 1,
				false, null);
	}

	/**
	 * Describe a lock that another instance holds.
	 * @param name the name of the lock
	 * @param holder the name of the instance
	 * @param remaining how long the store keeps the lock
	 * @return the description
	 */
	static LockInfo heldElsewhere(String name, String holder, @Nullable Duration remaining) {
		return new LockDescription(name, Kind.OTHER_INSTANCE, holder, null, null, remaining, 1, LockMode.EXCLUSIVE, 1,
				false, null);
	}

	/**
	 * Describe a lock that an operator took.
	 * @param name the name of the lock
	 * @param operator the name of the operator
	 * @param reason why the operator took it
	 * @param remaining how long the store keeps the lock
	 * @return the description
	 */
	static LockInfo heldByOperator(String name, String operator, String reason, @Nullable Duration remaining) {
		return new LockDescription(name, Kind.OPERATOR, operator, null, null, remaining, 1, LockMode.EXCLUSIVE, 1,
				false, reason);
	}

	/**
	 * Describe a lock that is held by a client of another library.
	 * @param name the name of the lock
	 * @param digest distinguishes the values of such clients
	 * @param remaining how long the store keeps the lock, or {@code null} if it has no
	 * limit
	 * @return the description
	 */
	static LockInfo heldByForeignClient(String name, String digest, @Nullable Duration remaining) {
		return new LockDescription(name, Kind.FOREIGN_CLIENT, null, null, digest, remaining, 1, LockMode.EXCLUSIVE, 1,
				false, null);
	}

	/**
	 * Describe in words why a caller cannot get the lock.
	 * @return for example "held by instance 'shop-2'", "held by 3 callers, first of them
	 * this instance (shop-1, thread 'main')" or "held, and others wait for it, first of
	 * them instance 'shop-2'"
	 */
	default String describe() {
		if (othersWait()) {
			return "held, and others wait for it, first of them " + describeHolder();
		}
		return "held by " + ((holders() > 1) ? holders() + " callers, first of them " : "") + describeHolder();
	}

	/**
	 * Describe the holder in words.
	 * @return for example "this instance (shop-1, thread 'main')", "instance 'shop-2'",
	 * "operator 'anna' (maintenance until 04:00)" or "a foreign client (digest 5e884898)"
	 */
	default String describeHolder() {
		String instance = Printable.of(String.valueOf(holder()));
		return switch (kind()) {
			case THIS_INSTANCE ->
				"this instance (" + instance + ((thread() != null) ? ", " + Printable.of(thread()) : "") + ")";
			case OTHER_INSTANCE -> "instance '" + instance + "'";
			case OPERATOR -> "operator '" + instance + "' (" + Printable.of(String.valueOf(reason())) + ")";
			case FOREIGN_CLIENT -> "a foreign client (digest " + digest() + ")";
		};
	}

	/**
	 * Who holds a lock.
	 */
	enum Kind {

		/**
		 * This instance.
		 */
		THIS_INSTANCE,

		/**
		 * Another instance that uses this library.
		 */
		OTHER_INSTANCE,

		/**
		 * An operator, who took it through the {@code locks} endpoint.
		 */
		OPERATOR,

		/**
		 * A client of another library, such as redis-py.
		 */
		FOREIGN_CLIENT

	}

}
