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

import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * The locks that the annotated methods of a thread run under, for the checks of
 * transactions.
 */
final class HeldLocks {

	private static final ThreadLocal<@Nullable HeldLocks> CURRENT = new ThreadLocal<>();

	private final LockHandle handle;

	private final @Nullable HeldLocks outer;

	private HeldLocks(LockHandle handle, @Nullable HeldLocks outer) {
		this.handle = handle;
		this.outer = outer;
	}

	/**
	 * Note that the current thread enters a locked method.
	 * @param handle the lock of the method
	 * @return what to {@link #leave} afterwards
	 */
	static HeldLocks enter(LockHandle handle) {
		HeldLocks entered = new HeldLocks(handle, CURRENT.get());
		CURRENT.set(entered);
		return entered;
	}

	/**
	 * Note that the current thread leaves the method.
	 */
	void leave() {
		if (this.outer != null) {
			CURRENT.set(this.outer);
		}
		else {
			CURRENT.remove();
		}
	}

	/**
	 * Go on only if all locks that the current thread runs under are surely still held.
	 * @throws LockLostException if one of them was lost
	 */
	static void assertAllHeld() {
		for (HeldLocks held = CURRENT.get(); held != null; held = held.outer) {
			assertHeld(held.handle);
		}
	}

	/**
	 * Go on only if a lock is surely still held, or was released by the method itself.
	 * @param handle the lock
	 * @throws LockLostException if it was lost
	 */
	static void assertHeld(LockHandle handle) {
		if (handle.state() != LockState.RELEASED) {
			handle.assertHeld();
		}
	}

}
