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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

import io.distributedlock.benchmarks.cell.Quantile;

/**
 * Starts of the same application with and without the starter, in turn. What is added is
 * the median of the differences within a round, in which one start follows the other.
 *
 * @param starts all starts of each variant, empty if none was measured
 */
public record StartUps(Map<Variant, List<Start>> starts) {

	/**
	 * Starts all variants in each round. There is one round more than is counted: the
	 * first start of each reads its files from the disk.
	 * @param rounds how many starts of each variant count, none for no measurement
	 */
	public static StartUps measure(String redisUrl, Path directory, int rounds) {
		Map<Variant, List<Start>> starts = new EnumMap<>(Variant.class);
		if (rounds == 0) {
			return new StartUps(starts);
		}
		try {
			Path services = Files.createDirectories(directory.resolve("services"));
			for (Interception interception : Interception.values()) {
				ServiceClasses.write(interception.template(), services, Variant.BEANS.beans());
			}
			Launcher launcher = new Launcher(redisUrl, services);
			for (int round = 0; round <= rounds; round++) {
				for (Variant variant : Variant.values()) {
					Start start = launcher.start(variant);
					if (round > 0) {
						starts.computeIfAbsent(variant, (key) -> new ArrayList<>()).add(start);
					}
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return new StartUps(starts);
	}

	public double median(Variant variant, ToDoubleFunction<Start> figure) {
		return median(of(variant).stream().mapToDouble(figure).toArray());
	}

	public double added(Variant without, Variant with, ToDoubleFunction<Start> figure) {
		return median(IntStream.range(0, of(without).size())
			.mapToDouble(
					(round) -> figure.applyAsDouble(of(with).get(round)) - figure.applyAsDouble(of(without).get(round)))
			.toArray());
	}

	private List<Start> of(Variant variant) {
		return this.starts.getOrDefault(variant, List.of());
	}

	private static double median(double[] figures) {
		return Quantile.of(Arrays.stream(figures).sorted().toArray(), 0.5);
	}

}
