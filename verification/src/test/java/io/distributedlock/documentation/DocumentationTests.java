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

package io.distributedlock.documentation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compiles the Java of all pages, with what the pages name as dependencies, and checks
 * these. The first example of a page shows its imports. Beside each rule stands an
 * example that breaks it.
 */
class DocumentationTests {

	/**
	 * Pages whose examples are compiled elsewhere, with the sources that they are taken
	 * from.
	 */
	private static final Map<String, Path> EXCERPTS = Map.of("docs/stores.md",
			Path.of("../lock-store-test/src/test/java"), "sample-app/README.md",
			Path.of("../sample-app/src/main/java"));

	private static final Path PROJECTS = Path.of("projects");

	private static final Path SURROUNDINGS = PROJECTS.resolve("with-all-modules/surroundings");

	private static final Pattern OMITTED = Pattern.compile("\\{\\s*…\\s*}");

	private static final Pattern IMPORTS = Pattern.compile("\\A(?:\\s*import (?:static )?[\\w.*]+;)*");

	private static final Pattern STATEMENT = Pattern.compile("(?:try |[\\w.]+\\(|[\\w<>]+ \\w+ = ).*", Pattern.DOTALL);

	private static final Pattern DEPENDENCY = Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL);

	private static final Pattern COORDINATES = Pattern.compile("\\bio\\.distributedlock:([\\w-]+)(?::([\\w.-]+))?");

	private static final String GROUP = "io.distributedlock";

	private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

	/** Shared, as it reads the class path. */
	private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

	@TempDir
	Path directory;

	@AfterAll
	static void closeFiles() throws IOException {
		FILES.close();
	}

	@Test
	void theExamplesCompile() throws Exception {
		List<CodeBlock> examples = new ArrayList<>(CodeBlock.ofAllPages("java"));
		assertThat(examples).hasSizeGreaterThan(50);
		assertThat(examples.removeIf((example) -> EXCERPTS.containsKey(example.page()))).isTrue();
		assertThat(problems(examples)).isEmpty();
	}

	@Test
	void excerptsStandInTheirSources() throws Exception {
		for (Map.Entry<String, Path> excerpts : EXCERPTS.entrySet()) {
			List<CodeBlock> blocks = CodeBlock.of(excerpts.getKey(), "java");
			assertThat(blocks).as(excerpts.getKey()).isNotEmpty();
			assertThat(missing(blocks, excerpts.getValue())).isEmpty();
		}
	}

	@Test
	void excerptsDoNotCompileAlone() throws Exception {
		for (String page : EXCERPTS.keySet()) {
			assertThat(problems(CodeBlock.of(page, "java"))).as(page).isNotEmpty();
		}
	}

	/**
	 * By {@code DocumentedKotlinTests}, beside the compiler.
	 */
	@Test
	void kotlinStandsOnlyOnThePageOfWhichItIsCompiled() throws Exception {
		assertThat(CodeBlock.ofAllPages("kotlin")).extracting(CodeBlock::page).containsOnly("docs/lock-service.md");
	}

	@Test
	void dependenciesExistInTheirVersion() throws Exception {
		List<String> problems = new ArrayList<>();
		for (String page : CodeBlock.pages()) {
			problems.addAll(dependencyProblems(page, Files.readString(Path.of("..").resolve(page))));
		}
		assertThat(problems).isEmpty();
	}

	@Test
	void anExampleThatDoesNotFitTheApiDoesNotCompile() throws Exception {
		List<CodeBlock> examples = CodeBlock.in("pages/one.md", """
				```java
				import io.distributedlock.annotation.DistributedLock;

				@DistributedLock(name = "job", timeout = 30) void run() { … }
				```
				   ```java
				   @DistributedLock(name = "job", lease = 30) void run() { … }
				   ```
				""", "java");
		assertThat(problems(examples)).singleElement().asString().startsWith("pages/one.md:7: ").contains("lease()");
	}

	@Test
	void aFirstExampleWithoutItsImportsDoesNotCompile() throws Exception {
		List<CodeBlock> examples = CodeBlock.in("pages/one.md",
				"```java\n@DistributedLock(name = \"job\") void run() { … }\n```\n", "java");
		assertThat(problems(examples)).isNotEmpty()
			.allSatisfy((problem) -> assertThat(problem).startsWith("pages/one.md:2: ").contains("DistributedLock"));
	}

	@Test
	void anExcerptThatDiffersFromItsSourceIsFound() throws Exception {
		Path source = Files.createDirectories(this.directory.resolve("a")).resolve("A.java");
		Files.writeString(source, "class A {\n\tvoid run() {\n\t\tcall(1,\n\t\t\t2);\n\t}\n}\n");
		List<CodeBlock> examples = CodeBlock.in("pages/one.md",
				"```java\nvoid run() { // runs\n\tcall(1, 2);\n\t…\n```\n```java\nvoid run() { … }\ncall(3);\n```\n",
				"java");
		assertThat(missing(examples, source.getParent()))
			.containsExactly("pages/one.md:7: this is not in a source: call(3);");
	}

	@Test
	void aDependencyThatDoesNotExistIsFound() throws Exception {
		String version = version();
		assertThat(dependencyProblems("pages/one.md", """
				implementation("io.distributedlock:lock-core:%1$s"), `io.distributedlock:lock-spring`
				```xml
				<dependency>
					<groupId>io.distributedlock</groupId>
					<artifactId>lock-redis</artifactId>
					<version>%1$s</version>
				</dependency>
				<dependency>
					<groupId>io.lettuce</groupId>
					<artifactId>lettuce-core</artifactId>
					<version>7.5.2.RELEASE</version>
				</dependency>
				```
				""".formatted(version))).isEmpty();
		assertThat(dependencyProblems("pages/two.md", """
				implementation("io.distributedlock:lock-core:0.0.1"), `io.distributedlock:lock-spring-starter`
				```xml
				<dependency>
					<groupId>io.distributedlock</groupId>
					<artifactId>lock-redis</artifactId>
				</dependency>
				<dependency>
					<groupId>io.lettuce</groupId>
					<artifactId>lettuce-core</artifactId>
					<version>7.5.2</version>
				</dependency>
				```
				""")).containsExactly(
				"pages/two.md: io.distributedlock:lock-core:0.0.1 does not exist: name version " + version,
				"pages/two.md: io.distributedlock:lock-spring-starter does not exist: name a module of this build",
				"pages/two.md:3: io.distributedlock:lock-redis has no version",
				"pages/two.md:3: io.lettuce:lettuce-core:7.5.2 is in no project of the documentation");
	}

	private static List<String> dependencyProblems(String page, String source) throws IOException {
		List<String> problems = new ArrayList<>();
		Matcher named = COORDINATES.matcher(source);
		while (named.find()) {
			moduleProblem(named.group(1), named.group(2)).ifPresent((problem) -> problems.add(page + ": " + problem));
		}
		for (CodeBlock block : CodeBlock.in(page, source, "xml")) {
			Matcher dependency = DEPENDENCY.matcher(block.text());
			while (dependency.find()) {
				String group = element("groupId", dependency.group(1));
				String artifact = element("artifactId", dependency.group(1));
				String version = element("version", dependency.group(1));
				if (version.isEmpty()) {
					problems.add("%s: %s:%s has no version".formatted(block, group, artifact));
				}
				else if (group.equals(GROUP)) {
					moduleProblem(artifact, version).ifPresent((problem) -> problems.add(block + ": " + problem));
				}
				else if (!classPaths().contains("/%s-%s.jar".formatted(artifact, version))) {
					problems.add("%s: %s:%s:%s is in no project of the documentation".formatted(block, group, artifact,
							version));
				}
			}
		}
		return problems;
	}

	private static Optional<String> moduleProblem(String artifact, @Nullable String version) throws IOException {
		if (!modules().contains(artifact)) {
			return Optional.of("%s:%s does not exist: name a module of this build".formatted(GROUP, artifact));
		}
		if (version != null && !version.equals(version())) {
			return Optional
				.of("%s:%s:%s does not exist: name version %s".formatted(GROUP, artifact, version, version()));
		}
		return Optional.empty();
	}

	private static Set<String> modules() throws IOException {
		return Pattern.compile("<module>(lock-[\\w-]+)</module>")
			.matcher(Files.readString(Path.of("../pom.xml")))
			.results()
			.map((module) -> module.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static String version() throws IOException {
		return element("version", Files.readString(Path.of("../pom.xml")));
	}

	private static String classPaths() throws IOException {
		return DocumentedProject.classPath("with-all-modules") + DocumentedProject.classPath("without-spring-boot");
	}

	/**
	 * Return the content of the first element of that name, or an empty text.
	 */
	private static String element(String name, String xml) {
		Matcher element = Pattern.compile("<%1$s>(.*?)</%1$s>".formatted(name)).matcher(xml);
		return element.find() ? element.group(1) : "";
	}

	/**
	 * Find parts of examples that are in no source. Space does not count, nor do comments
	 * at the end of a line.
	 */
	private static List<String> missing(List<CodeBlock> examples, Path sources) throws IOException {
		String text;
		try (Stream<Path> files = Files.walk(sources)) {
			text = files.filter((file) -> file.toString().endsWith(".java"))
				.map(DocumentationTests::read)
				.map(DocumentationTests::withoutSpace)
				.collect(Collectors.joining());
		}
		List<String> missing = new ArrayList<>();
		for (CodeBlock example : examples) {
			for (String part : example.text().replaceAll("(?m)//.*$", "").split("…(?:[ )]+[;}]*)*|\n")) {
				if (!text.contains(withoutSpace(part))) {
					missing.add("%s: this is not in a source: %s".formatted(example, part.strip()));
				}
			}
		}
		return missing;
	}

	private static String withoutSpace(String code) {
		return code.replaceAll("\\s", "");
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Compile examples, each in a class of its own.
	 * @return what the compiler objects to
	 */
	private List<String> problems(List<CodeBlock> examples) throws IOException {
		String imports = imports(Files.readString(SURROUNDINGS.resolve("Surroundings.java")));
		Map<String, CodeBlock> files = new LinkedHashMap<>();
		List<Path> sources = new ArrayList<>();
		for (CodeBlock example : examples) {
			String imported = example.first() ? "" : imports + imports(surroundings(example.page()));
			String name = "Example" + (files.size() + 1);
			files.put(name + ".java", example);
			sources.add(write(name, "package documentation;\n%s\n%s\nclass %s extends %s {\n%s\n}\n".formatted(imported,
					imports(example.text()), name, surroundingsName(example.page()), members(example.text()))));
		}
		try (Stream<Path> surroundings = Files.list(SURROUNDINGS)) {
			for (Path file : surroundings.toList()) {
				sources.add(write(file.getFileName().toString().replace(".java", ""),
						"package documentation;\n" + imports + "\n" + Files.readString(file)));
			}
		}
		DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
		COMPILER
			.getTask(null, FILES, diagnostics,
					List.of("--release", "17", "-parameters", "-proc:none", "-nowarn", "-implicit:none", "-cp",
							DocumentedProject.classPath("with-all-modules"), "-d", this.directory.toString()),
					null, FILES.getJavaFileObjectsFromPaths(sources))
			.call();
		return diagnostics.getDiagnostics()
			.stream()
			.filter((problem) -> problem.getKind() == Diagnostic.Kind.ERROR)
			.map((problem) -> "%s: %s".formatted(
					(problem.getSource() != null) ? where(problem.getSource().getName(), files) : "The compiler",
					problem.getMessage(null)))
			.toList();
	}

	private static Object where(String file, Map<String, CodeBlock> files) {
		String name = Path.of(file).getFileName().toString();
		return files.containsKey(name) ? files.get(name) : SURROUNDINGS.resolve(name);
	}

	private static String surroundings(String page) throws IOException {
		return Files.readString(SURROUNDINGS.resolve(surroundingsName(page) + ".java"));
	}

	/**
	 * Name the class of what a page uses and does not show: docs/return-types.md may have
	 * one that is called ReturnTypes.
	 */
	private static String surroundingsName(String page) {
		String name = Pattern.compile("(?:^|-)(\\w)")
			.matcher(page.replaceAll(".*/|\\.md$", ""))
			.replaceAll((letter) -> letter.group(1).toUpperCase(Locale.ROOT));
		return Files.exists(SURROUNDINGS.resolve(name + ".java")) ? name : "Surroundings";
	}

	private static String members(String example) {
		String code = OMITTED.matcher(example.substring(imports(example).length()).strip())
			.replaceAll("{ throw new UnsupportedOperationException(); }");
		if (STATEMENT.matcher(code).matches()) {
			code = "void example() throws Exception {\n" + code + "}";
		}
		return code.replaceAll("(?m)^public class ", "class ");
	}

	private static String imports(String example) {
		return IMPORTS.matcher(example).results().map(MatchResult::group).findFirst().orElse("");
	}

	private Path write(String name, String source) throws IOException {
		return Files.writeString(this.directory.resolve(name + ".java"), source);
	}

}
