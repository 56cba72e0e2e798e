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

package io.distributedlock.actuate.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.distributedlock.DeclaredLock;
import io.distributedlock.HeldLock;
import io.distributedlock.LockOptions;
import io.distributedlock.OnLost;
import io.distributedlock.WaitingLock;
import io.distributedlock.internal.Printable;
import io.distributedlock.leadership.Candidacy;
import io.distributedlock.store.StoreReport;
import io.distributedlock.store.StoreReport.Finding;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The locks of this instance. Texts are {@linkplain Printable#of(String) printable}.
 *
 * @param store where the locks are kept
 * @param held the locks that this instance holds
 * @param waiting the locks that callers in this instance wait for
 * @param leading the leaderships for which this instance stands
 * @param defaults the options where none are given
 * @param declared the locks that annotations declare
 * @since 0.1.0
 */
public record LocksDescriptor(Store store, List<Held> held, List<Waiting> waiting, List<Leading> leading,
		Options defaults, List<Declared> declared) implements OperationResponseBody {

	/**
	 * Where the locks are kept.
	 *
	 * @param description what and where it is
	 * @param version its product and version, or {@code null} if unknown
	 * @param findings the findings of the check at start-up
	 */
	public record Store(String description, @Nullable String version, List<Finding> findings) {

		/**
		 * Copy the findings.
		 */
		public Store {
			findings = List.copyOf(findings);
		}

		/**
		 * Describe a store.
		 * @param description what and where it is, without credentials
		 * @param report the known facts about it
		 * @return the description
		 */
		public static Store of(String description, StoreReport report) {
			return new Store(description, report.version(), report.findings());
		}

	}

	/**
	 * A lock that this instance holds.
	 *
	 * @param name the name of the lock
	 * @param declaredName the declared name of its options
	 * @param owner the thread that acquired it
	 * @param since when it was acquired, by the clock of this instance
	 * @param remaining how long it is certain to be held without a renewal
	 * @param fencingToken the fencing token
	 * @param autoRenew whether it is renewed
	 */
	public record Held(String name, String declaredName, String owner, Instant since, Duration remaining,
			long fencingToken, boolean autoRenew) {

		static Held of(HeldLock lock, String name, Instant now) {
			return new Held(name, Printable.of(lock.declaredName()), Printable.of(lock.owner()),
					now.minus(lock.heldFor()), lock.remaining(), lock.fencingToken(), lock.autoRenew());
		}

	}

	/**
	 * A lock that a caller in this instance waits for.
	 *
	 * @param name the name of the lock
	 * @param declaredName the declared name of its options
	 * @param owner the thread that waits
	 * @param since when the wait began, by the clock of this instance
	 */
	public record Waiting(String name, String declaredName, String owner, Instant since) {

		static Waiting of(WaitingLock lock, String name, Instant now) {
			return new Waiting(name, Printable.of(lock.declaredName()), Printable.of(lock.owner()),
					now.minus(lock.waitedFor()));
		}

	}

	/**
	 * A leadership for which this instance stands.
	 *
	 * @param name the name of the leadership and of its lock
	 * @param leader whether this instance leads
	 * @param remaining how long it is certain to lead without a renewal, or {@code null}
	 * if it does not lead
	 * @param fencingToken the fencing token of the term, or {@code null} if it does not
	 * lead
	 */
	public record Leading(String name, boolean leader, @Nullable Duration remaining, @Nullable Long fencingToken) {

		static Leading of(Candidacy candidacy, String name) {
			return candidacy.leader() ? new Leading(name, true, candidacy.remaining(), candidacy.fencingToken())
					: new Leading(name, false, null, null);
		}

	}

	/**
	 * A lock that an annotation declares.
	 *
	 * @param declaredName the declared name
	 * @param names the names as declared
	 * @param location where it is declared
	 * @param options the options in force
	 * @param onContention what happens if it is held elsewhere
	 */
	public record Declared(String declaredName, List<String> names, String location, Options options,
			String onContention) {

		static Declared of(DeclaredLock lock) {
			return new Declared(Printable.of(lock.declaredName()), lock.names().stream().map(Printable::of).toList(),
					lock.location(), Options.of(lock.options()), lock.onContention());
		}

	}

	/**
	 * Options in the words of the properties.
	 *
	 * @param timeout the lease
	 * @param waitTime the wait
	 * @param autoRenew whether the lease is renewed
	 * @param renewInterval the time between two renewals, or {@code null} if it is not
	 * renewed
	 * @param minHold the minimum hold
	 * @param maxHold the maximum hold, or {@code null} for no limit
	 * @param onLost what happens when the lock is lost
	 */
	public record Options(Duration timeout, Duration waitTime, boolean autoRenew, @Nullable Duration renewInterval,
			Duration minHold, @Nullable Duration maxHold, OnLost onLost) {

		static Options of(LockOptions options) {
			return new Options(options.lease(), options.waitTime(), options.autoRenew(),
					options.autoRenew() ? options.effectiveRenewInterval() : null, options.minHold(), options.maxHold(),
					options.onLost());
		}

	}

}
