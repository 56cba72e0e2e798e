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

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.annotation.InvalidLockDefinitionException;
import io.distributedlock.annotation.LockFinding;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.annotation.internal.LockAttributes;
import io.distributedlock.annotation.internal.LockWarningFilter;
import io.distributedlock.annotation.internal.ReactiveTypes;
import io.distributedlock.internal.LockAttribute;
import io.distributedlock.internal.Printable;
import io.distributedlock.transaction.internal.DeclaredTransaction;
import org.jspecify.annotations.Nullable;

/**
 * Compares the methods that lock the same names.
 */
final class NeighbourInspector {

	private NeighbourInspector() {
	}

	static List<LockFinding> of(Collection<? extends InspectedMethod> methods) {
		List<LockFinding> findings = new ArrayList<>(unfenced(methods));
		findings.addAll(differentHolders(methods));
		findings.addAll(differentCase(methods));
		return findings;
	}

	/**
	 * Find names that differ in nothing but capital letters.
	 */
	private static List<LockFinding> differentCase(Collection<? extends InspectedMethod> methods) {
		Map<String, SortedMap<String, AnnotatedMethod>> spellings = new TreeMap<>();
		methods.forEach((method) -> method.locks()
			.stream()
			.flatMap(NeighbourInspector::patterns)
			.forEach((name) -> spellings.computeIfAbsent(name.toLowerCase(Locale.ROOT), (key) -> new TreeMap<>())
				.putIfAbsent(name, method.annotated())));
		List<LockFinding> findings = new ArrayList<>();
		spellings.values().stream().filter((each) -> each.size() > 1).forEach((each) -> {
			List<Map.Entry<String, AnnotatedMethod>> sorted = List.copyOf(each.entrySet());
			Map.Entry<String, AnnotatedMethod> first = sorted.get(0);
			Map.Entry<String, AnnotatedMethod> last = sorted.get(sorted.size() - 1);
			findings.addAll(LockWarningFilter.of(List.of(last.getValue()
				.warning("Its lock '%s' is another one than '%s' of %s: capital letters make a difference.".formatted(
						Printable.of(last.getKey()), Printable.of(first.getKey()), first.getValue().description()),
						"Write both names alike, or choose names that differ more.")),
					last.getValue()));
		});
		return findings;
	}

	/**
	 * Find methods with unfenced writes although another method fences locks of the same
	 * names. Methods without writes in a transaction and methods that cannot be fenced
	 * are skipped.
	 */
	private static List<LockFinding> unfenced(Collection<? extends InspectedMethod> methods) {
		Map<String, String> fenced = new HashMap<>();
		methods.forEach((method) -> method.locks()
			.stream()
			.filter((lock) -> lock.attributes().fenced())
			.flatMap((lock) -> lock.names().patterns())
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
				.flatMap((lock) -> lock.names().patterns())
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

	private static List<LockFinding> differentHolders(Collection<? extends InspectedMethod> methods) {
		Map<String, List<Use>> uses = new TreeMap<>();
		for (InspectedMethod method : methods) {
			for (InspectedMethod.Lock lock : method.locks()) {
				LockOptions options = optionsOf(lock);
				if (options != null) {
					patterns(lock).forEach((name) -> uses.computeIfAbsent(name, (key) -> new ArrayList<>())
						.add(new Use(method.annotated(), options, lock.names().areEvaluated())));
				}
			}
		}
		List<LockFinding> findings = new ArrayList<>();
		uses.forEach((name, same) -> {
			if (same.stream().map(Use::options).noneMatch(LockAttributes::acceptsOthers)) {
				return;
			}
			same.sort(Comparator.comparing((use) -> use.method().description()));
			differentPermits(name, same, findings);
			onlyShared(name, same, findings);
		});
		return findings;
	}

	/**
	 * Return the names, with a star for each part that depends on the call, but none that
	 * depends on it as a whole.
	 */
	private static Stream<String> patterns(InspectedMethod.Lock lock) {
		List<String> written = lock.names().asWritten();
		return lock.names().patterns().filter((name) -> !lock.names().areEvaluated() || !written.contains(name));
	}

	/**
	 * Return {@code null} if they contradict each other, which is reported already.
	 */
	private static @Nullable LockOptions optionsOf(InspectedMethod.Lock lock) {
		try {
			return lock.options().get();
		}
		catch (InvalidLockDefinitionException ex) {
			return null;
		}
	}

	/**
	 * A method without permits shuts out all but one.
	 */
	private static void differentPermits(String name, List<Use> uses, List<LockFinding> findings) {
		Use limited = uses.stream().filter(Use::isLimited).findFirst().orElse(null);
		if (limited == null) {
			return;
		}
		uses.stream()
			.filter((use) -> use.options().permits() != LockAttribute.PERMITS_OF_CALL
					&& !use.holders().equals(limited.holders()))
			.findFirst()
			.ifPresent((use) -> warn(use, findings,
					"It allows %s of lock '%s', and %s allows %s: the smaller number applies as long as a caller that asked for it holds the lock."
						.formatted(use.holders(), Printable.of(name), limited.method().description(),
								limited.options().permits()),
					"Give both the same permits, for example with a placeholder in permitsString." + (use.isLimited()
							? "" : " If they are meant to differ, say so with @SuppressLockWarnings.")));
	}

	/**
	 * A single one of many names may be locked exclusively somewhere else.
	 */
	private static void onlyShared(String name, List<Use> uses, List<LockFinding> findings) {
		if (uses.stream().noneMatch(Use::evaluated)
				&& uses.stream().allMatch((use) -> use.options().mode() == LockMode.SHARED)) {
			warn(uses.get(0), findings,
					"It locks '%s' shared, and no method locks it exclusively: it keeps nobody out."
						.formatted(Printable.of(name)),
					"Lock it exclusively where it is written. If that happens elsewhere, say so with @SuppressLockWarnings.");
		}
	}

	private static void warn(Use use, List<LockFinding> findings, String problem, String action) {
		findings.addAll(LockWarningFilter.of(List.of(use.method().warning(problem, action)), use.method()));
	}

	private record Use(AnnotatedMethod method, LockOptions options, boolean evaluated) {

		String holders() {
			int permits = this.options.permits();
			return (this.options.mode() == LockMode.SHARED) ? "any number of holders"
					: permits + ((permits == 1) ? " holder" : " holders");
		}

		boolean isLimited() {
			return this.options.permits() > 1 && this.options.permits() != LockAttribute.PERMITS_OF_CALL;
		}

	}

}
