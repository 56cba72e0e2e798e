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

package io.distributedlock.store.example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.distributedlock.store.test.LockStoreContractTests;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares docs/stores.md with the example that it shows and with the contract.
 */
class StoresPageTests {

	private static final Path PAGE = Path.of("..", "docs", "stores.md");

	private static final Path EXAMPLE = Path.of("src", "test", "java", "io", "distributedlock", "store", "example");

	private static final Pattern JAVA = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

	private static final Pattern PREDICATE = Pattern.compile("\\| `(\\w+)\\(\\)` \\|");

	@Test
	void pageShowsTheCodeThatIsTested() throws IOException {
		String sources = withoutIndentation(Files.readString(EXAMPLE.resolve("JdbcLockStore.java"))
				+ Files.readString(EXAMPLE.resolve("JdbcLockStoreTests.java")));
		List<String> shown = matches(JAVA);
		assertThat(shown).hasSize(2)
			.allSatisfy((code) -> assertThat(sources).contains(withoutIndentation(code).strip()));
	}

	@Test
	void pageNamesThePredicatesOfTheContract() throws IOException {
		List<String> named = matches(PREDICATE);
		assertThat(named).hasSize(5)
			.allSatisfy((name) -> assertThat(LockStoreContractTests.class.getDeclaredMethod(name).getReturnType())
				.isEqualTo(boolean.class));
	}

	private static List<String> matches(Pattern pattern) throws IOException {
		return pattern.matcher(Files.readString(PAGE)).results().map((MatchResult match) -> match.group(1)).toList();
	}

	private static String withoutIndentation(String code) {
		return code.replaceAll("(?m)^\\t+", "");
	}

}
