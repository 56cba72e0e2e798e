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

package io.distributedlock.leadership.annotation.internal;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.annotation.LeaderOnly;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Knows which methods only the leader runs.
 */
final class LeaderOnlyMethods {

	private final Map<MethodClassKey, Optional<LeaderOnlyMethod>> methods = new ConcurrentHashMap<>();

	private final ObjectProvider<Leadership> leaderships;

	LeaderOnlyMethods(ObjectProvider<Leadership> leaderships) {
		this.leaderships = leaderships;
	}

	static boolean isAnnotated(Method method) {
		return annotation(method).isPresent();
	}

	@Nullable LeaderOnlyMethod find(Method method, Class<?> targetClass) {
		MethodClassKey key = new MethodClassKey(method, targetClass);
		Optional<LeaderOnlyMethod> known = this.methods.get(key);
		if (known == null) {
			known = Optional.ofNullable(compute(method, ClassUtils.getUserClass(targetClass)));
			this.methods.put(key, known);
		}
		return known.orElse(null);
	}

	Collection<LeaderOnlyMethod> found() {
		return this.methods.values().stream().flatMap(Optional::stream).toList();
	}

	private @Nullable LeaderOnlyMethod compute(Method method, Class<?> targetClass) {
		Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
		for (Method each : List.of(specific, method)) {
			MergedAnnotation<LeaderOnly> annotation = annotation(each);
			if (annotation.isPresent()) {
				return new LeaderOnlyMethod(new AnnotatedMethod(specific, targetClass), annotation.getString("value"),
						this.leaderships);
			}
		}
		return null;
	}

	private static MergedAnnotation<LeaderOnly> annotation(Method method) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(LeaderOnly.class);
	}

}
