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

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The options of a command line, which come in pairs of a name and a value.
 */
final class CommandLine {

	private static final String USAGE = "The options are --mode smoke|quick|short|full, --only PART,PART, "
			+ "--contestants NAME,NAME, --servers FILE,FILE, --directory DIRECTORY and --output FILE";

	private static final Set<String> NAMES = Set.of("--mode", "--only", "--contestants", "--servers", "--directory",
			"--output");

	private final Map<String, String> options = new HashMap<>();

	CommandLine(String... args) {
		for (int i = 0; i < args.length; i += 2) {
			if (!NAMES.contains(args[i])) {
				throw new IllegalArgumentException("There is no option " + args[i] + ". " + USAGE);
			}
			if (i + 1 == args.length) {
				throw new IllegalArgumentException("The option " + args[i] + " has no value. " + USAGE);
			}
			this.options.put(args[i], args[i + 1]);
		}
	}

	String get(String name, String otherwise) {
		return this.options.getOrDefault(name, otherwise);
	}

}
