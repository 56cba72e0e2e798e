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

package io.distributedlock.benchmarks.startup;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

import io.distributedlock.benchmarks.startup.Launcher.Start;

/**
 * The figures in Markdown. What is added is the median of the differences within a round,
 * in which one start follows the other.
 *
 * @param starts all starts of each variant
 */
record StartUpReport(Map<Variant, List<Start>> starts) {

	String markdown() {
		StringBuilder text = new StringBuilder(
				"""
						| Application | Starts | Ready after, ms | CPU of the main thread, ms | CPU until then, ms | CPU 0.7 s later, ms | Classes |
						| --- | ---: | ---: | ---: | ---: | ---: | ---: |
						""");
		this.starts.forEach((variant,
				all) -> text.append("| %s | %d | %s | %s | %s | %s | %s |%n".formatted(variant.label(), all.size(),
						number(variant, Start::readyMillis), number(variant, Start::mainMillis),
						number(variant, Start::cpuMillis), number(variant, Start::settledCpuMillis),
						number(variant, Start::classes))));
		text.append(
				"""

						| Added | Ready later by, ms | CPU of the main thread, ms | CPU until then, ms | CPU 0.7 s later, ms | Classes |
						| --- | ---: | ---: | ---: | ---: | ---: |
						""");
		added(text, "by the starter", Variant.IDLE, Variant.IDLE_STARTER, 1);
		added(text, "by the starter, the application uses Redis", Variant.USING, Variant.USING_STARTER, 1);
		added(text, "by an annotated bean: its proxy and its validation", Variant.BEANS, Variant.BEANS_STARTER,
				Variant.BEANS.beans());
		added(text, "by an annotated bean: its validation", Variant.BEANS_UNCHECKED, Variant.BEANS_STARTER,
				Variant.BEANS.beans());
		return text.toString();
	}

	private void added(StringBuilder text, String what, Variant without, Variant with, int divisor) {
		if (this.starts.containsKey(without) && this.starts.containsKey(with)) {
			text.append("| %s | %s | %s | %s | %s | %s |%n".formatted(what,
					difference(without, with, divisor, Start::readyMillis),
					difference(without, with, divisor, Start::mainMillis),
					difference(without, with, divisor, Start::cpuMillis),
					difference(without, with, divisor, Start::settledCpuMillis),
					difference(without, with, divisor, Start::classes)));
		}
	}

	private String difference(Variant without, Variant with, int divisor, ToDoubleFunction<Start> figure) {
		List<Start> before = this.starts.getOrDefault(without, List.of());
		List<Start> after = this.starts.getOrDefault(with, List.of());
		double[] differences = IntStream.range(0, before.size())
			.mapToDouble((round) -> figure.applyAsDouble(after.get(round)) - figure.applyAsDouble(before.get(round)))
			.toArray();
		return String.format(Locale.ROOT, (divisor == 1) ? "%.0f" : "%.2f", median(differences) / divisor);
	}

	private String number(Variant variant, ToDoubleFunction<Start> figure) {
		return String.format(Locale.ROOT, "%.0f", median(variant, figure));
	}

	private double median(Variant variant, ToDoubleFunction<Start> figure) {
		return median(this.starts.getOrDefault(variant, List.of()).stream().mapToDouble(figure).toArray());
	}

	private static double median(double[] figures) {
		double[] sorted = Arrays.stream(figures).sorted().toArray();
		return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
	}

}
