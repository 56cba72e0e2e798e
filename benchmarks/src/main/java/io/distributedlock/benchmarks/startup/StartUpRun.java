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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.benchmarks.CommandLine;
import io.distributedlock.benchmarks.startup.Launcher.Start;
import io.distributedlock.testsupport.RedisServer;

/**
 * Measures what the starter adds to the start of an application: starts the same
 * application with and without it, in turn.
 */
final class StartUpRun {

	private static final Logger logger = LoggerFactory.getLogger(StartUpRun.class);

	private StartUpRun() {
	}

	/**
	 * Runs the measurement.
	 * @param args --mode with the number of starts (or smoke, quick or full), --directory
	 * for files, --output with the file to write, and --contestants with the names of
	 * variants separated by commas, or all
	 * @throws Exception if an application did not start
	 */
	public static void main(String[] args) throws Exception {
		CommandLine options = new CommandLine(args);
		int rounds = rounds(options.get("--mode", "quick"));
		Path services = Files
			.createDirectories(Path.of(options.get("--directory", "target/benchmarks")).resolve("services"));
		Set<Variant> variants = options.get("--contestants", "all").equals("all") ? Set.of(Variant.values())
				: Stream.of(options.get("--contestants", "all").split(","))
					.map(Variant::valueOf)
					.collect(Collectors.toSet());
		ServiceClasses.write(services, Variant.BEANS.beans());
		Map<Variant, List<Start>> starts = new EnumMap<>(Variant.class);
		try (RedisServer redis = RedisServer.start()) {
			Launcher launcher = new Launcher(redis.url(), services);
			// The first start of each reads its files from the disk.
			for (int round = 0; round <= rounds; round++) {
				measure(launcher, variants, (round > 0) ? starts : new EnumMap<>(Variant.class));
			}
		}
		String report = new StartUpReport(starts).markdown();
		logger.info("\n{}", report);
		Files.writeString(Path.of(options.get("--output", "target/benchmarks/report.md")), report);
	}

	private static void measure(Launcher launcher, Set<Variant> variants, Map<Variant, List<Start>> starts)
			throws IOException {
		for (Variant variant : Variant.values()) {
			if (variants.contains(variant)) {
				starts.computeIfAbsent(variant, (key) -> new ArrayList<>()).add(launcher.start(variant));
			}
		}
	}

	private static int rounds(String mode) {
		return switch (mode) {
			case "smoke" -> 1;
			case "quick" -> 15;
			case "full" -> 25;
			default -> Integer.parseInt(mode);
		};
	}

}
