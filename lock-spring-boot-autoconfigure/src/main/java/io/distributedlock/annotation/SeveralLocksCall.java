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

import org.jspecify.annotations.Nullable;

/**
 * A call that takes several locks, one after the other, before it runs the method.
 *
 * @param invocation how to run a method of this return type
 * @param locks the locks in the order in which they are taken
 * @param position which of the locks is taken next
 * @param call the call
 */
record SeveralLocksCall(LockedInvocation invocation, List<Step> locks, int position,
		LockedCall call) implements LockedCall {

	/**
	 * Run a method under several locks. They are taken in the order of their names, so
	 * that calls which take the same locks never wait for each other, whatever the order
	 * in which the annotations are written.
	 */
	static @Nullable Object invoke(LockedInvocation invocation, List<LockOperation> locks, LockedCall call)
			throws Throwable {
		return new SeveralLocksCall(invocation, inOrder(locks, call), 0, call).invoke();
	}

	/**
	 * Evaluate the names of the locks. If one has none, because its name cannot be
	 * evaluated, all are left as they are: the call will fail with that one.
	 */
	private static List<Step> inOrder(List<LockOperation> locks, LockedCall call) {
		List<Step> steps = new ArrayList<>();
		try {
			for (LockOperation lock : locks) {
				steps.add(new Step(lock, lock.namesFor(call)));
			}
		}
		catch (RuntimeException ex) {
			return locks.stream().map((lock) -> new Step(lock, null)).toList();
		}
		steps.sort(Comparator.comparing(Step::first));
		return steps;
	}

	private @Nullable Object invoke() throws Throwable {
		return this.invocation.invoke(this.locks.get(this.position).lock(), this);
	}

	@Override
	public List<String> namesOf(LockOperation lock) {
		List<String> names = this.locks.get(this.position).names();
		return (names != null) ? names : this.call.namesOf(lock);
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
		int next = this.position + 1;
		return (next < this.locks.size()) ? new SeveralLocksCall(this.invocation, this.locks, next, this.call).invoke()
				: this.call.proceed(arguments);
	}

	@Override
	public LockedCall fork() {
		return new SeveralLocksCall(this.invocation, this.locks, this.position, this.call.fork());
	}

	/**
	 * One of the locks.
	 *
	 * @param lock the lock
	 * @param names its names for this call, empty if the call does not need it;
	 * {@code null} if they are to be evaluated when it is taken
	 */
	record Step(LockOperation lock, @Nullable List<String> names) {

		private String first() {
			return (this.names == null || this.names.isEmpty()) ? "" : Collections.min(this.names);
		}

	}

}
