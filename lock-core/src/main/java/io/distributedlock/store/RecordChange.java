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

package io.distributedlock.store;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A request to replace the record of a lock: a text that outlives its holders, which only
 * a holder can write.
 *
 * @param name the name of the lock
 * @param token the token with which the lock must be held, exclusively
 * @param expected the record that is to be replaced, not empty, or {@code null} if there
 * must be none
 * @param text the new record, not empty; different from every earlier one, so that a
 * repeated request is recognized
 * @param timeToLive how long the store keeps the new record, counted from now; positive
 * @since 0.1.0
 */
public record RecordChange(String name, LockToken token, @Nullable String expected, String text, Duration timeToLive) {

	/**
	 * Check that the record can be told from none.
	 * @throws IllegalArgumentException if a text is empty, or the time to live is not
	 * positive
	 */
	public RecordChange {
		if (text.isEmpty() || (expected != null && expected.isEmpty())) {
			throw new IllegalArgumentException("A record of a lock cannot be empty. To expect none, give null.");
		}
		if (timeToLive.isNegative() || timeToLive.isZero()) {
			throw new IllegalArgumentException(
					"The time to live of a record is %s, but must be positive.".formatted(timeToLive));
		}
	}

	/**
	 * The answer to the request.
	 *
	 * @since 0.1.0
	 */
	public sealed interface Outcome {

		/**
		 * The lock is held with the token, and the record is now that of the request.
		 */
		record Replaced() implements Outcome {
		}

		/**
		 * The lock is held with the token, but the record is not the expected one.
		 * Nothing was changed.
		 *
		 * @param text the record, or {@code null} if there is none
		 */
		record Different(@Nullable String text) implements Outcome {
		}

		/**
		 * The lock is not held with the token, or not exclusively. Nothing was changed.
		 */
		record NotHeld() implements Outcome {
		}

	}

}
