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

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockWarningFilter;
import io.distributedlock.annotation.internal.ReactiveTypes;
import io.distributedlock.internal.Printable;
import io.distributedlock.transaction.internal.DeclaredTransaction;

/**
 * Looks for methods whose fencing was forgotten.
 */
final class UnfencedMethods {

	/** A text in an expression. */
	private static final Pattern TEXT = Pattern.compile("'((?:[^']|'')*)'");

	private UnfencedMethods() {
	}

	/**
	 * Find methods whose writes are not fenced, although another method fences locks of
	 * the same names. Those that write nothing in a transaction, and those that cannot be
	 * fenced, are not among them.
	 */
	static List<LockFinding> in(Collection<? extends InspectedMethod> methods) {
		Map<String, String> fenced = new HashMap<>();
		methods.forEach((method) -> method.locks()
			.stream()
			.filter((lock) -> lock.attributes().fenced())
			.flatMap(UnfencedMethods::patterns)
			.forEach((pattern) -> fenced.merge(pattern, method.annotated().description(),
					(one, other) -> (one.compareTo(other) <= 0) ? one : other)));
		if (fenced.isEmpty()) {
			return List.of();
		}
		return methods.stream()
			.filter((method) -> mayWriteInTransaction(method.annotated()))
			.flatMap((method) -> method.locks()
				.stream()
				.filter((lock) -> !lock.attributes().fenced())
				.flatMap(UnfencedMethods::patterns)
				.filter(fenced::containsKey)
				.limit(1)
				.flatMap((pattern) -> LockWarningFilter.of(List.of(method.annotated()
					.warning(
							"It is @Transactional and its locks are named like those that %s fences ('%s'), but it is not fenced: a late holder can write in it."
								.formatted(fenced.get(pattern), Printable.of(pattern)),
							"Add fenced = true. Or, if it writes nothing that the other one protects, say so with @SuppressLockWarnings, or readOnly = true.")),
						method.annotated())
					.stream()))
			.toList();
	}

	private static boolean mayWriteInTransaction(AnnotatedMethod method) {
		DeclaredTransaction transactional = DeclaredTransaction.on(method.method(), method.targetClass(),
				method.method().getDeclaringClass());
		return transactional != null && !transactional.readOnly() && transactional.isTransactional()
				&& ReactiveTypes.adapterFor(method) == null;
	}

	/**
	 * The fixed parts of the names, because two methods seldom use the same name for an
	 * argument.
	 */
	private static Stream<String> patterns(InspectedMethod.Lock lock) {
		return lock.names().asWritten().stream().map((name) -> {
			if (!name.contains("'")) {
				return name;
			}
			return TEXT.matcher(name).results().map((text) -> text.group(1)).collect(Collectors.joining("*", "", "*"));
		});
	}

}
