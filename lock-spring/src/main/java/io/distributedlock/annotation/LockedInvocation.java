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

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

import io.distributedlock.LockHandle;
import io.distributedlock.annotation.internal.LockedCall;
import org.jspecify.annotations.Nullable;

/**
 * Runs methods of one kind of return type under a lock.
 */
interface LockedInvocation {

	/**
	 * Acquire the lock, run the method and release the lock when its work is done.
	 */
	@Nullable Object invoke(LockOperation lock, LockedCall call) throws Throwable;

	/**
	 * Acquire several locks, run the method and release the locks when its work is done.
	 */
	default @Nullable Object invoke(List<LockOperation> locks, LockedCall call) throws Throwable {
		return new SeveralLocksCall(this, SeveralLocksCall.inOrder(locks, call), List.of(), 0, call).invoke();
	}

	/**
	 * A call that takes several locks, one after the other, before it runs the method.
	 * One of them may be lost while it waits for the next: then the method does not run.
	 *
	 * @param held those that were taken
	 * @param position which of the locks is taken next
	 */
	record SeveralLocksCall(LockedInvocation invocation, List<LockOperation> locks, List<LockHandle> held, int position,
			LockedCall call) implements LockedCall {

		/**
		 * Order the locks by their names, so that calls that take the same ones never
		 * deadlock, regardless of the order of the annotations. If a name cannot be
		 * evaluated, all are left as they are: the call will fail with that one.
		 */
		static List<LockOperation> inOrder(List<LockOperation> locks, LockedCall call) {
			List<LockOperation> named = new ArrayList<>();
			try {
				for (LockOperation lock : locks) {
					named.add(lock.named(lock.namesFor(call)));
				}
			}
			catch (RuntimeException ex) {
				return locks;
			}
			named.sort(Comparator.comparing((lock) -> first(lock.namesFor(call))));
			return named;
		}

		private static String first(List<String> names) {
			return names.isEmpty() ? "" : Collections.min(names);
		}

		private @Nullable Object invoke() throws Throwable {
			return this.invocation.invoke(this.locks.get(this.position), this);
		}

		@Override
		public @Nullable Object target() {
			return this.call.target();
		}

		@Override
		public @Nullable Object[] arguments() {
			return this.call.arguments();
		}

		@Override
		public @Nullable Object proceed(@Nullable Object[] arguments) throws Throwable {
			return proceed(null, arguments);
		}

		@Override
		public @Nullable Object proceed(@Nullable LockHandle handle, @Nullable Object[] arguments) throws Throwable {
			List<LockHandle> all = new ArrayList<>(this.held);
			if (handle != null) {
				all.add(handle);
			}
			int next = this.position + 1;
			if (next < this.locks.size()) {
				return new SeveralLocksCall(this.invocation, this.locks, all, next, this.call).invoke();
			}
			all.forEach(LockHandle::assertHeld);
			return this.call.proceed(arguments);
		}

		@Override
		public LockedCall fork() {
			return new SeveralLocksCall(this.invocation, this.locks, this.held, this.position, this.call.fork());
		}

	}

}
