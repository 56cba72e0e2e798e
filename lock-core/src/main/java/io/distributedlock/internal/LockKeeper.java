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

package io.distributedlock.internal;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import org.jspecify.annotations.Nullable;

/**
 * Keeps locks longer than the code that acquired them, for a surrounding scope that still
 * needs them, such as a transaction until it has completed. A lock service has at most
 * one keeper.
 */
@FunctionalInterface
public interface LockKeeper {

	/**
	 * Return the scope that surrounds the calling thread, or {@code null} if there is
	 * none. Called for every acquisition, and for every handle that this thread closes:
	 * return quickly.
	 */
	@Nullable Keeping current();

	/**
	 * Keeps the locks of the code that it surrounds through its own handle on each: a
	 * lock is released when all handles on it are closed. Safe for use by many threads.
	 */
	interface Keeping {

		/**
		 * Return the handles on those of the locks that are kept already, which later
		 * acquisitions re-enter.
		 */
		List<LockHandle> kept(Collection<String> names);

		/**
		 * Keep a lock. Does nothing if it is kept already.
		 * @param handle a handle on the lock that is not closed yet
		 * @param reentry see {@link LockService#reenter(LockHandle, LockOptions)}
		 * @return {@code false} if the scope has ended
		 */
		boolean keep(LockHandle handle, LockOptions options,
				BiFunction<LockHandle, LockOptions, Optional<LockHandle>> reentry);

	}

}
