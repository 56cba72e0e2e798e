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

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The whole report.
 *
 * @param mode how much time it took: smoke, quick, short or full
 */
public record Report(Machine machine, String mode) {

	private static final List<Section> SECTIONS = List.of(new TargetSection(), new ContendedSection(),
			new CompanySection(), new UncontendedSection(), new OwnCostsSection(), new HandOffSection(),
			new CrowdSection(), new HeapSection(), new StartUpSection(), new ScaleSection(), new ServersSection());

	public String markdown(Results results) {
		return head() + SECTIONS.stream()
			.map((section) -> section.markdown(results).stripTrailing())
			.filter((text) -> !text.isEmpty())
			.collect(Collectors.joining("\n\n", "", "\n"));
	}

	private String head() {
		return """
				# Benchmarks

				Written by `./mvnw -T1 -Pbenchmarks verify -Dbenchmark.mode=%s`: repeat it on your own machine. Without \
				the mode it takes about ten minutes, `-Dbenchmark.mode=full` takes up to an hour and gives steadier \
				figures, those of reactive methods, and those of all peers in every table; `short` does all of that in \
				less than half the time. `-Dbenchmark.servers=FILE,FILE` adds other servers, which `.ci/servers` can \
				get, and `benchmarks/run` measures some parts or contestants by themselves. Ratios travel between \
				machines, absolute figures do not. All contestants run in one go, in turn within each round, with \
				their default settings, in JVMs of their own, against one Redis over loopback without persistence. \
				Clocks of different JVMs are compared, which needs Linux.

				| | |
				| --- | --- |
				| Date | %s |
				| Processor | %s |
				| Memory | %d GiB |
				| System | %s, load %s at the start |
				| Java | %s |
				| Redis | %s |
				%s

				"""
			.formatted(this.mode, this.machine.date(), this.machine.processor(), this.machine.memory(),
					this.machine.system(), String.format(Locale.ROOT, "%.2f", this.machine.load()), this.machine.java(),
					this.machine.redis(), versions());
	}

	private String versions() {
		return this.machine.versions()
			.entrySet()
			.stream()
			.map((version) -> "| " + version.getKey() + " | " + version.getValue() + " |")
			.collect(Collectors.joining("\n"));
	}

}
