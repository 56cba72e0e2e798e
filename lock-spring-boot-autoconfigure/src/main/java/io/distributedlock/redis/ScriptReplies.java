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

package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;

/**
 * Reads the answers of the scripts.
 */
final class ScriptReplies {

	private ScriptReplies() {
	}

	static AcquireOutcome acquired(List<Object> reply, ScriptCall.Delivery delivery) {
		if (number(reply, 0) == 1) {
			return new AcquireOutcome.Granted(number(reply, 1), Math.toIntExact(number(reply, 2)));
		}
		return new AcquireOutcome.Busy(text(reply, 2), remaining(number(reply, 1)));
	}

	static ScriptCall.ReplyDecoder<List<ExtendOutcome>> extended(int size) {
		return (reply, delivery) -> {
			List<ExtendOutcome> outcomes = new ArrayList<>(size);
			for (int i = 0; i < size; i++) {
				long answer = number(reply, i);
				outcomes.add((answer == 1) ? ExtendOutcome.EXTENDED
						: (answer == 0) ? ExtendOutcome.ABSENT : ExtendOutcome.OTHER);
			}
			return outcomes;
		};
	}

	static ReleaseOutcome released(List<Object> reply, ScriptCall.Delivery delivery) {
		long answer = number(reply, 0);
		if (answer == 1) {
			return ReleaseOutcome.RELEASED;
		}
		if (delivery == ScriptCall.Delivery.MAYBE_REPEATED) {
			throw new IllegalStateException(
					"the connection was lost meanwhile, and this may be the answer to a repetition");
		}
		return (answer == 0) ? ReleaseOutcome.ABSENT : ReleaseOutcome.OTHER;
	}

	static Optional<StoredLock> found(List<Object> reply, ScriptCall.Delivery delivery) {
		return reply.isEmpty() ? Optional.empty()
				: Optional.of(new StoredLock(text(reply, 1), remaining(number(reply, 0))));
	}

	private static @Nullable Duration remaining(long millis) {
		return (millis < 0) ? null : Duration.ofMillis(millis);
	}

	private static long number(List<Object> reply, int index) {
		if (index < reply.size() && reply.get(index) instanceof Long number) {
			return number;
		}
		throw new IllegalStateException("the script answered " + reply + ", which is not what it returns");
	}

	private static String text(List<Object> reply, int index) {
		if (index < reply.size() && reply.get(index) instanceof byte[] text) {
			return new String(text, StandardCharsets.UTF_8);
		}
		throw new IllegalStateException("the script answered " + reply + ", which is not what it returns");
	}

}
