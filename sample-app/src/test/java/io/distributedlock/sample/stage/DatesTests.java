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

package io.distributedlock.sample.stage;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Results and comparisons have dates, and are at most one release old: whatever was
 * measured or read before the release before the last one must be measured or read again.
 */
class DatesTests {

	private static final Pattern DATE = Pattern.compile("\\b(\\d{1,2} (?:January|February|March|April|May|June|July"
			+ "|August|September|October|November|December) \\d{4}|\\d{4}-\\d{2}-\\d{2})\\b");

	private static final DateTimeFormatter IN_WORDS = DateTimeFormatter.ofPattern("d MMMM uuuu", Locale.ENGLISH);

	private static final Pattern RELEASE = Pattern.compile("(?m)^## \\[\\d[\\w.-]*] - (\\d{4}-\\d{2}-\\d{2})$");

	private static final Pattern FIGURES = Pattern
		.compile("Measured on (\\d{1,2} \\w+ \\d{4})\\D.*commit `(\\w{8,40})`");

	private static final String CHANGELOG = "CHANGELOG.md";

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "docs/benchmarks.md", "docs/comparison.md", "docs/compatibility.md",
			"docs/evidence.md" })
	void datesAreAtMostOneReleaseOld(String page) throws Exception {
		assertThat(dates(text(page))).isNotEmpty();
		assertThat(stale(text(page), text(CHANGELOG))).as("dates of %s to be brought up to date", page).isEmpty();
	}

	@Test
	void theFiguresOfTheReadmeAreThoseOfTheBenchmarks() throws Exception {
		MatchResult readme = figures("README.md");
		MatchResult benchmarks = figures("docs/benchmarks.md");
		assertThat(readme.group(1)).isEqualTo(benchmarks.group(1));
		assertThat(readme.group(2)).isEqualTo(benchmarks.group(2));
	}

	@Test
	void aDateThatIsOlderThanTheReleaseBeforeTheLastIsFound() {
		String changelog = "## [Unreleased]\n\n## [0.3.0] - 2027-03-01\n\n## [0.2.0] - 2027-02-01\n\n## [0.1.0] - 2027-01-01\n";
		String page = "as on 31 January 2027, 1 February 2027 and 2026-12-31";
		assertThat(stale(page, changelog)).containsExactly(LocalDate.of(2027, 1, 31), LocalDate.of(2026, 12, 31));
		assertThat(stale(page, "## [Unreleased]\n\n## [0.1.0] - 2027-03-01\n")).isEmpty();
	}

	private static List<LocalDate> stale(String page, String changelog) {
		return RELEASE.matcher(changelog)
			.results()
			.skip(1)
			.findFirst()
			.map((release) -> LocalDate.parse(release.group(1)))
			.map((oldest) -> dates(page).filter((date) -> date.isBefore(oldest)).toList())
			.orElse(List.of());
	}

	private static Stream<LocalDate> dates(String page) {
		return DATE.matcher(page)
			.results()
			.map(MatchResult::group)
			.map((date) -> date.contains("-") ? LocalDate.parse(date) : LocalDate.parse(date, IN_WORDS));
	}

	private static MatchResult figures(String page) throws Exception {
		return FIGURES.matcher(text(page)).results().findFirst().orElseThrow(() -> new AssertionError(page));
	}

	private static String text(String page) throws Exception {
		return Files.readString(Path.of("..").resolve(page));
	}

}
