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

package io.distributedlock.example;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares what docs/lock-service.md promises to each kind of application with the tests
 * in an application of that kind.
 */
class DocumentedPromisesTests {

	private static final List<String> HEAD = List.of("", "Boot", "Java", "Shown by");

	private static final Map<String, Set<String>> TESTS = Map.of("Boot", Set.of("one", "two"), "Java", Set.of("one"));

	private static final List<String> ONE = List.of("One", "yes", "yes, slowly", "`one`");

	private static final List<String> TWO = List.of("Two", "yes", "no: call it", "`two`");

	@Test
	void eachKindOfApplicationTestsThePromisesOfThePage() {
		Map<String, Set<String>> tests = new LinkedHashMap<>();
		tests.put("Spring Boot", DocumentedTable.testsOf(SpringBootApplicationTests.class));
		tests.put("Spring alone", DocumentedTable.testsOf(SpringAloneApplicationTests.class));
		tests.put("Plain Java", DocumentedTable.testsOf(PlainJavaApplicationTests.class));
		assertThat(violations(DocumentedTable.of("lock-service.md", "With Boot, Spring alone, plain Java"), tests))
			.isEmpty();
	}

	@Test
	void rowsThatFitTheTestsAreNoViolation() {
		assertThat(violations(List.of(ONE, TWO))).isEmpty();
	}

	@Test
	void rowThatNamesNoTestIsFound() {
		assertThat(violations(List.of(ONE, TWO, List.of("Three", "yes", "no", "`three`"))))
			.containsExactly("Boot: 'Three' is promised, and three is not a test of it.");
	}

	@Test
	void testThatNoRowNamesIsFound() {
		assertThat(violations(List.of(ONE))).containsExactly("No row names two.");
	}

	@Test
	void testWithoutAPromiseIsFound() {
		assertThat(violations(List.of(List.of("One", "yes", "no", "`one`"), TWO)))
			.containsExactly("Java: 'One' is not promised, although one tests it.");
	}

	@Test
	void cellThatIsNeitherYesNorNoIsFound() {
		assertThat(violations(List.of(ONE, TWO, List.of("Four", "perhaps", "no", "`four`"))))
			.containsExactly("Boot: 'Four' is neither 'yes' nor 'no', but 'perhaps'.");
	}

	private static List<String> violations(List<List<String>> rows) {
		return violations(new DocumentedTable(HEAD, rows), TESTS);
	}

	/**
	 * Compare a table with the tests of each of its columns.
	 */
	private static List<String> violations(DocumentedTable table, Map<String, Set<String>> tests) {
		List<String> violations = new ArrayList<>();
		Set<String> unnamed = tests.values()
			.stream()
			.flatMap(Set::stream)
			.collect(Collectors.toCollection(TreeSet::new));
		for (List<String> row : table.rows()) {
			String test = DocumentedTable.testOf(row);
			unnamed.remove(test);
			for (int column = 1; column < row.size() - 1; column++) {
				String kind = table.head().get(column);
				String cell = row.get(column);
				boolean tested = tests.getOrDefault(kind, Set.of()).contains(test);
				if (!cell.matches("(yes|no)\\b.*")) {
					violations.add("%s: '%s' is neither 'yes' nor 'no', but '%s'.".formatted(kind, row.get(0), cell));
				}
				else if (cell.startsWith("yes") && !tested) {
					violations
						.add("%s: '%s' is promised, and %s is not a test of it.".formatted(kind, row.get(0), test));
				}
				else if (cell.startsWith("no") && tested) {
					violations.add("%s: '%s' is not promised, although %s tests it.".formatted(kind, row.get(0), test));
				}
			}
		}
		unnamed.forEach((test) -> violations.add("No row names %s.".formatted(test)));
		return violations;
	}

}
