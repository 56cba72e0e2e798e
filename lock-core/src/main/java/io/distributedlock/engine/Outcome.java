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

import io.distributedlock.LockInfo;
import org.jspecify.annotations.Nullable;

/**
 * How a wait ended. Success is the {@link Handle} itself, so that it allocates nothing.
 */
sealed interface Outcome permits Handle, Outcome.Busy, Outcome.Failed, Outcome.GivenUp {

	/**
	 * The lock is held elsewhere.
	 *
	 * @param holder who holds it, or {@code null} if unknown
	 */
	record Busy(@Nullable LockInfo holder) implements Outcome {

	}

	/**
	 * Something prevented the answer.
	 *
	 * @param failure the failure of the store or the engine
	 */
	record Failed(Throwable failure) implements Outcome {

	}

	/**
	 * The caller ended its wait.
	 */
	enum GivenUp implements Outcome {

		INTERRUPTED, TIMED_OUT

	}

}
