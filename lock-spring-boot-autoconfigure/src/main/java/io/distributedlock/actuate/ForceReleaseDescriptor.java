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

package io.distributedlock.actuate;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What became of a lock that was to be released by force.
 *
 * @param name the name of the lock, {@linkplain io.distributedlock.Printable#of(String)
 * printable}
 * @param outcome what became of it
 * @since 0.1.0
 */
public record ForceReleaseDescriptor(String name, Outcome outcome) implements OperationResponseBody {

	/**
	 * What became of it.
	 */
	public enum Outcome {

		/**
		 * It was taken from its holder, and is free or held by the next one.
		 */
		RELEASED,

		/**
		 * Nobody holds it.
		 */
		FREE,

		/**
		 * Another hold has it than the one that was meant, and keeps it.
		 */
		HELD_BY_ANOTHER

	}

}
