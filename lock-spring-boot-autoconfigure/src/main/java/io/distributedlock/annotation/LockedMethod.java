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

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A method with its locks.
 *
 * @param reference the method
 * @param locks the locks, the outermost first; none if the definition cannot work
 * @param invocation how methods of this return type run under a lock
 * @param failure why the definition cannot work, or {@code null} if it can
 */
record LockedMethod(LockedMethodReference reference, List<LockSpecification> locks, LockedInvocation invocation,
		@Nullable InvalidLockDefinitionException failure) {

	LockedMethod(LockedMethodReference reference, List<LockSpecification> locks, LockedInvocation invocation) {
		this(reference, locks, invocation, null);
	}

	/**
	 * Return a method that throws when it is called, because its definition cannot work.
	 */
	static LockedMethod failing(LockedMethodReference reference, InvalidLockDefinitionException failure) {
		return new LockedMethod(reference, List.of(), (lock, call) -> null, failure);
	}

	@Nullable Object invoke(LockedCall call) throws Throwable {
		if (this.failure != null) {
			throw this.failure;
		}
		LockedCall inner = call;
		for (int i = this.locks.size() - 1; i > 0; i--) {
			inner = new NestedCall(this.invocation, this.locks.get(i), inner);
		}
		return this.invocation.invoke(this.locks.get(0), inner);
	}

	/**
	 * A call that takes one more lock.
	 *
	 * @param invocation how to run it
	 * @param lock the lock
	 * @param inner what to run under it
	 */
	private record NestedCall(LockedInvocation invocation, LockSpecification lock,
			LockedCall inner) implements LockedCall {

		@Override
		public @Nullable Object target() {
			return this.inner.target();
		}

		@Override
		public @Nullable Object[] arguments() {
			return this.inner.arguments();
		}

		@Override
		public @Nullable Object proceed(@Nullable Object[] arguments) throws Throwable {
			return this.invocation.invoke(this.lock, this.inner);
		}

	}

}
