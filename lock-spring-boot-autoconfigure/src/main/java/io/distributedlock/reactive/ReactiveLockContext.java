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

package io.distributedlock.reactive;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import io.distributedlock.LockHandle;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The locks that a subscription runs under, in its Reactor context: what
 * {@link io.distributedlock.LockContext} is for a thread.
 *
 * <pre class="code">
 * Mono.deferContextual((context) -&gt; repository.save(order,
 *         ReactiveLockContext.current(context).orElseThrow().fencingToken()));
 * </pre>
 *
 * <p>
 * The innermost handle is also found directly, under the key {@code LockHandle.class}.
 *
 * @since 0.1.0
 */
public final class ReactiveLockContext {

	/**
	 * The key of the locks by name.
	 */
	private static final Object BY_NAME = ReactiveLockContext.class;

	private ReactiveLockContext() {
	}

	/**
	 * Return the innermost lock that a subscription runs under.
	 * @param context the context of the subscription
	 * @return the handle, or empty if there is none
	 */
	public static Optional<LockHandle> current(ContextView context) {
		return context.getOrEmpty(LockHandle.class);
	}

	/**
	 * Return a lock that a subscription runs under.
	 * @param context the context of the subscription
	 * @param name the name of the lock
	 * @return the handle, or empty if it does not run under this lock, or the lock is no
	 * longer held
	 */
	public static Optional<LockHandle> find(ContextView context, String name) {
		Map<String, LockHandle> byName = context.getOrDefault(BY_NAME, Map.of());
		return Optional.ofNullable(byName.get(name)).filter(LockHandle::isHeld);
	}

	/**
	 * Let what is subscribed to within take part in a lock. For code that takes a lock
	 * along to where the context does not lead.
	 * @param context the context so far
	 * @param handle the lock, which must be held for as long as what is within
	 * @return the context for what is within
	 */
	public static Context with(Context context, LockHandle handle) {
		Map<String, LockHandle> byName = new HashMap<>(context.getOrDefault(BY_NAME, Map.of()));
		for (LockHandle part : handle.parts()) {
			byName.put(part.name(), part);
		}
		return context.put(BY_NAME, Map.copyOf(byName)).put(LockHandle.class, handle);
	}

}
