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

package io.distributedlock.transaction.internal;

import java.lang.reflect.AnnotatedElement;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * The {@code @Transactional} attributes of a method. Reads the annotations of Spring and
 * of Jakarta, which need not be on the class path.
 *
 * @param manager the name of the transaction manager, or an empty text
 */
public record DeclaredTransaction(String propagation, boolean readOnly, String manager) {

	private static final Set<String> INDEPENDENT = Set.of("REQUIRES_NEW", "NOT_SUPPORTED", "NEVER");

	private static final Set<String> NONE_BEGINS = Set.of("SUPPORTS", "NOT_SUPPORTED", "NEVER");

	/**
	 * Return the attributes of the first annotation, or {@code null} if there is none.
	 * @param elements where it may stand, the nearest first
	 */
	public static @Nullable DeclaredTransaction on(AnnotatedElement... elements) {
		return Stream.of(elements).map(DeclaredTransaction::on).filter(Objects::nonNull).findFirst().orElse(null);
	}

	private static @Nullable DeclaredTransaction on(AnnotatedElement element) {
		MergedAnnotations annotations = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY);
		MergedAnnotation<?> spring = annotations.get("org.springframework.transaction.annotation.Transactional");
		if (spring.isPresent()) {
			return new DeclaredTransaction(propagation(spring, "propagation"), spring.getBoolean("readOnly"),
					spring.getString("transactionManager"));
		}
		MergedAnnotation<?> jakarta = annotations.get("jakarta.transaction.Transactional");
		return jakarta.isPresent() ? new DeclaredTransaction(propagation(jakarta, "value"), false, "") : null;
	}

	private static String propagation(MergedAnnotation<?> annotation, String attribute) {
		return String.valueOf(annotation.getValue(attribute).orElse("REQUIRED"));
	}

	/**
	 * Return whether a transaction may begin with the method, or be that of its caller.
	 */
	public boolean isTransactional() {
		return !NONE_BEGINS.contains(this.propagation);
	}

	/**
	 * Return whether the method has a transaction of its own, or none. Its locks are
	 * released when it is done: if its caller's transaction kept them, a loop over such a
	 * method would accumulate locks, and their expiry would roll that transaction back
	 * for no reason.
	 */
	boolean isIndependent() {
		return INDEPENDENT.contains(this.propagation);
	}

}
