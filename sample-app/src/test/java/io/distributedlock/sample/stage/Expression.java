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
package io.distributedlock.sample.stage;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * An expression in PromQL of the rules or the dashboard.
 */
record Expression(String where, String text) {

	private static final Pattern TOKEN = Pattern
		.compile("\"[^\"]*\"|[a-zA-Z_:][\\w:]*|\\d[\\w.]*|=~|!~|!=|==|>=|<=|\\S");

	private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][\\w:]*");

	private static final Set<String> TAKES_LABELS = Set.of("by", "without", "on", "ignoring", "group_left",
			"group_right");

	private static final Set<String> OPERATORS = Set.of("and", "or", "unless", "bool", "offset");

	/** Prometheus adds them to what it scrapes. */
	private static final Set<String> LABELS_OF_THE_TARGET = Set.of("job", "instance");

	/**
	 * Replace the variables of Grafana as it would with all values selected.
	 */
	static Expression ofGrafana(String where, String text) {
		return new Expression(where,
				text.replace("$__rate_interval", "30s")
					.replace("$__range", "5m")
					.replaceAll("\\$(application|instance|lock_name)", ".*"));
	}

	/**
	 * Return what the expression names that is not in a scrape: meters, labels and values
	 * of labels.
	 */
	List<String> unknownIn(Scrape scrape) {
		return new Reader(scrape).read();
	}

	@Override
	public String toString() {
		return this.where;
	}

	private final class Reader {

		private final Scrape scrape;

		private final List<String> tokens = TOKEN.matcher(Expression.this.text)
			.results()
			.map((result) -> result.group())
			.toList();

		private final List<String> meters = new ArrayList<>();

		private final List<String> groupings = new ArrayList<>();

		private final List<String> unknown = new ArrayList<>();

		private int next;

		Reader(Scrape scrape) {
			this.scrape = scrape;
		}

		List<String> read() {
			while (this.next < this.tokens.size()) {
				String token = this.tokens.get(this.next++);
				if (TAKES_LABELS.contains(token)) {
					readGrouping();
				}
				else if (NAME.matcher(token).matches() && !OPERATORS.contains(token) && !isFunction()) {
					readMeter(token);
				}
			}
			if (this.meters.isEmpty()) {
				this.unknown.add("no meter at all");
			}
			this.groupings.stream()
				.filter((label) -> this.meters.stream().noneMatch((meter) -> has(meter, label)))
				.forEach((label) -> this.unknown.add("label " + label));
			return this.unknown;
		}

		private boolean isFunction() {
			String following = (this.next < this.tokens.size()) ? this.tokens.get(this.next) : "";
			return following.equals("(") || TAKES_LABELS.contains(following);
		}

		private void readGrouping() {
			if (this.tokens.get(this.next).equals("(")) {
				while (!this.tokens.get(++this.next).equals(")")) {
					if (!this.tokens.get(this.next).equals(",")) {
						this.groupings.add(this.tokens.get(this.next));
					}
				}
			}
		}

		private void readMeter(String meter) {
			this.meters.add(meter);
			if (this.scrape.of(meter).isEmpty()) {
				this.unknown.add("meter " + meter);
			}
			if (this.next < this.tokens.size() && this.tokens.get(this.next).equals("{")) {
				this.next++;
				while (!this.tokens.get(this.next).equals("}")) {
					readMatcher(meter);
				}
			}
		}

		private void readMatcher(String meter) {
			String label = this.tokens.get(this.next);
			if (!label.equals(",")) {
				String operator = this.tokens.get(this.next + 1);
				String value = this.tokens.get(this.next + 2).replace("\"", "");
				check(meter, label, operator, value);
				this.next += 2;
			}
			this.next++;
		}

		private void check(String meter, String label, String operator, String value) {
			if (!has(meter, label)) {
				this.unknown.add("label " + label + " of " + meter);
			}
			else if (!LABELS_OF_THE_TARGET.contains(label)) {
				Stream<String> wanted = operator.contains("~") ? Stream.of(value.split("\\|")) : Stream.of(value);
				Set<String> known = this.scrape.values(meter, label);
				wanted.filter(Predicate.not((pattern) -> known.stream().anyMatch((each) -> each.matches(pattern))))
					.forEach((pattern) -> this.unknown.add(label + " " + pattern + " of " + meter));
			}
		}

		private boolean has(String meter, String label) {
			return LABELS_OF_THE_TARGET.contains(label) || !this.scrape.values(meter, label).isEmpty();
		}

	}

}
