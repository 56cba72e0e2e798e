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

import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compiles the Java of the documentation. That of docs/requests.md is left out, as the
 * clients of the brokers are on no class path.
 */
class DocumentationTests {

	private static final Pattern JAVA = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

	private static final Pattern OMITTED = Pattern.compile("\\{\\s*…\\s*}");

	/**
	 * What the examples use and do not show.
	 */
	private static final String SURROUNDINGS = """
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
			import org.springframework.jdbc.core.*;
			import org.springframework.resilience.annotation.*;
			import org.springframework.scheduling.annotation.*;
			import org.springframework.transaction.annotation.*;
			import org.springframework.stereotype.*;

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

				interface Counter {

					void increment();

				}

				interface Storage {

					void write(Part part, long fencingToken);

				}

				Counter skipped;

				JdbcTemplate jdbc;

				LockService locks;

				List<Part> parts;

				Storage storage;

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

	@TempDir
	Path directory;

	@ParameterizedTest
	@ValueSource(strings = { "README.md", "docs/annotation.md", "docs/caching.md", "docs/leadership.md",
			"docs/lock-service.md", "docs/migration.md", "docs/scheduling.md", "docs/several-holders.md" })
	void theExamplesCompile(String page) throws Exception {
		List<String> examples = examples(page);
		assertThat(examples).isNotEmpty().allSatisfy((example) -> assertThat(compile(example)).as(example).isEmpty());
	}

	@Test
	void anExampleThatDoesNotFitTheApiDoesNotCompile() throws Exception {
		String example = "@DistributedLock(name = \"job\", lease = 30) void run() { … }";
		assertThat(compile(OMITTED.matcher(example).replaceAll("{}"))).contains("lease()");
	}

	/**
	 * Read the examples, except for those with imports of their own.
	 */
	private static List<String> examples(String page) throws Exception {
		return JAVA.matcher(Files.readString(Path.of("..").resolve(page)))
			.results()
			.map((block) -> block.group(1))
			.filter((block) -> !block.startsWith("import "))
			.map((block) -> OMITTED.matcher(block).replaceAll("{ throw new UnsupportedOperationException(); }"))
			.map((block) -> block.startsWith("try ") ? "void example() {\n" + block + "}" : block)
			.map((block) -> block.replaceAll("(?m)^class ", "static class "))
			.toList();
	}

	private String compile(String example) throws Exception {
		Path file = Files.writeString(this.directory.resolve("Example.java"), SURROUNDINGS.formatted(example));
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		StringWriter messages = new StringWriter();
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
			Iterable<? extends JavaFileObject> sources = files.getJavaFileObjects(file);
			boolean compiled = compiler
				.getTask(messages, files, null,
						List.of("-parameters", "-proc:none", "-nowarn", "-cp", System.getProperty("java.class.path"),
								"-d", this.directory.toString()),
						null, sources)
				.call();
			return compiled ? "" : messages.toString();
		}
	}

}
