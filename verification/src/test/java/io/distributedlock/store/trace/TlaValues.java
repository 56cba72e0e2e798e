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

package io.distributedlock.store.trace;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads values as TLC prints them: numbers, texts, truth values, model values, tuples,
 * sets and records.
 */
final class TlaValues {

	private static final Pattern TOKEN = Pattern.compile("\\s*(<<|>>|\\|->|[\\[\\]{},]|\"[^\"]*\"|\\w+)");

	private final Matcher tokens;

	private String token = "";

	private TlaValues(String text, int from) {
		this.tokens = TOKEN.matcher(text).region(from, text.length());
		next();
	}

	/**
	 * Return all tuples that begin a line.
	 */
	static List<List<?>> tuplesIn(String output) {
		List<List<?>> tuples = new ArrayList<>();
		Matcher begin = Pattern.compile("(?m)^<<").matcher(output);
		while (begin.find()) {
			tuples.add((List<?>) new TlaValues(output, begin.start()).value());
		}
		return tuples;
	}

	private void next() {
		this.token = this.tokens.lookingAt() ? this.tokens.group(1) : "";
		if (!this.token.isEmpty()) {
			this.tokens.region(this.tokens.end(), this.tokens.regionEnd());
		}
	}

	private boolean skip(String expected) {
		boolean here = this.token.equals(expected);
		if (here) {
			next();
		}
		return here;
	}

	private Object value() {
		if (skip("<<")) {
			return values(">>");
		}
		if (skip("{")) {
			return new HashSet<>(values("}"));
		}
		if (skip("[")) {
			return fields();
		}
		String text = this.token;
		next();
		return switch (text) {
			case "TRUE" -> true;
			case "FALSE" -> false;
			default -> Character.isDigit(text.charAt(0)) ? Long.valueOf(text) : text.replace("\"", "");
		};
	}

	private List<Object> values(String end) {
		List<Object> values = new ArrayList<>();
		while (!skip(end)) {
			values.add(value());
			skip(",");
		}
		return values;
	}

	private Map<String, Object> fields() {
		Map<String, Object> fields = new LinkedHashMap<>();
		while (!skip("]")) {
			String name = this.token;
			next();
			skip("|->");
			fields.put(name, value());
			skip(",");
		}
		return fields;
	}

	/**
	 * Return the client of a token, or an empty text for none.
	 */
	static String client(Object token) {
		return ((List<?>) token).isEmpty() ? "" : (String) ((List<?>) token).get(0);
	}

	static Set<Map<?, ?>> records(Object values) {
		Set<Map<?, ?>> records = new HashSet<>();
		((Iterable<?>) values).forEach((each) -> records.add((Map<?, ?>) each));
		return records;
	}

}
