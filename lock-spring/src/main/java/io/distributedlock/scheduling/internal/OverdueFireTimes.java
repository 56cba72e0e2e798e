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

package io.distributedlock.scheduling.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.distributedlock.LockInfo;
import io.distributedlock.internal.DeclaredJobs.DeclaredJob;
import io.distributedlock.internal.LastRun;
import io.distributedlock.internal.WallClock;
import org.jspecify.annotations.Nullable;

/**
 * Counts the fire times of a job that have passed since the newest one whose run
 * succeeded or goes on. A reader never waits for the store: it gets what the last answer
 * tells, and causes the next question. So the count goes on while the store is
 * unavailable, and while no instance runs the job. What was told before nobody asked for
 * long is not told again: an instance may have been paused.
 */
public final class OverdueFireTimes implements Supplier<Number> {

	/** Many readers may share a registry. */
	private static final long VALID_NANOS = Duration.ofSeconds(5).toNanos();

	/**
	 * After which what is known is no answer any more. Longer than the time between two
	 * readings of any usual monitoring, which would never see a number otherwise.
	 */
	private static final long KNOWN_NANOS = Duration.ofMinutes(10).toNanos();

	private final DeclaredJob job;

	private final Supplier<LastRun.@Nullable Source> store;

	private final LongSupplier nanos;

	/** A job without a record counts from here. */
	private final Instant since;

	private final AtomicBoolean asking = new AtomicBoolean();

	private volatile @Nullable Known known;

	private volatile @Nullable Long askedAt;

	/** Whether nobody has asked for long, and the first one waits for the answer. */
	private volatile boolean outdated;

	/**
	 * Create a new instance.
	 * @param store where runs are known, or {@code null} as long as nowhere
	 * @param nanos the monotonic time
	 */
	public OverdueFireTimes(DeclaredJob job, Supplier<LastRun.@Nullable Source> store, WallClock clock,
			LongSupplier nanos) {
		this.job = job;
		this.store = store;
		this.nanos = nanos;
		this.since = clock.now();
	}

	/**
	 * Return the count, zero while an operator holds the job, or NaN as long as the store
	 * has not answered. So the first reader for ten minutes gets NaN.
	 */
	@Override
	public Number get() {
		if (this.asking.compareAndSet(false, true)) {
			askUnlessRecent();
		}
		Known known = this.known;
		return (known != null && !this.outdated) ? known.count(this.job) : Double.NaN;
	}

	private void askUnlessRecent() {
		Long last = this.askedAt;
		long now = this.nanos.getAsLong();
		if (last != null && now - last < VALID_NANOS) {
			this.asking.set(false);
			return;
		}
		this.outdated = last != null && now - last >= KNOWN_NANOS;
		this.askedAt = now;
		CompletableFuture.completedFuture(this.store)
			.thenApply(Supplier::get)
			.thenCompose(this::ask)
			.whenComplete((answer, failure) -> {
				if (failure == null) {
					this.known = answer;
				}
				this.outdated = false;
				this.asking.set(false);
			});
	}

	private CompletableFuture<@Nullable Known> ask(LastRun.@Nullable Source store) {
		if (store == null) {
			return CompletableFuture.completedFuture(this.known);
		}
		return LastRun.of(this.job, store).thenCompose((last) -> {
			Known found = last.map((run) -> new Known(run.run().fireTime(), run.isGood(), false))
				.orElseGet(this::withoutRecord);
			return (found.count(this.job) == 0) ? CompletableFuture.completedFuture(found)
					: store.holder()
						.apply(this.job.name())
						.thenApply((holder) -> found.heldByOperator(isOperator(holder)));
		});
	}

	/** The job is new, or the store has lost its record. */
	private Known withoutRecord() {
		Known before = this.known;
		return (before != null) ? before.heldByOperator(false) : new Known(this.since, true, false);
	}

	private static boolean isOperator(Optional<LockInfo> holder) {
		return holder.map((found) -> found.kind() == LockInfo.Kind.OPERATOR).orElse(false);
	}

	/**
	 * What the store has told.
	 *
	 * @param fireTime that of the last run
	 * @param good whether its work was done, or is being done
	 */
	private record Known(Instant fireTime, boolean good, boolean heldByOperator) {

		Known heldByOperator(boolean held) {
			return new Known(this.fireTime, this.good, held);
		}

		long count(DeclaredJob job) {
			return this.heldByOperator ? 0 : job.missedSince(this.fireTime) + (this.good ? 0 : 1);
		}

	}

}
