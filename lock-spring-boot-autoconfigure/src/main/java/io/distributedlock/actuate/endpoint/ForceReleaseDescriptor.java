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

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The result of a forced release.
 *
 * @param name the name of the lock,
 * {@linkplain io.distributedlock.internal.Printable#of(String) printable}
 * @param outcome the outcome
 * @since 0.1.0
 */
public record ForceReleaseDescriptor(String name, Outcome outcome) implements OperationResponseBody {

	/**
	 * The outcome.
	 */
	public enum Outcome {

		/**
		 * The lock was taken from its holder, and is free or held by the next one.
		 */
		RELEASED,

		/**
		 * The lock has no holder.
		 */
		FREE,

		/**
		 * A hold other than the given one has the lock, and keeps it.
		 */
		HELD_BY_ANOTHER

	}

}
