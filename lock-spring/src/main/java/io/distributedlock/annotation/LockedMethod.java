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

import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockedCall;
import io.distributedlock.annotation.internal.validation.InspectedMethod;
import org.jspecify.annotations.Nullable;

/**
 * A method with its locks.
 *
 * @param locks the locks as they are written; none if the definition cannot work
 * @param invocation how methods of this return type run under a lock
 * @param failure why the definition cannot work, or {@code null} if it can
 */
record LockedMethod(AnnotatedMethod annotated, List<LockOperation> locks, LockedInvocation invocation,
		@Nullable InvalidLockDefinitionException failure) implements InspectedMethod {

	LockedMethod(AnnotatedMethod annotated, List<LockOperation> locks, LockedInvocation invocation) {
		this(annotated, locks, invocation, null);
	}

	static LockedMethod failing(AnnotatedMethod annotated, InvalidLockDefinitionException failure) {
		return new LockedMethod(annotated, List.of(), (lock, call) -> null, failure);
	}

	@Nullable Object invoke(LockedCall call) throws Throwable {
		if (this.failure != null) {
			throw this.failure;
		}
		return (this.locks.size() == 1) ? this.invocation.invoke(this.locks.get(0), call)
				: this.invocation.invoke(this.locks, call);
	}

}
