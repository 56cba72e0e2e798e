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

package io.distributedlock.annotation;

/**
 * The reaction of an annotated method when its lock is held elsewhere and the wait is
 * over.
 *
 * @since 0.1.0
 */
public enum OnContention {

	/**
	 * Throw a {@link io.distributedlock.LockNotAcquiredException}.
	 */
	THROW,

	/**
	 * Do not run the method, log at level INFO who holds the lock, and return an empty
	 * result: nothing for {@code void}, an empty {@link java.util.Optional},
	 * {@link java.util.concurrent.Future} or reactive type, {@code null} for every other
	 * reference, among them {@link Integer} and {@link Boolean}. Rejected at start-up for
	 * methods that return a primitive, and beside a
	 * {@link DistributedLock#fallbackMethod() fallback method}, which answers in its
	 * place.
	 */
	SKIP

}
