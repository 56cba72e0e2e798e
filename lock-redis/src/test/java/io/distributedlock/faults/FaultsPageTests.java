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
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.kinds.Shows;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The tables of docs/faults.md and the tests that {@linkplain Shows show} their rows
 * agree, and so do these tables and the promises of docs/guarantees.md.
 */
class FaultsPageTests {

	private static final Path ROOT = Path.of("..");

	private static final Pattern ROW = Pattern.compile("\\| (.+?) \\| .+ \\| (\\[.+]) \\|");

	private static final Pattern TEST = Pattern.compile("\\[`(\\w+)`]");

	private static final Pattern LINK = Pattern.compile("(?m)^\\[`(\\w+)`]: \\.\\./(.+\\.java)$");

	private static final Pattern MARKUP = Pattern.compile("\\[([^]]+)]\\([^)]+\\)|`|[,.]$");

	private static final Pattern SHOWS = Pattern.compile("@Shows\\(\\{?\\s*((?:\"[^\"]*\"[,\\s]*)+)}?\\)");

	private static final Pattern TEXT = Pattern.compile("\"([^\"]*)\"");

	private static final Pattern SUBCLASS = Pattern.compile("(?m)^(?:final )?class \\w+ extends (\\w+)");

	/** The rows of each section, and what each is shown by. */
	private static final Map<String, Map<String, Set<Path>>> sections = new LinkedHashMap<>();

	private static final Map<String, Set<Path>> rows = new LinkedHashMap<>();

	/** The rows of each test. */
	private static final Map<String, Set<Path>> shown = new HashMap<>();

	@BeforeAll
	static void readPageAndTests() throws IOException {
		String page = Files.readString(ROOT.resolve("docs/faults.md"));
		Map<String, Path> links = LINK.matcher(page)
			.results()
			.collect(Collectors.toMap((link) -> link.group(1), (link) -> Path.of(link.group(2))));
		Map<String, Set<Path>> section = new LinkedHashMap<>();
		for (String line : page.lines().toList()) {
			Matcher row = ROW.matcher(line);
			if (line.startsWith("## ")) {
				section = sections.computeIfAbsent(line.substring(3), (title) -> new LinkedHashMap<>());
			}
			else if (row.matches()) {
				section.put(plain(row.group(1)),
						TEST.matcher(row.group(2))
							.results()
							.map((test) -> links.getOrDefault(test.group(1), Path.of(test.group(1))))
							.collect(Collectors.toCollection(TreeSet::new)));
			}
		}
		sections.values().forEach(rows::putAll);
		for (Path test : tests()) {
			String source = Files.readString(ROOT.resolve(test));
			read(test, source);
			Matcher subclass = SUBCLASS.matcher(source);
			if (subclass.find()) {
				Path parent = ROOT.resolve(test.resolveSibling(subclass.group(1) + ".java"));
				if (Files.exists(parent)) {
					read(test, Files.readString(parent));
				}
			}
		}
	}

	private static void read(Path test, String source) {
		if (!source.contains("abstract class " + nameOf(test))) {
			SHOWS.matcher(source)
				.results()
				.flatMap((shows) -> TEXT.matcher(shows.group(1)).results())
				.forEach((row) -> shown.computeIfAbsent(row.group(1), (key) -> new TreeSet<>()).add(test));
		}
	}

	private static Set<Path> tests() throws IOException {
		Set<Path> tests = new HashSet<>();
		try (Stream<Path> modules = Files.list(ROOT)) {
			for (Path sources : modules.map((module) -> module.resolve("src/test/java"))
				.filter(Files::exists)
				.toList()) {
				try (Stream<Path> files = Files.walk(sources)) {
					files.filter(
							(file) -> nameOf(file).endsWith("Tests") && !file.endsWith("kinds/AskedKindsTests.java"))
						.map(ROOT::relativize)
						.forEach(tests::add);
				}
			}
		}
		return tests;
	}

	private static String nameOf(Path file) {
		return file.getFileName().toString().replace(".java", "");
	}

	private static String plain(String text) {
		return MARKUP.matcher(text).replaceAll("$1");
	}

	@Test
	void eachRowNamesExactlyTheTestsShowingTheFault() {
		assertThat(rows).hasSizeGreaterThan(55);
		assertThat(shown.keySet()).as("rows that tests show").isEqualTo(rows.keySet());
		assertThat(rows).allSatisfy((row, tests) -> assertThat(tests).as(row).isEqualTo(shown.get(row)));
	}

	@Test
	void eachGuaranteeAndEachCauseOfAnOverlapHasARow() throws IOException {
		String page = Files.readString(ROOT.resolve("docs/guarantees.md"));
		Set<String> promises = new LinkedHashSet<>();
		Pattern.compile("(?m)^- \\*\\*(.+?)\\*\\*")
			.matcher(between(page, "## In short", "## "))
			.results()
			.forEach((promise) -> promises.add(plain(promise.group(1))));
		assertThat(promises).hasSize(7);
		between(page, "## When work can overlap", "**The work is not under the lock").lines()
			.filter((line) -> line.startsWith("| ") && !line.startsWith("| Cause "))
			.map((line) -> line.split(" \\| ")[0].substring(2))
			// Explained there
			.filter((cause) -> !cause.contains("faults.md#late-requests"))
			.forEach((cause) -> promises.add(plain(cause)));
		assertThat(sections.get("Guarantees").keySet()).isEqualTo(promises);
	}

	private static String between(String page, String start, String end) {
		int from = page.indexOf(start) + start.length();
		return page.substring(from, page.indexOf(end, from));
	}

	@Test
	void rowsAboutRedisAreShownWithEachClient() throws IOException {
		List<String> rowsOfOneClient = new ArrayList<>();
		for (Map.Entry<String, Set<Path>> row : sections.get("Redis and the network").entrySet()) {
			boolean eachClient = false;
			for (Path test : row.getValue()) {
				eachClient |= Files.readString(ROOT.resolve(test)).contains("\n@EachClient\n");
			}
			if (!eachClient) {
				rowsOfOneClient.add(row.getKey());
			}
		}
		assertThat(rowsOfOneClient).allMatch((row) -> row.contains("Lettuce"));
	}

}
