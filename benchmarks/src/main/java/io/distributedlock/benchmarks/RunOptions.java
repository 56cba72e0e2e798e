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
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.distributedlock.benchmarks.contestant.Contestant;

/**
 * What a run was asked for.
 *
 * @param mode how much time to take: smoke, quick, short or full
 * @param parts what to measure
 * @param contestants who takes part
 * @param servers executables of other servers, on which the most important figures are
 * measured as well
 * @param directory where boards and logs are
 * @param output the file to write, or {@code null} to print the report
 */
record RunOptions(String mode, Set<Part> parts, Set<Contestant> contestants, List<Path> servers, Path directory,
		@Nullable Path output) {

	private static final String USAGE = "The options are --mode smoke|quick|short|full, --only PART,PART, "
			+ "--contestants NAME,NAME, --servers FILE,FILE, --directory DIRECTORY and --output FILE";

	/**
	 * Reads the command line.
	 * @param args pairs of an option and its value
	 * @return the options
	 * @throws IllegalArgumentException if an option is unknown or has no value
	 */
	static RunOptions parse(String... args) {
		String mode = "quick";
		Set<Part> parts = EnumSet.allOf(Part.class);
		Set<Contestant> contestants = Contestant.named("all");
		List<Path> servers = List.of();
		Path directory = Path.of(System.getProperty("java.io.tmpdir"), "lock-benchmarks");
		Path output = null;
		for (int i = 0; i < args.length; i += 2) {
			if (i + 1 == args.length) {
				throw new IllegalArgumentException("The option " + args[i] + " has no value. " + USAGE);
			}
			String value = args[i + 1];
			switch (args[i]) {
				case "--mode" -> mode = value;
				case "--only" -> parts = value.equals("all") ? parts : Part.named(value);
				case "--contestants" -> contestants = Contestant.named(value);
				case "--servers" ->
					servers = Stream.of(value.split(",")).filter((file) -> !file.isEmpty()).map(Path::of).toList();
				case "--directory" -> directory = Path.of(value);
				case "--output" -> output = Path.of(value);
				default -> throw new IllegalArgumentException("There is no option " + args[i] + ". " + USAGE);
			}
		}
		return new RunOptions(mode, parts, contestants, servers, directory, output);
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

		/** The contended cells. */
		CONTENDED,

		/** The uncontended pair. */
		UNCONTENDED,

		/** What this project costs without Redis. */
		OWN_COSTS,

		/** The hand-off between two JVMs. */
		HAND_OFF,

		/** A crowd of waiters. */
		CROWD,

		/** The heap of held locks. */
		HEAP;

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
