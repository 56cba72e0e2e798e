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
package io.distributedlock.campaign.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * Decides for each loss whether something explains it.
 * <p>
 * <b>The lease was over.</b> A lock that is not renewed is lost at the end of its lease.
 * One that is renewed was not renewed in time: from the moment at which the first renewal
 * was due to the deadline, there must be no time without any disturbance that is long
 * enough for a renewal. The same goes for a lease that its holder had to lengthen,
 * because it came from a local holder before it, or with a message.
 * <p>
 * <b>The store no longer had the lock.</b> It must have lost data, unless the lease was
 * over by then.
 * <p>
 * Nothing in a campaign brings about the other causes.
 */
final class Losses {

	/** A shorter lease is lost when the machine is very busy. */
	private static final long ROBUST_LEASE = TimeUnit.MILLISECONDS.toNanos(2000);

	/** What a busy machine needs to send a request and to receive its answer. */
	private static final long BUSY = TimeUnit.MILLISECONDS.toNanos(250);

	private final List<Loss> pending = new ArrayList<>();

	void add(Loss loss) {
		this.pending.add(loss);
	}

	/**
	 * Take those losses that happened before a time.
	 */
	List<Loss> takeBefore(long time) {
		List<Loss> taken = this.pending.stream().filter((loss) -> loss.at < time).toList();
		this.pending.removeAll(taken);
		return taken;
	}

	/**
	 * A loss of which the holder was told.
	 *
	 * @param renewed whether the lock was to be renewed
	 */
	record Loss(Hold hold, LossCause cause, boolean renewed, long at) {

		/**
		 * Return why nothing explains this loss.
		 * @return the end of a sentence about it, {@code null} if something does
		 */
		@Nullable String mystery(Disturbances disturbances, Collection<DataLoss> dataLosses) {
			return switch (this.cause) {
				case KEY_VANISHED, TAKEN_BY_OTHER -> {
					boolean over = this.at >= this.hold.until;
					boolean lost = dataLosses.stream().anyMatch((loss) -> loss.mayHaveTaken(this.hold, this.at));
					yield (over || lost) ? null : "and the store had lost nothing";
				}
				case LEASE_EXPIRED, STORE_UNREACHABLE, PROCESS_PAUSED -> {
					long calm = disturbances.longestCalm(this.hold.worker, this.renewed ? toRenew() : toLengthen());
					yield (this.hold.lease < ROBUST_LEASE || calm < toTryAgain() + BUSY) ? null : String
						.format(Locale.ROOT, "and before that, nothing kept it from the store for %.1f ms", calm / 1e6);
				}
				default -> "which nobody brought about";
			};
		}

		/** Since when a renewal was due, and until when it would have been in time. */
		private Span toRenew() {
			// A worker that stood still was told late
			long deadline = (this.at - this.hold.until < BUSY) ? Math.min(this.at, this.hold.until) : this.at;
			long due = deadline - this.hold.promise() + interval() + interval() / 20;
			return new Span(Math.max(this.hold.start, due), deadline);
		}

		/** The same for a request that gives a holder the lease that it asked for. */
		private Span toLengthen() {
			// A lease that is nearly as long stays as it is
			boolean lasted = this.at >= this.hold.start + this.hold.promise() - this.hold.lease / 10;
			return new Span(this.hold.start, lasted ? this.hold.start : this.at);
		}

		private long toTryAgain() {
			return interval() / 4 + interval() / 20;
		}

		private long interval() {
			return this.hold.lease / 3;
		}

	}

}
