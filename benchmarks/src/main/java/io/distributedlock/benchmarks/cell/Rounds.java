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
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * The figures of all contestants in all rounds of one measurement. Contestants take turns
 * within each round, and each round begins with another one, so that whatever else the
 * machine does meets all of them.
 */
public final class Rounds<F> {

	private static final Logger logger = LoggerFactory.getLogger(Rounds.class);

	private final Map<Contestant, List<F>> figures = new EnumMap<>(Contestant.class);

	private final Map<Contestant, String> failures = new EnumMap<>(Contestant.class);

	private Rounds() {
	}

	public static <F> Rounds<F> none() {
		return new Rounds<>();
	}

	/**
	 * Measures all contestants in turn.
	 */
	public static <F> Rounds<F> interleaved(String title, int count, List<Contestant> contestants,
			Measurement<F> measurement) throws InterruptedException {
		Rounds<F> rounds = new Rounds<>();
		for (int round = 0; round < count; round++) {
			logger.info("{}: round {} of {}", title, round + 1, count);
			List<Contestant> order = new ArrayList<>(contestants);
			Collections.rotate(order, -round);
			for (Contestant contestant : order) {
				rounds.measure(contestant, measurement);
			}
		}
		return rounds;
	}

	private void measure(Contestant contestant, Measurement<F> measurement) throws InterruptedException {
		List<F> measured = this.figures.computeIfAbsent(contestant, (key) -> new ArrayList<>());
		try {
			F next = measurement.measure(contestant);
			logger.debug("{}: {}", contestant.label(), next);
			measured.add(next);
		}
		catch (InterruptedException ex) {
			throw ex;
		}
		catch (Exception ex) {
			logger.warn("{} failed", contestant.label(), ex);
			this.failures.putIfAbsent(contestant, String.valueOf(ex.getMessage()));
		}
	}

	public List<Contestant> contestants() {
		return List.copyOf(this.figures.keySet());
	}

	public List<F> figures(Contestant contestant) {
		return this.figures.getOrDefault(contestant, List.of());
	}

	/**
	 * The first failure of a contestant.
	 * @return its message, or {@code null}
	 */
	public @Nullable String failure(Contestant contestant) {
		return this.failures.get(contestant);
	}

	/**
	 * The median of one figure.
	 * @return the median, not a number if every round failed
	 */
	public double median(Contestant contestant, ToDoubleFunction<F> figure) {
		double[] sorted = figures(contestant).stream().mapToDouble(figure).sorted().toArray();
		return Quantile.of(sorted, 0.5);
	}

	/**
	 * The median of the ratios of one figure to that of another contestant in the same
	 * round: what the machine did to both does not count.
	 * @return the ratio, not a number if a contestant failed in all rounds
	 */
	public double ratio(Contestant contestant, Contestant yardstick, ToDoubleFunction<F> figure) {
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
	 * The largest value of one figure.
	 * @return the maximum, not a number if every round failed
	 */
	public double max(Contestant contestant, ToDoubleFunction<F> figure) {
		return figures(contestant).stream().mapToDouble(figure).max().orElse(Double.NaN);
	}

}
