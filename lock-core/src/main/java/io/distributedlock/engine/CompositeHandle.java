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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import io.distributedlock.LockHandle;
import io.distributedlock.internal.Failures;
import io.distributedlock.internal.JoinedHandle;
import org.jspecify.annotations.Nullable;

/**
 * The handle on several locks. Starts the releases of all parts, the last one first,
 * before it waits for the answers.
 */
final class CompositeHandle extends JoinedHandle {

	private final List<Handle> handles;

	CompositeHandle(List<Handle> handles) {
		super(handles);
		this.handles = List.copyOf(handles);
	}

	/**
	 * Re-enter several locks, or none.
	 */
	static Optional<LockHandle> reenter(List<LockHandle> parts, Function<LockHandle, @Nullable Handle> entry) {
		List<Handle> inner = new ArrayList<>(parts.size());
		try {
			for (LockHandle part : parts) {
				Handle again = entry.apply(part);
				if (again == null) {
					inner.forEach(Handle::close);
					return Optional.empty();
				}
				inner.add(again);
			}
		}
		catch (RuntimeException ex) {
			inner.forEach(Handle::close);
			throw ex;
		}
		return Optional.of(new CompositeHandle(inner));
	}

	/**
	 * The caller waits for the answers itself, and needs no other thread.
	 */
	@Override
	public void extend(Duration additional) {
		assertHeld();
		Failures.join("", all(this.handles, (part) -> part.requestExtension(additional)));
	}

	@Override
	public void release() {
		forEach(startReleases(), Handle.Release::awaitStrictly);
	}

	@Override
	public void close() {
		startReleases().forEach(Handle.Release::finish);
	}

	private List<Handle.Release> startReleases() {
		this.handles.forEach(Handle::closing);
		List<Handle.Release> releases = new ArrayList<>(this.handles.size());
		for (int i = this.handles.size() - 1; i >= 0; i--) {
			releases.add(this.handles.get(i).startRelease());
		}
		return releases;
	}

}
