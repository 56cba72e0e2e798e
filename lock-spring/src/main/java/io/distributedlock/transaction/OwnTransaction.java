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

package io.distributedlock.transaction;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Knows which methods do not take part in the transaction of their caller, because they
 * have one of their own or none: their locks are released when they are done. If they
 * were kept until the caller's transaction has completed, a loop over such a method would
 * accumulate locks, and their expiry would roll that transaction back for no reason.
 */
final class OwnTransaction {

	private static final Set<String> INDEPENDENT = Set.of("REQUIRES_NEW", "NOT_SUPPORTED", "NEVER");

	private OwnTransaction() {
	}

	/**
	 * Return whether a method does not take part in the transaction of its caller.
	 */
	static boolean isIndependent(Method method) {
		String propagation = propagation(method);
		if (propagation == null) {
			propagation = propagation(method.getDeclaringClass());
		}
		return INDEPENDENT.contains(Objects.requireNonNullElse(propagation, ""));
	}

	private static @Nullable String propagation(AnnotatedElement element) {
		MergedAnnotations annotations = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
		MergedAnnotation<?> transactional = annotations.get("org.springframework.transaction.annotation.Transactional");
		if (transactional.isPresent()) {
			return transactional.getValue("propagation").map(String::valueOf).orElse(null);
		}
		MergedAnnotation<?> jakarta = annotations.get("jakarta.transaction.Transactional");
		return jakarta.isPresent() ? jakarta.getValue("value").map(String::valueOf).orElse(null) : null;
	}

}
