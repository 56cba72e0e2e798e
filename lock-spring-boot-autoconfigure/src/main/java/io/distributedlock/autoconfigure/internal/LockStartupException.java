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

package io.distributedlock.autoconfigure.internal;

import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the application must not start, because of its settings or of the lock
 * store. The report consists of its message, with the origins of the settings, and the
 * action.
 */
public final class LockStartupException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final ArrayList<Problem> problems;

	private LockStartupException(ArrayList<Problem> problems, @Nullable Throwable cause) {
		super(describe(problems, (setting) -> ""), cause);
		this.problems = problems;
	}

	/**
	 * Create a new instance.
	 * @param problem the problem, in sentences
	 * @param action how to solve it, in sentences
	 */
	public LockStartupException(String problem, String action, @Nullable Throwable cause) {
		this(new ArrayList<>(List.of(new Problem(problem, new LinkedHashMap<>(), action))), cause);
	}

	/**
	 * Create a new instance for properties that contradict each other, or have no effect
	 * as written.
	 * @param settings the properties with their values; those without one are left out
	 */
	public static LockStartupException ofSettings(String problem, Map<String, ? extends @Nullable Object> settings,
			String action, @Nullable Throwable cause) {
		LinkedHashMap<String, String> found = new LinkedHashMap<>();
		settings.forEach((name, value) -> {
			if (value != null) {
				found.put(name, (value instanceof Duration duration) ? Printable.of(duration) : value.toString());
			}
		});
		return new LockStartupException(new ArrayList<>(List.of(new Problem(problem, found, action))), cause);
	}

	/**
	 * Return an exception that reports others together.
	 * @param refused at least one
	 */
	public static LockStartupException ofAll(List<LockStartupException> refused) {
		if (refused.size() == 1) {
			return refused.get(0);
		}
		return new LockStartupException(refused.stream()
			.flatMap((each) -> each.problems.stream())
			.collect(Collectors.toCollection(ArrayList::new)), refused.get(0));
	}

	/**
	 * Return the message, with the origins of the settings.
	 * @param origins returns what follows the value of a setting
	 */
	public String describe(UnaryOperator<String> origins) {
		return describe(this.problems, origins);
	}

	private static String describe(List<Problem> problems, UnaryOperator<String> origins) {
		if (problems.size() == 1) {
			return problems.get(0).alone(origins);
		}
		return "There are %d mistakes in the properties of distributed locks:".formatted(problems.size())
				+ IntStream.range(0, problems.size())
					.mapToObj((index) -> "%n%n%d. %s".formatted(index + 1, problems.get(index).asEntry(origins)))
					.collect(Collectors.joining());
	}

	/**
	 * Return how to solve the problem, in sentences.
	 */
	public String getAction() {
		return (this.problems.size() == 1) ? this.problems.get(0).action() : "Correct the problems listed above.";
	}

	private record Problem(String text, LinkedHashMap<String, String> settings, String action) implements Serializable {

		String alone(UnaryOperator<String> origins) {
			return this.settings.isEmpty() ? this.text : this.text + "%n%nFound:%n".formatted()
					+ found(origins).stream().map("%n    %s"::formatted).collect(Collectors.joining());
		}

		/** As one of several. */
		String asEntry(UnaryOperator<String> origins) {
			return "%s%n   Found:  %s%n   Fix:    %s".formatted(
					this.settings.isEmpty() ? "Distributed locks" : String.join(", ", found(origins)), this.text,
					this.action);
		}

		private List<String> found(UnaryOperator<String> origins) {
			return this.settings.entrySet()
				.stream()
				.map((each) -> each.getKey() + " = " + each.getValue() + origins.apply(each.getKey()))
				.toList();
		}

	}

}
