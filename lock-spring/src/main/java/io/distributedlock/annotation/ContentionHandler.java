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

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.internal.LockedCall;
import org.jspecify.annotations.Nullable;

/**
 * Answers a call in place of a method whose lock is held elsewhere.
 */
interface ContentionHandler {

	ContentionHandler RETHROW = new ContentionHandler() {

		@Override
		public @Nullable Object handle(LockedCall call, LockNotAcquiredException busy, String purpose) {
			throw busy;
		}

		@Override
		public String describe() {
			return "throw";
		}

	};

	/**
	 * Return the answer.
	 * @param purpose what the work is for, as a sentence, or an empty text
	 */
	@Nullable Object handle(LockedCall call, LockNotAcquiredException busy, String purpose) throws Throwable;

	/**
	 * Return the result of a call whose work is not done although it has the lock.
	 */
	default @Nullable Object nothing() {
		return null;
	}

	/**
	 * Return in a word or two what this does.
	 */
	String describe();

}
