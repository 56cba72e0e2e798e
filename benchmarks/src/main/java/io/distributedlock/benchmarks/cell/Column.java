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

import java.util.Locale;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;

import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * A column of a table: one figure of a contestant, from all of its rounds.
 *
 * @param figure the figure, not a number if there is none
 */
public record Column<F>(String head, ToDoubleBiFunction<Rounds<F>, Contestant> figure) {

	static <F> Column<F> median(String head, ToDoubleFunction<F> figure) {
		return new Column<>(head, (rounds, contestant) -> rounds.median(contestant, figure));
	}

	static <F> Column<F> ratio(String head, ToDoubleFunction<F> figure) {
		return new Column<>(head, (rounds, contestant) -> rounds.ratio(contestant, rounds.yardstick(), figure));
	}

	static <F> Column<F> max(String head, ToDoubleFunction<F> figure) {
		return new Column<>(head, (rounds,
				contestant) -> rounds.figures(contestant).stream().mapToDouble(figure).max().orElse(Double.NaN));
	}

	static <F> Column<F> sum(String head, ToDoubleFunction<F> figure) {
		return new Column<>(head,
				(rounds, contestant) -> rounds.figures(contestant).stream().mapToDouble(figure).sum());
	}

	String text(Rounds<F> rounds, Contestant contestant) {
		return number(this.figure.applyAsDouble(rounds, contestant));
	}

	/**
	 * A whole number as it is, any other with three significant digits or, if it is
	 * large, with none behind the point.
	 */
	private static String number(double value) {
		if (Double.isNaN(value)) {
			return "-";
		}
		double size = Math.abs(value);
		int digits = (size >= 100 || value == Math.rint(value)) ? 0 : (size >= 10) ? 1 : 2;
		return String.format(Locale.ROOT, (size >= 10_000) ? "%,." + digits + "f" : "%." + digits + "f", value);
	}

}
