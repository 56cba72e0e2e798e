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
 * @param directory where it writes its tables and logs
 */
record RunOptions(Effort effort, Set<Part> parts, Set<Contestant> contestants, Path directory) {

	private static final String USAGE = "The options are --mode smoke|quick|full, --only PART,PART, "
			+ "--contestants NAME,NAME and --directory DIRECTORY";

	private static final Set<String> NAMES = Set.of("--mode", "--only", "--contestants", "--directory");

	static RunOptions parse(String... args) {
		Map<String, String> line = options(args);
		return new RunOptions(Effort.named(line.getOrDefault("--mode", "quick")),
				chosen(Part.class, line.get("--only"), EnumSet.allOf(Part.class)),
				chosen(Contestant.class, line.get("--contestants"), EnumSet.copyOf(Contestant.USUAL)),
				Path.of(line.getOrDefault("--directory", "target/benchmarks")));
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

	/**
	 * The constants with the given names, which are separated by commas, in lower case or
	 * not, with hyphens or underscores.
	 */
	private static <E extends Enum<E>> Set<E> chosen(Class<E> type, @Nullable String names, Set<E> otherwise) {
		if (names == null || names.equals("all")) {
			return otherwise;
		}
		return Stream.of(names.split(","))
			.map((name) -> one(type, name))
			.collect(Collectors.toCollection(() -> EnumSet.noneOf(type)));
	}

	private static <E extends Enum<E>> E one(Class<E> type, String name) {
		return Stream.of(type.getEnumConstants())
			.filter((constant) -> plain(constant).equals(name.toLowerCase(Locale.ROOT).replace('_', '-')))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no '" + name + "' among "
					+ Stream.of(type.getEnumConstants()).map(RunOptions::plain).collect(Collectors.joining(", "))));
	}

	private static String plain(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * What can be measured by itself.
	 */
	enum Part {

		CONTENDED,

		COMPANY,

		UNCONTENDED,

		HAND_OFF,

		CROWD,

		HEAP,

		OWN_COSTS

	}

}
