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

package io.distributedlock.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

import org.jspecify.annotations.Nullable;

/**
 * What each thread has locked through {@link LockView} and not unlocked yet, innermost
 * first. A thread that dies takes its handles with it.
 */
final class ViewLocks {

	private final ThreadLocal<Deque<Handle>> handles = ThreadLocal.withInitial(ArrayDeque::new);

	void push(Handle handle) {
		this.handles.get().push(handle);
	}

	@Nullable Handle pop(String name) {
		Deque<Handle> open = this.handles.get();
		Handle found = null;
		for (Iterator<Handle> each = open.iterator(); each.hasNext() && found == null;) {
			Handle handle = each.next();
			if (handle.name().equals(name)) {
				each.remove();
				found = handle;
			}
		}
		if (open.isEmpty()) {
			this.handles.remove();
		}
		return found;
	}

}
