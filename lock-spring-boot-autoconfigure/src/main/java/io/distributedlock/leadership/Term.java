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

package io.distributedlock.leadership;

import java.util.HashSet;
import java.util.Set;

import io.distributedlock.LockHandle;

/**
 * The time for which a candidate leads. Guarded by its campaign, but for the handles.
 */
final class Term {

	/** Closed when the leader resigns. */
	final LockHandle handle;

	/** For user code, which may close it: another handle on the same hold. */
	final LockHandle view;

	/** The callbacks were, or are about to be, told of the election. */
	boolean announced;

	/** The candidate does not lead any more. */
	boolean over;

	/** The callbacks were told of the end. */
	boolean revoked;

	/** The threads that call back, whose callbacks have not returned. */
	final Set<Thread> callers = new HashSet<>();

	/** Calls that wait for a thread. */
	int pending;

	Term(LockHandle handle, LockHandle view) {
		this.handle = handle;
		this.view = view;
	}

	boolean isQuiet() {
		return this.callers.isEmpty() && this.pending == 0;
	}

	void release() {
		this.view.close();
		this.handle.close();
	}

}
