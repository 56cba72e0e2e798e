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

package io.distributedlock.benchmarks.cell;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * The figures of all contestants in all rounds of one cell. Contestants take turns within
 * each round, and each round begins with another one, so that whatever else the machine
 * does meets all of them.
 */
public final class Rounds<F> {

	private static final Logger logger = LoggerFactory.getLogger(Rounds.class);

	private final Cell<F> cell;

	private final Map<Contestant, List<F>> figures = new EnumMap<>(Contestant.class);

	private final Map<Contestant, String> failures = new EnumMap<>(Contestant.class);

	private Rounds(Cell<F> cell) {
		this.cell = cell;
	}

	/**
	 * Measures all contestants in turn.
	 */
	public static <F> Rounds<F> interleaved(Cell<F> cell, int count, List<Contestant> contestants,
			Function<Contestant, F> measurement) {
		Rounds<F> rounds = new Rounds<>(cell);
		for (int round = 0; round < count; round++) {
			logger.info("{}: round {} of {}", cell.title(), round + 1, count);
			List<Contestant> order = new ArrayList<>(contestants);
			Collections.rotate(order, -round);
			order.forEach((contestant) -> rounds.measure(contestant, measurement));
		}
		return rounds;
	}

	private void measure(Contestant contestant, Function<Contestant, F> measurement) {
		List<F> measured = this.figures.computeIfAbsent(contestant, (key) -> new ArrayList<>());
		try {
			measured.add(measurement.apply(contestant));
		}
		catch (RuntimeException ex) {
			logger.warn("{} failed", contestant.label(), ex);
			this.failures.putIfAbsent(contestant, String.valueOf(ex.getMessage()));
		}
	}

	List<Contestant> contestants() {
		return List.copyOf(this.figures.keySet());
	}

	List<F> figures(Contestant contestant) {
		return this.figures.getOrDefault(contestant, List.of());
	}

	/**
	 * The contestant that ratios refer to.
	 */
	Contestant yardstick() {
		return this.figures.keySet().iterator().next();
	}

	/**
	 * The median of one figure.
	 * @return the median, not a number if every round failed
	 */
	double median(Contestant contestant, ToDoubleFunction<F> figure) {
		double[] sorted = figures(contestant).stream().mapToDouble(figure).sorted().toArray();
		return Quantile.of(sorted, 0.5);
	}

	/**
	 * The median of the ratios of one figure to that of another contestant in the same
	 * round: what the machine did to both does not count.
	 * @return the ratio, not a number if a contestant failed in all rounds
	 */
	double ratio(Contestant contestant, Contestant yardstick, ToDoubleFunction<F> figure) {
		List<F> own = figures(contestant);
		List<F> others = figures(yardstick);
		if (own.size() != others.size()) {
			return median(contestant, figure) / median(yardstick, figure);
		}
		double[] sorted = IntStream.range(0, own.size())
			.mapToDouble((round) -> figure.applyAsDouble(own.get(round)) / figure.applyAsDouble(others.get(round)))
			.sorted()
			.toArray();
		return Quantile.of(sorted, 0.5);
	}

	/**
	 * The table in Markdown, with a remark in place of the figures of a contestant that
	 * failed in all rounds.
	 */
	public String table() {
		List<Column<F>> columns = this.cell.columns();
		String heads = columns.stream().map((column) -> " | " + column.head()).collect(Collectors.joining());
		String rule = " | ---:".repeat(columns.size());
		String rows = contestants().stream()
			.map((contestant) -> "| " + contestant.label() + cells(columns, contestant) + " |\n")
			.collect(Collectors.joining());
		return "### " + this.cell.title() + "\n\n| Lock" + heads + " |\n| ---" + rule + " |\n" + rows;
	}

	private String cells(List<Column<F>> columns, Contestant contestant) {
		Stream<String> texts = figures(contestant).isEmpty()
				? Stream.concat(Stream.of("failed: " + oneLine(this.failures.get(contestant))),
						Collections.nCopies(columns.size() - 1, "").stream())
				: columns.stream().map((column) -> column.text(this, contestant));
		return texts.map((text) -> " | " + text).collect(Collectors.joining());
	}

	private static String oneLine(@Nullable String message) {
		return String.valueOf(message).replace('|', '/').replace('\n', ' ');
	}

	/**
	 * Why the figures are worth nothing.
	 */
	public List<String> violations() {
		return this.cell.violations(this);
	}

}
