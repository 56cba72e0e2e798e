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

/**
 * A request to restart a lease.
 *
 * @param name the name of the lock
 * @param token the token with which it is held
 * @param lease the new time to live, counted from now
 * @param mode whether the new lease may be shorter than the remaining one
 * @param limit the limit with which it was acquired; the store restores it if it lost it
 * @since 0.1.0
 */
public record LeaseExtension(String name, LockToken token, Duration lease, Mode mode, int limit) {

	/**
	 * What happens to a lease that has more time remaining.
	 *
	 * @since 0.1.0
	 */
	public enum Mode {

		/**
		 * The lease stays unchanged: a late request shortens nothing.
		 */
		AT_LEAST,

		/**
		 * The lease is shortened.
		 */
		EXACTLY

	}

}
