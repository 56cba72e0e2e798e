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
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ParameterNameDiscoverer;

/**
 * The variables that the expressions of one method know: its parameters by name and by
 * position.
 */
final class LockVariables {

	private static final int FAR = 3;

	private final String @Nullable [] names;

	private final int count;

	private final Map<String, Integer> positions = new HashMap<>();

	LockVariables(Method method, ParameterNameDiscoverer discoverer) {
		this.names = discoverer.getParameterNames(method);
		this.count = method.getParameterCount();
		for (int position = 0; position < this.count; position++) {
			this.positions.put("p" + position, position);
			this.positions.put("a" + position, position);
		}
		if (this.names != null) {
			for (int position = 0; position < this.names.length; position++) {
				this.positions.put(this.names[position], position);
			}
		}
	}

	/**
	 * Return the position of the parameter that the variable stands for.
	 * @param variable the variable without its mark
	 * @return the position, or {@code null} if there is no such variable
	 */
	@Nullable Integer positionOf(String variable) {
		return this.positions.get(variable);
	}

	/**
	 * Return what to do about an unknown variable.
	 * @param variable the variable without its mark
	 * @return sentences
	 */
	String adviceFor(String variable) {
		if (this.count == 0) {
			return "The method has no parameters.";
		}
		String positional = IntStream.range(0, this.count).mapToObj((p) -> "#p" + p).collect(Collectors.joining(", "));
		if (this.names == null) {
			return "The class file has no parameter names: compile with the option -parameters, or use " + positional
					+ ".";
		}
		String known = Arrays.stream(this.names).map((name) -> "#" + name).collect(Collectors.joining(", "));
		String nearest = nearestTo(variable);
		return ((nearest != null) ? "Did you mean #" + nearest + "? " : "") + "Known are " + known + " (or "
				+ positional + ").";
	}

	private @Nullable String nearestTo(String variable) {
		String nearest = null;
		int smallest = FAR;
		for (String name : (this.names != null) ? this.names : new String[0]) {
			int distance = distance(variable.toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT));
			if (distance < smallest) {
				nearest = name;
				smallest = distance;
			}
		}
		return nearest;
	}

	/**
	 * Levenshtein's edit distance.
	 */
	private static int distance(String a, String b) {
		int[] row = IntStream.rangeClosed(0, b.length()).toArray();
		for (int i = 1; i <= a.length(); i++) {
			int diagonal = row[0];
			row[0] = i;
			for (int j = 1; j <= b.length(); j++) {
				int replaced = diagonal + ((a.charAt(i - 1) != b.charAt(j - 1)) ? 1 : 0);
				diagonal = row[j];
				row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
			}
		}
		return row[b.length()];
	}

}
