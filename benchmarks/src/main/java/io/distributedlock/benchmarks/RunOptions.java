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

package io.distributedlock.benchmarks;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * What a run was asked for.
 *
 * @param mode how much time to take: smoke, quick, short or full
 * @param output the file to write, or {@code null} to print the report
 */
record RunOptions(String mode, Set<Part> parts, Set<Contestant> contestants, List<Path> servers, Path directory,
		@Nullable Path output) {

	private static final String USAGE = "The options are --mode smoke|quick|short|full, --only PART,PART, "
			+ "--contestants NAME,NAME, --servers FILE,FILE, --directory DIRECTORY and --output FILE";

	private static final Set<String> NAMES = Set.of("--mode", "--only", "--contestants", "--servers", "--directory",
			"--output");

	static RunOptions parse(String... args) {
		Map<String, String> line = options(args);
		String only = line.getOrDefault("--only", "all");
		String output = line.getOrDefault("--output", "");
		return new RunOptions(line.getOrDefault("--mode", "quick"),
				only.equals("all") ? EnumSet.allOf(Part.class) : Part.named(only),
				Contestant.named(line.getOrDefault("--contestants", "all")),
				Stream.of(line.getOrDefault("--servers", "").split(","))
					.filter((file) -> !file.isEmpty())
					.map(Path::of)
					.toList(),
				Path.of(line.getOrDefault("--directory", System.getProperty("java.io.tmpdir") + "/lock-benchmarks")),
				output.isEmpty() ? null : Path.of(output));
	}

	/** They come in pairs of a name and a value. */
	private static Map<String, String> options(String... args) {
		Map<String, String> options = new HashMap<>();
		for (int i = 0; i < args.length; i += 2) {
			if (!NAMES.contains(args[i])) {
				throw new IllegalArgumentException("There is no option " + args[i] + ". " + USAGE);
			}
			if (i + 1 == args.length) {
				throw new IllegalArgumentException("The option " + args[i] + " has no value. " + USAGE);
			}
			options.put(args[i], args[i + 1]);
		}
		return options;
	}

	RunOptions withContestants(Set<Contestant> chosen) {
		return new RunOptions(this.mode, this.parts, chosen, this.servers, this.directory, this.output);
	}

	boolean measures(Part part) {
		return this.parts.contains(part);
	}

	/**
	 * What can be measured by itself.
	 */
	enum Part {

		CONTENDED,

		COMPANY,

		UNCONTENDED,

		OWN_COSTS,

		HAND_OFF,

		CROWD,

		HEAP,

		START_UP,

		SCALE;

		private static Set<Part> named(String names) {
			return Stream.of(names.split(","))
				.map(Part::one)
				.collect(Collectors.toCollection(() -> EnumSet.noneOf(Part.class)));
		}

		private static Part one(String name) {
			return Stream.of(values())
				.filter((part) -> part.plain().equals(name.toLowerCase(Locale.ROOT).replace("-", "")))
				.findFirst()
				.orElseThrow(() -> new IllegalArgumentException("There is no part '" + name + "'. The parts are "
						+ Stream.of(values())
							.map((part) -> part.name().toLowerCase(Locale.ROOT).replace('_', '-'))
							.collect(Collectors.joining(", "))));
		}

		private String plain() {
			return name().toLowerCase(Locale.ROOT).replace("_", "");
		}

	}

}
