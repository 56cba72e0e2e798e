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

import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

import io.distributedlock.benchmarks.startup.Start;
import io.distributedlock.benchmarks.startup.StartUps;
import io.distributedlock.benchmarks.startup.Variant;

/**
 * What the starter adds to the start of an application.
 */
final class StartUpSection implements Section {

	@Override
	public String markdown(Results results) {
		StartUps startUps = results.startUps();
		if (startUps.starts().isEmpty()) {
			return "";
		}
		Table starts = new Table("Application", "Starts", "Ready after, ms", "CPU of the main thread, ms",
				"CPU until then, ms", "CPU 0.7 s later, ms", "Classes");
		startUps.starts()
			.forEach((variant, all) -> starts.row(variant.label(), Integer.toString(all.size()),
					whole(startUps.median(variant, Start::readyMillis)),
					whole(startUps.median(variant, Start::mainMillis)),
					whole(startUps.median(variant, Start::cpuMillis)),
					whole(startUps.median(variant, Start::settledCpuMillis)),
					whole(startUps.median(variant, Start::classes))));
		Table added = new Table("Added", "Ready later by, ms", "CPU of the main thread, ms", "CPU until then, ms",
				"CPU 0.7 s later, ms", "Classes");
		for (Addition addition : Addition.values()) {
			added
				.row(Stream.concat(Stream.of(addition.label),
						Stream.of(addition.of(startUps, Start::readyMillis), addition.of(startUps, Start::mainMillis),
								addition.of(startUps, Start::cpuMillis), addition.of(startUps, Start::settledCpuMillis),
								addition.of(startUps, Start::classes))
							.map(Table::number))
					.toArray(String[]::new));
		}
		return """
				## Start-up

				The same application, with and without the starter, in turn; each start is a JVM of its own. *Added* \
				is the median of the differences of neighbouring starts. An application without a command before it is \
				ready does not connect to Redis by then; the starter connects in the background, when the application \
				is ready, which is the CPU of 0.7 s later.

				""" + starts + "\n" + added;
	}

	private static String whole(double value) {
		return Long.toString(Math.round(value));
	}

	/**
	 * What is added to what.
	 */
	enum Addition {

		STARTER("by the starter", Variant.IDLE, Variant.IDLE_STARTER),

		/** Nothing is annotated, and Redis is used anyway. */
		STARTER_BESIDE_REDIS("by the starter, the application uses Redis", Variant.USING, Variant.USING_STARTER),

		LOCKED_BEAN("by a bean with `@DistributedLock`: its proxy and its validation", Variant.BEANS,
				Variant.BEANS_LOCKED),

		VALIDATION("by a bean with `@DistributedLock`: its validation", Variant.BEANS_UNCHECKED, Variant.BEANS_LOCKED),

		TRANSACTIONAL_BEAN("by a bean with `@Transactional`", Variant.BEANS, Variant.BEANS_TRANSACTIONAL),

		CACHED_BEAN("by a bean with `@Cacheable`", Variant.BEANS, Variant.BEANS_CACHED);

		private final String label;

		private final Variant without;

		private final Variant with;

		Addition(String label, Variant without, Variant with) {
			this.label = label;
			this.without = without;
			this.with = with;
		}

		double of(StartUps startUps, ToDoubleFunction<Start> figure) {
			int beans = (this.without.beans() > 0) ? this.without.beans() : 1;
			return startUps.added(this.without, this.with, figure) / beans;
		}

	}

}
