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

import java.lang.reflect.Method;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Matches the methods that have locks, of classes that can have a proxy.
 */
final class LockPointcut extends StaticMethodMatcherPointcut {

	private final LockedMethodRegistry registry;

	LockPointcut(LockedMethodRegistry registry) {
		this.registry = registry;
		setClassFilter(new CandidateFilter(registry));
	}

	@Override
	public boolean matches(Method method, Class<?> targetClass) {
		return this.registry.source().find(method, targetClass) != null;
	}

	/**
	 * Rejects classes that cannot have the annotation, or no proxy.
	 *
	 * @param registry knows whether there can be a proxy
	 */
	private record CandidateFilter(LockedMethodRegistry registry) implements ClassFilter {

		@Override
		public boolean matches(Class<?> type) {
			return AnnotationUtils.isCandidateClass(type, DistributedLock.class) && this.registry.isProxyable(type);
		}

	}

}
