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

package io.distributedlock.engine.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The histories that once broke a promise, because of a fault of the library or of a
 * planted bug: a name, a seed and a number in each line of {@code corpus.txt}.
 * {@link LongSimulationTests} prints the lines to add.
 *
 * @param name the name of the planted bug, or what the fault was
 */
record Corpus(String name, long seed, long number) {

	private static final Path FILE = Path.of("src/test/resources/io/distributedlock/engine/simulation/corpus.txt");

	static List<Corpus> all() {
		try (Stream<String> lines = Files.lines(FILE)) {
			return lines.filter((line) -> !line.isBlank() && !line.startsWith("#")).map(Corpus::parse).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static Optional<Corpus> named(String name) {
		return all().stream().filter((entry) -> entry.name.equals(name)).findFirst();
	}

	private static Corpus parse(String line) {
		String[] fields = line.split(" \\| ");
		return new Corpus(fields[0], Long.parseLong(fields[1]), Long.parseLong(fields[2]));
	}

	String line() {
		return "%s | %d | %d".formatted(this.name, this.seed, this.number);
	}

}
