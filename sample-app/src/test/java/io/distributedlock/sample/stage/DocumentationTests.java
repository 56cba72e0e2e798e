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
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compiles the Java of the documentation. Of docs/requests.md only the first example, as
 * the clients of the brokers are on no class path.
 */
class DocumentationTests {

	private static final Pattern JAVA = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

	private static final Pattern OMITTED = Pattern.compile("\\{\\s*…\\s*}");

	private static final Pattern IMPORTS = Pattern.compile("\\A(?:\\s*import [\\w.]+;)*");

	private static final Pattern STATEMENT = Pattern.compile("(?:try |\\w+\\.\\w+\\().*", Pattern.DOTALL);

	/**
	 * What the first example of a page has told before another one.
	 */
	private static final String IMPORTED = """
			import java.lang.annotation.*;
			import java.time.*;
			import java.util.*;
			import io.distributedlock.*;
			import io.distributedlock.annotation.*;
			import io.distributedlock.leadership.*;
			import io.distributedlock.leadership.annotation.*;
			import org.springframework.cache.*;
			import org.springframework.cache.annotation.*;
			import org.springframework.core.annotation.AliasFor;
			import org.springframework.dao.*;
			import org.springframework.resilience.annotation.*;
			import org.springframework.scheduling.annotation.*;
			import org.springframework.transaction.*;
			import org.springframework.transaction.annotation.*;
			import org.springframework.transaction.support.*;
			import org.springframework.stereotype.*;
			""";

	/**
	 * What the examples use and do not show.
	 */
	private static final String SURROUNDINGS = """
			package %s;
			%s
			class Example {

				record Order(String id, boolean shared) {
				}

				record Batch() {
				}

				record Book() {
				}

				record Part() {
				}

				record Receipt() {
				}

				record Report() {
				}

				interface Accounts {

					int balance(int id);

					void save(int id, int balance);

					void deposit(int id, int amount);

				}

				interface Counter {

					void increment();

				}

				interface Repository {

					reactor.core.publisher.Mono<Order> save(Order order, long fencingToken);

				}

				interface Storage {

					void write(Part part, long fencingToken);

				}

				Accounts accounts;

				io.distributedlock.fencing.Fences fences;

				Counter skipped;

				org.springframework.jdbc.core.JdbcTemplate jdbc;

				io.distributedlock.LockService locks;

				Order order;

				java.util.List<Part> parts;

				Repository repository;

				Storage storage;

				org.springframework.transaction.support.TransactionTemplate transaction;

				void store(Batch batch) {
				}

				static void stopWriting() {
				}

				static void deleteOldFiles() {
				}

				static void startWorker(long fencingToken) {
				}

				static void stopWorker() {
				}

				static void write(Part part, long fencingToken) {
				}

				%s

			}
			""";

	private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

	/** Shared, as it reads the class path. */
	private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

	@TempDir
	Path directory;

	@AfterAll
	static void closeFiles() throws IOException {
		FILES.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "docs/annotation.md", "docs/caching.md", "docs/fencing.md",
			"docs/leadership.md", "docs/lock-service.md", "docs/migration.md", "docs/scheduling.md",
			"docs/several-holders.md", "docs/troubleshooting.md" })
	void theExamplesCompile(String page) throws Exception {
		List<String> examples = examples(page);
		assertThat(examples).isNotEmpty();
		assertThat(compile(IMPORTED, examples)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "README.zh-CN.md", "docs/annotation.md", "docs/caching.md",
			"docs/compatibility.md", "docs/fencing.md", "docs/leadership.md", "docs/lock-service.md",
			"docs/requests.md", "docs/return-types.md", "docs/scheduling.md", "docs/several-holders.md",
			"docs/troubleshooting.md" })
	void firstExampleOfAPageCompilesWithoutMoreImports(String page) throws Exception {
		assertThat(compile("", examples(page).subList(0, 1))).isEmpty();
	}

	@Test
	void anExampleThatDoesNotFitTheApiDoesNotCompile() throws Exception {
		String example = "@DistributedLock(name = \"job\", lease = 30) void run() { … }";
		assertThat(compile(IMPORTED, List.of(complete(example)))).contains("lease()");
	}

	@Test
	void anExampleWithoutItsImportsDoesNotCompile() throws Exception {
		String example = "@DistributedLock(name = \"job\") void run() { … }";
		String imports = "import io.distributedlock.annotation.DistributedLock;\n\n";
		assertThat(compile("", List.of(complete(example)))).contains("DistributedLock");
		assertThat(compile("", List.of(complete(imports + example)))).isEmpty();
	}

	private static List<String> examples(String page) throws IOException {
		return JAVA.matcher(Files.readString(Path.of("..").resolve(page)))
			.results()
			.map((block) -> complete(block.group(1)))
			.toList();
	}

	private static String complete(String example) {
		String imports = imports(example);
		String code = OMITTED.matcher(example.substring(imports.length()).strip())
			.replaceAll("{ throw new UnsupportedOperationException(); }");
		if (STATEMENT.matcher(code).matches()) {
			code = "void example() {\n" + code + "}";
		}
		return imports + "\n" + code.replaceAll("(?m)^(?:public )?class ", "static class ");
	}

	private static String imports(String example) {
		Matcher imports = IMPORTS.matcher(example);
		return imports.find() ? imports.group() : "";
	}

	/**
	 * Compile examples, each in a package of its own.
	 * @return what the compiler objects to
	 */
	private String compile(String imported, List<String> examples) throws IOException {
		List<Path> sources = new ArrayList<>();
		for (String example : examples) {
			String name = "example" + (sources.size() + 1);
			String imports = imports(example);
			Path source = Files.createDirectories(this.directory.resolve(name)).resolve("Example.java");
			sources.add(Files.writeString(source,
					SURROUNDINGS.formatted(name, imported + imports, example.substring(imports.length()))));
		}
		StringWriter messages = new StringWriter();
		boolean compiled = COMPILER.getTask(
				messages, FILES, null, List.of("-parameters", "-proc:none", "-nowarn", "-cp",
						System.getProperty("java.class.path"), "-d", this.directory.toString()),
				null, FILES.getJavaFileObjectsFromPaths(sources))
			.call();
		return compiled ? "" : messages.toString();
	}

}
