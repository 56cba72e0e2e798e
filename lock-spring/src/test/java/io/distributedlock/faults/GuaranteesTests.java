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

package io.distributedlock.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables of faults in the documentation name tests that exist.
 */
class GuaranteesTests {

	private static final Path FAULTS = Path.of("..", "docs", "faults.md");

	private static final String HEADER = "| Fault | Behavior | Shown by |";

	private static final Pattern ROW = Pattern.compile("\\| .+ \\| .+ \\|( \\[`\\w+Tests`],?)+ \\|");

	private static final Pattern TEST = Pattern.compile("\\[`(\\w+Tests)`](?!:)");

	private static final Pattern LINK = Pattern.compile("(?m)^\\[`(\\w+)`]: .*/\\1\\.java$");

	@Test
	void eachRowIsShownByTestsThatExist() throws IOException {
		List<String> rows = rows();
		assertThat(rows).hasSizeGreaterThan(30).allMatch((row) -> ROW.matcher(row).matches());
		Set<String> tests = tests();
		assertThat(rows).allSatisfy(
				(row) -> assertThat(TEST.matcher(row).results().map((test) -> test.group(1))).isSubsetOf(tests));
	}

	@Test
	void eachTestThatIsNamedHasItsLink() throws IOException {
		String page = Files.readString(FAULTS);
		Set<String> linked = names(LINK, page);
		assertThat(linked).hasSizeGreaterThan(20).isEqualTo(names(TEST, page));
	}

	private static Set<String> names(Pattern pattern, String text) {
		return pattern.matcher(text).results().map((found) -> found.group(1)).collect(Collectors.toSet());
	}

	private static List<String> rows() throws IOException {
		List<String> rows = new ArrayList<>();
		boolean faults = false;
		for (String line : Files.readAllLines(FAULTS)) {
			faults = line.equals(HEADER) || (faults && line.startsWith("|"));
			if (faults && !line.equals(HEADER) && !line.startsWith("|---")) {
				rows.add(line);
			}
		}
		return rows;
	}

	private static Set<String> tests() throws IOException {
		Set<String> tests = new HashSet<>();
		try (Stream<Path> modules = Files.list(Path.of(".."))) {
			for (Path sources : modules.map((module) -> module.resolve("src/test/java"))
				.filter(Files::exists)
				.toList()) {
				try (Stream<Path> files = Files.walk(sources)) {
					files.map((file) -> file.getFileName().toString().replace(".java", "")).forEach(tests::add);
				}
			}
		}
		return tests;
	}

}
