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

package io.distributedlock.annotation.internal.expression;

import java.lang.reflect.Method;

import io.distributedlock.annotation.internal.AnnotatedMethod;
import org.jspecify.annotations.Nullable;

/**
 * The object that expressions access as {@code #root}.
 */
public final class LockExpressionRoot {

	private final AnnotatedMethod method;

	private final @Nullable Object target;

	private final @Nullable Object[] args;

	LockExpressionRoot(AnnotatedMethod method, @Nullable Object target, @Nullable Object[] args) {
		this.method = method;
		this.target = target;
		this.args = args;
	}

	public Method getMethod() {
		return this.method.method();
	}

	public Class<?> getTargetClass() {
		return this.method.targetClass();
	}

	public @Nullable Object getTarget() {
		return this.target;
	}

	public @Nullable Object[] getArgs() {
		return this.args;
	}

}
