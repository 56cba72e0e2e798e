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

import org.jspecify.annotations.Nullable;

/**
 * What the store knows about a lock that is held. Says who holds it, but nothing with
 * which anybody could release it.
 *
 * @param name the name of the lock
 * @param kind who holds it
 * @param holder the name of the instance that holds it, as configured by
 * {@code distributed-lock.instance-name}, or {@code null} if it is a foreign client
 * @param thread the name of the thread that acquired it, or {@code "async"}, if it is
 * known because this instance holds it; {@code null} otherwise
 * @param digest eight hexadecimal digits that differ from one value of a foreign client
 * to another, or {@code null} if an instance holds it
 * @param remaining how long the store keeps the lock if it is not renewed, or
 * {@code null} if without limit (only foreign clients do that)
 * @since 0.1.0
 */
public record LockInfo(String name, Kind kind, @Nullable String holder, @Nullable String thread,
		@Nullable String digest, @Nullable Duration remaining) implements Serializable {

	/**
	 * Describe a lock that this instance holds.
	 * @param name the name of the lock
	 * @param holder the name of the instance
	 * @param thread the name of the thread that acquired it, or {@code null} if unknown
	 * @param remaining how long the store keeps the lock
	 * @return the description
	 */
	public static LockInfo heldHere(String name, String holder, @Nullable String thread, @Nullable Duration remaining) {
		return new LockInfo(name, Kind.THIS_INSTANCE, holder, thread, null, remaining);
	}

	/**
	 * Describe a lock that another instance holds.
	 * @param name the name of the lock
	 * @param holder the name of the instance
	 * @param remaining how long the store keeps the lock
	 * @return the description
	 */
	public static LockInfo heldElsewhere(String name, String holder, @Nullable Duration remaining) {
		return new LockInfo(name, Kind.OTHER_INSTANCE, holder, null, null, remaining);
	}

	/**
	 * Describe a lock that a client holds which is not of this library.
	 * @param name the name of the lock
	 * @param digest tells the values of such clients apart
	 * @param remaining how long the store keeps the lock, or {@code null} if without
	 * limit
	 * @return the description
	 */
	public static LockInfo heldByForeignClient(String name, String digest, @Nullable Duration remaining) {
		return new LockInfo(name, Kind.FOREIGN_CLIENT, null, null, digest, remaining);
	}

	/**
	 * Say in words who holds the lock.
	 * @return for example "this instance (shop-1, thread 'main')", "instance 'shop-2'" or
	 * "a foreign client (digest 5e884898)"
	 */
	public String describeHolder() {
		String instance = Printable.of(String.valueOf(this.holder));
		return switch (this.kind) {
			case THIS_INSTANCE ->
				"this instance (" + instance + ((this.thread != null) ? ", " + Printable.of(this.thread) : "") + ")";
			case OTHER_INSTANCE -> "instance '" + instance + "'";
			case FOREIGN_CLIENT -> "a foreign client (digest " + this.digest + ")";
		};
	}

	/**
	 * Who holds a lock.
	 */
	public enum Kind {

		/**
		 * This instance.
		 */
		THIS_INSTANCE,

		/**
		 * Another instance with this library.
		 */
		OTHER_INSTANCE,

		/**
		 * A client that is not of this library, such as redis-py.
		 */
		FOREIGN_CLIENT

	}

}
