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

package io.distributedlock.mutation;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The table {@code survivors.md}: which mutants no test finds, and why that is right.
 */
final class Survivors {

	/** Begins the reason of a mutant that changes a time so little that luck finds it. */
	private static final String NOT_ALWAYS = "Not always: ";

	private final Map<Key, String> explained = new LinkedHashMap<>();

	/**
	 * Read the table.
	 * @throws IllegalStateException if a row has no reason, or names a mutant twice
	 */
	static Survivors read() {
		try (InputStream table = Objects.requireNonNull(Survivors.class.getResourceAsStream("survivors.md"))) {
			return new Survivors(new String(table.readAllBytes(), StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	Survivors(String table) {
		for (String row : table.lines().filter((line) -> line.startsWith("| `")).toList()) {
			String[] cells = row.substring(2).split(" \\|( |$)");
			if (cells.length != 4 || cells[3].isBlank()) {
				throw new IllegalStateException("This row must have four cells: " + row);
			}
			for (String change : code(cells[2]).split("; ")) {
				if (this.explained.put(new Key(code(cells[0]), code(cells[1]), change), cells[3].strip()) != null) {
					throw new IllegalStateException(
							"The mutant '%s' of this row has one already: %s".formatted(change, row));
				}
			}
		}
	}

	private static String code(String cell) {
		String text = cell.strip();
		if (!text.startsWith("`") || !text.endsWith("`") || text.length() < 2) {
			throw new IllegalStateException("This cell must be code: " + text);
		}
		return text.substring(1, text.length() - 1).replace("\\|", "|");
	}

	boolean explains(Key mutant) {
		return this.explained.containsKey(mutant);
	}

	/** Return the rows about these files that name none of the given mutants. */
	List<Key> notAmong(Collection<Key> mutants, Set<String> files) {
		return this.explained.keySet()
			.stream()
			.filter((key) -> files.contains(key.file()) && !mutants.contains(key))
			.toList();
	}

	/** Return the rows about these files whose mutants do not survive. */
	List<Key> wrong(Collection<Key> survivors, Set<String> files) {
		return notAmong(survivors, files).stream()
			.filter((key) -> !this.explained.get(key).startsWith(NOT_ALWAYS))
			.toList();
	}

	/**
	 * What a row calls a mutant.
	 *
	 * @param file the name of the script
	 * @param place the line
	 */
	record Key(String file, String place, String change) {

		@Override
		public String toString() {
			return "| `%s` | `%s` | `%s` |".formatted(this.file, this.place.replace("|", "\\|"), this.change);
		}

	}

}
