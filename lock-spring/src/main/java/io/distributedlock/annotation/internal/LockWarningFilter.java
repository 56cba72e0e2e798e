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

package io.distributedlock.annotation.internal;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.LockFinding.Severity;
import io.distributedlock.annotation.SuppressLockWarnings;

import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Removes the warnings that {@link SuppressLockWarnings @SuppressLockWarnings}
 * suppresses. Annotations are only looked up where there is a warning.
 */
public final class LockWarningFilter {

	private LockWarningFilter() {
	}

	/**
	 * Return the errors, and the warnings that are not silenced.
	 * @param methods the methods that the findings may be about
	 */
	public static List<LockFinding> of(Collection<LockFinding> found, Class<?> type, Stream<Method> methods) {
		if (found.stream().noneMatch(LockWarningFilter::isWarning)) {
			return List.copyOf(found);
		}
		boolean all = isSilent(type);
		List<AnnotatedMethod> silent = all ? List.of()
				: methods.filter(LockWarningFilter::isSilent)
					.map((method) -> new AnnotatedMethod(method, type))
					.toList();
		return found.stream()
			.filter((finding) -> !isWarning(finding)
					|| !(all || silent.stream().anyMatch((method) -> isAbout(finding, method))))
			.toList();
	}

	public static List<LockFinding> of(Collection<LockFinding> found, AnnotatedMethod method) {
		return of(found, method.targetClass(), Stream.of(method.method()));
	}

	/**
	 * Return whether all warnings of a method are silenced.
	 */
	public static boolean isSilent(AnnotatedMethod method) {
		return method.isAnnotated(SuppressLockWarnings.class.getName());
	}

	/**
	 * Return where warnings about a class are suppressed, whether there are any or not.
	 */
	public static Stream<String> suppressed(Class<?> type) {
		return Stream.concat(isSilent(type) ? Stream.of(type.getName()) : Stream.of(),
				AnnotatedMethod.methodsOf(type)
					.filter(LockWarningFilter::isSilent)
					.map((method) -> new AnnotatedMethod(method, type).description()));
	}

	private static boolean isWarning(LockFinding finding) {
		return finding.severity() == Severity.WARNING;
	}

	private static boolean isSilent(AnnotatedElement element) {
		return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).isPresent(SuppressLockWarnings.class);
	}

	/**
	 * A call within a lambda is reported without the parameters of the method around it.
	 */
	private static boolean isAbout(LockFinding finding, AnnotatedMethod method) {
		return finding.location().equals(method.description()) || finding.location().equals(method.qualifiedName());
	}

}
