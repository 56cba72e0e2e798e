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
 * @param written the locks as they are written, as far as they could be read
 * @param invocation how methods of this return type run under a lock
 * @param failure why the definition cannot work, or {@code null} if it can
 */
record LockedMethod(AnnotatedMethod annotated, List<LockOperation> written, LockedInvocation invocation,
		@Nullable InvalidLockDefinitionException failure) implements InspectedMethod {

	@Override
	public List<LockOperation> locks() {
		return (this.failure != null) ? List.of() : this.written;
	}

	@Nullable Object invoke(LockedCall call) throws Throwable {
		if (this.failure != null) {
			throw this.failure;
		}
		return (this.written.size() == 1) ? this.invocation.invoke(this.written.get(0), call)
				: this.invocation.invoke(this.written, call);
	}

}
