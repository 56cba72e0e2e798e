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

package io.distributedlock.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A Markdown table: text on the left, numbers on the right.
 */
final class Table {

	private final List<List<String>> rows = new ArrayList<>();

	private final int columns;

	Table(String... heads) {
		this.columns = heads.length;
		this.rows.add(List.of(heads));
		List<String> rule = new ArrayList<>(List.of("---"));
		while (rule.size() < this.columns) {
			rule.add("---:");
		}
		this.rows.add(rule);
	}

	void row(String... cells) {
		this.rows.add(List.of(cells));
	}

	/**
	 * A row of one remark instead of figures.
	 */
	void remark(String name, String remark) {
		List<String> row = new ArrayList<>(List.of(name, remark.replace('|', '/').replace('\n', ' ')));
		while (row.size() < this.columns) {
			row.add("");
		}
		this.rows.add(row);
	}

	/**
	 * A number with three significant digits or, if it is large, with none behind the
	 * point.
	 */
	static String number(double value) {
		if (Double.isNaN(value)) {
			return "-";
		}
		double size = Math.abs(value);
		int digits = (size >= 100) ? 0 : (size >= 10) ? 1 : 2;
		return String.format(Locale.ROOT, (size >= 10_000) ? "%,." + digits + "f" : "%." + digits + "f", value);
	}

	@Override
	public String toString() {
		return this.rows.stream()
			.map((row) -> row.stream().collect(Collectors.joining(" | ", "| ", " |")))
			.collect(Collectors.joining("\n", "", "\n"));
	}

}
