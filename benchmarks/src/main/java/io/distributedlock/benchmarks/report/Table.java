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
import java.util.function.Function;
import java.util.stream.Collectors;

import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.contestant.Contestant;

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
	 * A row for each contestant, with a remark in place of the figures of one that failed
	 * in all rounds.
	 */
	void rows(Rounds<?> rounds, Function<Contestant, List<String>> figures) {
		for (Contestant contestant : rounds.contestants()) {
			List<String> row = new ArrayList<>(List.of(contestant.label()));
			if (rounds.figures(contestant).isEmpty()) {
				row.add("failed: " + String.valueOf(rounds.failure(contestant)).replace('|', '/').replace('\n', ' '));
			}
			else {
				row.addAll(figures.apply(contestant));
			}
			while (row.size() < this.columns) {
				row.add("");
			}
			this.rows.add(row);
		}
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
