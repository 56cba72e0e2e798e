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

package io.distributedlock.migration;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.openrewrite.ExecutionContext;
import org.openrewrite.InMemoryExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.SourceFile;
import org.openrewrite.config.Environment;
import org.openrewrite.internal.InMemoryLargeSourceSet;
import org.openrewrite.java.JavaParser;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs a recipe on sources that compile before, and compiles them afterwards with this
 * project.
 */
abstract class MigrationTests {

	/** Without Lombok, which the parser would run. */
	private static final List<Path> CLASS_PATH = JavaParser.runtimeClasspath()
		.stream()
		.filter((path) -> path.getFileName().toString().matches("(spring|shedlock|lock4j|redisson)-.*[.]jar"))
		.toList();

	private final String recipe;

	private final String[] stubs;

	/**
	 * @param recipe the recipe of {@code migration.yml}
	 * @param stubs what the sources need in addition to the class path of the tests
	 */
	MigrationTests(String recipe, String... stubs) {
		this.recipe = recipe;
		this.stubs = stubs;
	}

	/**
	 * A source before and after the recipe.
	 */
	record Change(String before, String after) {

	}

	static Change java(String before, String after) {
		return new Change(before, after);
	}

	void migrates(Change... changes) {
		List<String> before = Stream.of(changes).map(Change::before).toList();
		List<String> after = Stream.of(changes).map(Change::after).toList();
		assertThat(Compilation.errorsOf(before, this.stubs)).isEmpty();
		List<String> actual = run(recipe(this.recipe), parse(before, this.stubs));
		assertThat(actual).containsExactlyElementsOf(after);
		assertThat(Compilation.errorsOf(actual, this.stubs)).isEmpty();
	}

	static Recipe recipe(String name) {
		Recipe recipe = Environment.builder()
			.scanYamlResources()
			.build()
			.activateRecipes("io.distributedlock.migration." + name);
		assertThat(recipe.validateAll()).allSatisfy((validated) -> assertThat(validated.isValid()).isTrue());
		return recipe;
	}

	static List<SourceFile> parse(List<String> sources, String... stubs) {
		return JavaParser.fromJavaVersion()
			.classpath(CLASS_PATH)
			.dependsOn(stubs)
			.build()
			.parse(context(), sources.toArray(String[]::new))
			.toList();
	}

	/**
	 * Return the sources after the recipe, in their order.
	 */
	static List<String> run(Recipe recipe, List<SourceFile> sources) {
		Map<?, String> changed = recipe.run(new InMemoryLargeSourceSet(sources), context())
			.getChangeset()
			.getAllResults()
			.stream()
			.collect(
					Collectors.toMap((result) -> result.getBefore().getId(), (result) -> result.getAfter().printAll()));
		return sources.stream()
			.map((source) -> changed.containsKey(source.getId()) ? changed.get(source.getId()) : source.printAll())
			.toList();
	}

	static ExecutionContext context() {
		return new InMemoryExecutionContext((ex) -> {
			throw new IllegalStateException(ex);
		});
	}

}
