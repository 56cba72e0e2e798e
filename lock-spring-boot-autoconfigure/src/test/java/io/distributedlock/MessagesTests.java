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

package io.distributedlock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the messages of the modules that work without Spring Boot: they must not
 * advise to set a property as if it were there.
 */
class MessagesTests {

	/** In a text, and not as its beginning, which is a pattern or a prefix. */
	private static final Pattern PROPERTY = Pattern.compile("\"[^\"]*\\b(distributed-lock|spring)[.][a-z][^\"]*\"");

	private static final Pattern SHORT = Pattern.compile("\"[^\" ]*\"");

	@Test
	void adviceOnAPropertyMentionsSpringBoot() throws IOException {
		List<String> violations = new ArrayList<>();
		for (String module : List.of("lock-core", "lock-store-test", "lock-redis", "lock-spring", "lock-leadership",
				"lock-fencing")) {
			try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main"))) {
				for (Path file : files
					.filter((each) -> each.toString().matches(".*[.](java|kt)")
							&& !each.toString().contains("autoconfigure"))
					.toList()) {
					violations.addAll(violations(file.getFileName().toString(), Files.readAllLines(file)));
				}
			}
		}
		assertThat(violations).isEmpty();
	}

	@Test
	void adviceWithoutSpringBootIsFound() {
		assertThat(violations("A.java",
				List.of("say(\"Set 'spring.data.redis.*'.\");", "", "", "say(\"With Spring Boot, set \"",
						"\t+ \"'distributed-lock.key-prefix'.\");", "", "name(\"spring.data\");")))
			.containsExactly("A.java:1");
	}

	/**
	 * A sentence stands in three lines at most.
	 */
	private static List<String> violations(String file, List<String> lines) {
		List<String> violations = new ArrayList<>();
		for (int i = 0; i < lines.size(); i++) {
			String line = lines.get(i);
			if (PROPERTY.matcher(SHORT.matcher(line).replaceAll("")).find() && !line.strip().startsWith("*")
					&& !String.join(" ", lines.subList(Math.max(0, i - 1), Math.min(lines.size(), i + 2)))
						.contains("Spring Boot")) {
				violations.add(file + ":" + (i + 1));
			}
		}
		return violations;
	}

}
