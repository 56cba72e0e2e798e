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

package io.distributedlock.transaction;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockState;

/**
 * Checks the locks that annotated methods run under.
 */
final class HeldLocks {

	private HeldLocks() {
	}

	/**
	 * Go on only if all locks that the current thread runs under are surely still held.
	 * @throws LockLostException if one of them was lost
	 */
	static void assertAllHeld() {
		LockContext.all().forEach(HeldLocks::assertHeld);
	}

	/**
	 * Go on only if a lock is surely still held, or was closed by the method itself,
	 * which has dealt with a loss in that case.
	 * @param handle the lock
	 * @throws LockLostException if it was lost
	 */
	static void assertHeld(LockHandle handle) {
		if (handle.state() != LockState.RELEASED) {
			handle.assertHeld();
		}
	}

}
