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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.LockEvent;
import io.distributedlock.scheduling.JobRun;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the texts of the page with what it tells of, without a browser.
 */
class PageTextsTests {

	private static String page = "";

	@BeforeAll
	static void readPage() throws IOException {
		page = new ClassPathResource("page.html", Page.class).getContentAsString(StandardCharsets.UTF_8);
	}

	@Test
	void everyOutcomeOfAJobHasItsText() {
		assertThat(keys("OUTCOMES", "(\\w+): '[^']+'"))
			.containsExactlyInAnyOrderElementsOf(names(JobRun.Outcome.values()));
	}

	@Test
	void everyReasonOfARefusalHasItsText() {
		assertThat(keys("REASONS", "(\\w+): '[^']+'"))
			.containsExactlyInAnyOrderElementsOf(names(LockEvent.Reason.values()));
	}

	@Test
	void everyEventOfALockHasItsText() {
		List<String> events = Arrays.stream(LockEvent.class.getDeclaredClasses())
			.filter(LockEvent.class::isAssignableFrom)
			.map(Class::getSimpleName)
			.toList();
		assertThat(events).hasSizeGreaterThan(5);
		assertThat(keys("LOCK_EVENTS", "(?m)^  (\\w+)\\(event\\) \\{$")).containsExactlyInAnyOrderElementsOf(events);
	}

	@Test
	void theCardsHaveTheTitlesOfTheReadme() throws IOException {
		List<String> headings = Pattern.compile("(?m)^### \\d+\\. (.+)$")
			.matcher(Files.readString(Path.of("README.md")))
			.results()
			.map((heading) -> heading.group(1).replace("`", ""))
			.toList();
		assertThat(Scenarios.ALL).extracting(Scenario::title).containsExactlyElementsOf(headings);
	}

	private static List<String> names(Enum<?>[] constants) {
		return Arrays.stream(constants).map(Enum::name).toList();
	}

	/** The keys of a map of the script. */
	private static List<String> keys(String map, String key) {
		Matcher found = Pattern.compile("(?ms)^const " + map + " = \\{(.*?)}; *$").matcher(page);
		assertThat(found.find()).as(map).isTrue();
		return Pattern.compile(key)
			.matcher(found.group(1))
			.results()
			.map((MatchResult match) -> match.group(1))
			.toList();
	}

}
