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

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.distributedlock.LockHandle;
import io.distributedlock.internal.FireTimes;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Access to the locks that a subscription runs under, in its Reactor context: the
 * counterpart of {@link io.distributedlock.LockContext} for a thread.
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

	private static final Object INNERMOST = ReactiveLockContext.class;

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
	 * Return all locks that a subscription runs under.
	 * @param context the context of the subscription
	 * @return the handles, the innermost first; empty if there are none
	 */
	public static List<LockHandle> all(ContextView context) {
		Frame innermost = context.getOrDefault(INNERMOST, null);
		if (innermost == null) {
			return List.of();
		}
		List<LockHandle> handles = new ArrayList<>();
		for (Frame frame = innermost; frame != null; frame = frame.outer()) {
			handles.add(frame.handle());
		}
		return handles;
	}

	/**
	 * Return a lock that a subscription runs under.
	 * @param context the context of the subscription
	 * @param name the name of the lock
	 * @return the innermost handle on a lock of this name that is still held, whichever
	 * lock service it comes from; empty if there is none
	 */
	public static Optional<LockHandle> find(ContextView context, String name) {
		return all(context).stream()
			.flatMap((handle) -> handle.parts().stream())
			.filter((part) -> part.name().equals(name) && part.isHeld())
			.findFirst();
	}

	/**
	 * Return the fire time for which a subscription runs a job that is annotated with
	 * {@link io.distributedlock.annotation.OncePerFireTime}.
	 * @param context the context of the subscription
	 * @return the fire time of the innermost job; empty if there is none
	 * @see io.distributedlock.scheduling.FireTime#current()
	 */
	public static Optional<Instant> fireTime(ContextView context) {
		return all(context).stream().map(FireTimes::of).filter(Objects::nonNull).findFirst();
	}

	/**
	 * Let inner subscriptions take part in a lock: acquisitions of the same name by the
	 * same lock service re-enter it. Intended for code that carries a lock to places that
	 * the context does not reach.
	 * @param context the context so far
	 * @param handle the lock, which must be held when inner subscriptions ask for it
	 * @return the context for inner subscriptions
	 */
	public static Context with(Context context, LockHandle handle) {
		Frame outer = context.getOrDefault(INNERMOST, null);
		return context.put(INNERMOST, new Frame(handle, outer)).put(LockHandle.class, handle);
	}

	/**
	 * A lock and those around it.
	 *
	 * @param outer the frame around it, or {@code null} for none
	 */
	private record Frame(LockHandle handle, @Nullable Frame outer) {

	}

}
