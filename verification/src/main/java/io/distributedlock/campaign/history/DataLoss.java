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

/**
 * A time at which the store lost locks, so that the guarantees allow two holders for a
 * while: the one of before, until it learns of the loss, and one of after. Which of the
 * two a hold is follows from its fencing token, which comes from the clock of the server:
 * a lease that is handed on within an instance just after the loss is still one of
 * before.
 *
 * @param wallMicros the time of day at which it was done, in microseconds, by the clock
 * from which the tokens come
 * @param extent what was lost
 * @param noticed whether connections to the store broke as well
 */
public record DataLoss(Span span, long wallMicros, Extent extent, boolean noticed) {

	/** Tokens of one grant follow each other, and may run ahead of the clock. */
	private static final long TOLERANCE_MICROS = 5_000;

	/**
	 * Whether a pair of holds is one of before and one of after.
	 */
	boolean excuses(Hold one, Hold other) {
		return isBefore(one) && isAfter(other) || isBefore(other) && isAfter(one);
	}

	/**
	 * Whether the later one of two holds may have the smaller token: the tokens of both
	 * come from the clock, but a lease of before may be handed on within its instance
	 * after the first grant of after. While two masters live, both may do so.
	 */
	boolean excusesOrder(Hold first, Hold second) {
		return switch (this.extent) {
			case ALL -> isAfter(first) && first.token > this.wallMicros && isBefore(second);
			case LATEST -> excuses(first, second);
		};
	}

	/**
	 * Whether a holder may have lost its lock by it, as it found out at a time.
	 */
	boolean mayHaveTaken(Hold hold, long at) {
		return isBefore(hold) && at >= this.span.from();
	}

	private boolean isBefore(Hold hold) {
		return hold.token <= this.wallMicros + TOLERANCE_MICROS;
	}

	/**
	 * Return how long nothing stood between a holder that was told of its loss and the
	 * store, since the store had lost its lock; zero if that is not known.
	 */
	long untold(Losses.Loss told, Disturbances disturbances) {
		boolean lost = this.noticed && isClearlyBefore(told.hold()) && told.at() > this.span.to();
		return lost ? disturbances.longestCalm(told.hold().worker, new Span(this.span.to(), told.at())) : 0;
	}

	/**
	 * Whether a hold was granted before the loss for sure.
	 */
	boolean isClearlyBefore(Hold hold) {
		return hold.start < this.span.from();
	}

	private boolean isAfter(Hold hold) {
		return hold.start >= this.span.from();
	}

	public enum Extent {

		/** All keys. */
		ALL,

		/** Perhaps what was written last. */
		LATEST

	}
}
