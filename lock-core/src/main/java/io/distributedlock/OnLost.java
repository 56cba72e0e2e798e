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

package io.distributedlock;

/**
 * The reaction, beyond events and callbacks, to the loss of a lock before its release.
 * {@link LockOptions} and the configuration take it. Annotations take a
 * {@code LossReaction}, which has the same constants and one for "not given".
 *
 * @since 0.1.0
 */
public enum OnLost {

	/**
	 * Log an error with the likely cause; a warning if an operator took the lock, or the
	 * application stops.
	 */
	LOG,

	/**
	 * Log, and interrupt the thread that acquired the lock, if it still holds the handle.
	 * The interrupt never arrives after the handle was closed: if the thread has not
	 * noticed it by then, the close clears the flag. A lock that was acquired
	 * asynchronously has no thread: instead, the future that
	 * {@link LockService#executeAsync executeAsync} returned fails with a
	 * {@link LockLostException}, and the stage of the work is cancelled, which stops the
	 * work only if it checks for that. Nothing else cancels that stage, not even a caller
	 * that cancels its own future.
	 */
	INTERRUPT,

	/**
	 * Log, and throw a {@link LockLostException} after the work, in place of its result.
	 * An exception of the work itself takes precedence. A future that the caller has
	 * cancelled or completed stays as it is.
	 */
	THROW

}
