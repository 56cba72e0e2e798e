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

package io.distributedlock.annotation.internal.expression;

import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.annotation.internal.SimilarNames;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ParameterNameDiscoverer;

/**
 * The variables that the expressions of one method know: its parameters by name and by
 * position.
 */
final class LockVariables {

	private final Set<String> known = new LinkedHashSet<>();

	private final int count;

	private final Map<String, Integer> positions = new HashMap<>();

	/**
	 * Create the variables of a method.
	 * @param declaring the method that has the annotation, which this one may override or
	 * implement: its parameter names take precedence
	 */
	LockVariables(Method method, Method declaring, ParameterNameDiscoverer discoverer) {
		this.count = method.getParameterCount();
		for (int position = 0; position < this.count; position++) {
			this.positions.put("p" + position, position);
			this.positions.put("a" + position, position);
		}
		add(discoverer.getParameterNames(method));
		if (!declaring.equals(method) && declaring.getParameterCount() == this.count) {
			add(discoverer.getParameterNames(declaring));
		}
	}

	private void add(@Nullable String @Nullable [] names) {
		for (int position = 0; names != null && position < names.length; position++) {
			if (names[position] != null) {
				this.known.add(names[position]);
				this.positions.put(names[position], position);
			}
		}
	}

	/**
	 * Return the names of the parameters.
	 * @return the names, empty if the class file has none
	 */
	Set<String> names() {
		return this.known;
	}

	/**
	 * Return the positions of the parameters that the variables stand for.
	 * @return the positions by variable without its mark
	 */
	Map<String, Integer> positions() {
		return Map.copyOf(this.positions);
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
	 * Return the advice about an unknown variable.
	 * @param variable the variable without its mark
	 */
	String adviceFor(String variable) {
		if (this.count == 0) {
			return "The method has no parameters.";
		}
		String positional = IntStream.range(0, this.count).mapToObj((p) -> "#p" + p).collect(Collectors.joining(", "));
		if (this.known.isEmpty()) {
			return "The class file has no parameter names: compile with the option -parameters, or use " + positional
					+ ".";
		}
		String known = this.known.stream().map((name) -> "#" + name).collect(Collectors.joining(", "));
		String nearest = SimilarNames.nearest(variable, this.known);
		return ((nearest != null) ? "Did you mean #" + nearest + "? " : "") + "Known are " + known + " (or "
				+ positional + ").";
	}

}
