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

package io.distributedlock.annotation.internal.validation;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.distributedlock.LockOptions;
import io.distributedlock.annotation.InvalidLockDefinitionException;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockAttributes;
import io.distributedlock.annotation.internal.expression.LockExpressionParser;
import io.distributedlock.annotation.internal.expression.LockNameExpressions;
import org.jspecify.annotations.Nullable;

/**
 * A method with locks, as the validation sees it.
 */
public interface InspectedMethod {

	AnnotatedMethod annotated();

	/**
	 * Return the locks as they are written; none if the definition cannot work.
	 */
	List<? extends Lock> locks();

	/**
	 * Return the locks as far as they could be read, also if the definition cannot work.
	 */
	List<? extends Lock> written();

	/**
	 * Return why the definition cannot work, with further reasons as suppressed
	 * exceptions, or {@code null} if it can.
	 */
	@Nullable InvalidLockDefinitionException failure();

	/**
	 * Return whether it is annotated with {@code @OncePerFireTime}.
	 */
	default boolean isJob() {
		return locks().stream().anyMatch((lock) -> lock.attributes().once() != null);
	}

	interface Lock {

		LockAttributes attributes();

		LockExpressionParser.Scope scope();

		LockNameExpressions names();

		/**
		 * Return the options, which are resolved when they are first asked for.
		 * @return fails with an {@link InvalidLockDefinitionException} if they contradict
		 * each other
		 */
		Supplier<LockOptions> options();

		/**
		 * Return the warnings about the schedule of a job.
		 * @param options those of the lock, or others that it could have
		 */
		List<LockFinding> warnings(LockOptions options);

		/**
		 * Create everything that the first fenced transaction needs.
		 * @throws InvalidLockDefinitionException if no transaction would claim the fence
		 */
		void prepareFence();

	}

	interface Source {

		boolean isCandidate(Class<?> type);

		/**
		 * Return the methods and classes with an annotation of another package that has
		 * the name of ours.
		 */
		Map<AnnotatedElement, Class<? extends Annotation>> namesakes();

		@Nullable InspectedMethod find(Method method, Class<?> targetClass);

		/**
		 * Return the methods that were found so far.
		 */
		Collection<? extends InspectedMethod> found();

	}

}
