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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.util.ReflectionUtils;

/**
 * A table of the documentation whose rows name, in their last cell, the test that shows
 * them.
 *
 * @param head the titles of the columns
 */
public record DocumentedTable(List<String> head, List<List<String>> rows) {

	/**
	 * Read the first table of a section.
	 * @param page the name of the page in docs
	 */
	public static DocumentedTable of(String page, String heading) {
		List<List<String>> rows = section(page, heading).lines()
			.dropWhile((line) -> !line.startsWith("|"))
			.takeWhile((line) -> line.startsWith("|"))
			.filter((line) -> !line.startsWith("|---"))
			.map((line) -> Stream.of(line.substring(1).split("\\|")).map(String::strip).toList())
			.toList();
		return new DocumentedTable(rows.get(0), rows.subList(1, rows.size()));
	}

	private static String section(String page, String heading) {
		try {
			String text = Files.readString(Path.of("..", "docs", page));
			return text.substring(text.indexOf("\n## " + heading + "\n") + 1);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the test that a row names, or an empty text.
	 */
	public static String testOf(List<String> row) {
		return row.get(row.size() - 1).replace("`", "");
	}

	/**
	 * Return the names of the tests that a class has or inherits.
	 */
	public static Set<String> testsOf(Class<?> type) {
		return Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
			.filter((method) -> method.isAnnotationPresent(Test.class))
			.map(Method::getName)
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
