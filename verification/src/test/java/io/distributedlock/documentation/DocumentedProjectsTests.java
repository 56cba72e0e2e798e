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

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Compiles and runs the programs of docs/lock-service.md as the projects that a reader
 * makes of them. The project has the dependencies of the page and no parent, and its
 * class path is what Maven made of them.
 */
class DocumentedProjectsTests {

	private static final Path PAGE = Path.of("..", "docs", "lock-service.md");

	private static final Path PROJECTS = Path.of("projects");

	@TempDir
	Path directory;

	@Test
	void theProgramWithoutSpringBootLocksOnRedis() throws Exception {
		DocumentedProject project = DocumentedProject.of("Without Spring Boot", "without-spring-boot");
		assertThat(project.fragment()).isEqualTo(project.elementsOfPom());
		try (RedisServer redis = RedisServer.start()) {
			String source = project.source().replace("6379", String.valueOf(redis.port()));
			assertThat(source).isNotEqualTo(project.source());
			assertThat(compile(project, source)).isEmpty();
			List<String> printed = await().atMost(Duration.ofMinutes(3))
				.pollDelay(Duration.ZERO)
				.ignoreExceptionsInstanceOf(LockUnavailableException.class)
				.until(() -> run(project), (lines) -> true);
			assertThat(printed).containsExactly("Paid under the lock order:42");
		}
	}

	@Test
	void theProgramWithoutSpringLocksInOneJvm() throws Exception {
		DocumentedProject project = DocumentedProject.of("Without Spring", "without-spring");
		assertThat(project.fragment()).isEqualTo(project.elementsOfPom());
		assertThat(compile(project, project.source())).isEmpty();
		assertThat(run(project)).containsExactly("Paid under the lock order:42", "Held now: 0");
	}

	@Test
	void aProgramWithoutItsDependenciesDoesNotCompile() throws Exception {
		DocumentedProject withSpring = DocumentedProject.of("Without Spring Boot", "without-spring-boot");
		DocumentedProject withoutSpring = DocumentedProject.of("Without Spring", "without-spring");
		assertThat(compile(withoutSpring, withSpring.source())).contains("org.springframework");
	}

	private String compile(DocumentedProject project, String source) throws IOException {
		Path file = Files.writeString(this.directory.resolve("Shop.java"), source);
		List<String> options = new ArrayList<>(
				List.of("--release", "17", "-proc:none", "-cp", project.classPath(), "-d", this.directory.toString()));
		if (project.fragment().contains("<maven.compiler.parameters>true<")) {
			options.add("-parameters");
		}
		StringWriter messages = new StringWriter();
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
			boolean compiled = compiler.getTask(messages, files, null, options, null, files.getJavaFileObjects(file))
				.call();
			return compiled ? "" : messages.toString();
		}
	}

	/**
	 * Run the program, which prints what it did, or ends with an exception.
	 * @return what it printed
	 */
	private List<String> run(DocumentedProject project) throws Exception {
		Path output = this.directory.resolve("output");
		Path errors = this.directory.resolve("errors");
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-cp", this.directory + File.pathSeparator + project.classPath(), "Shop")
			.redirectOutput(output.toFile())
			.redirectError(errors.toFile())
			.start();
		try {
			assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("The program ended").isTrue();
			// On a busy machine the connection and the first answer take longer than they
			// may
			if (process.exitValue() != 0
					&& Files.readString(errors).contains(LockUnavailableException.class.getName())) {
				throw new LockUnavailableException("order:42", Files.readString(errors), null);
			}
			assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
			return Files.readAllLines(output);
		}
		finally {
			process.destroyForcibly();
		}
	}

	/**
	 * A section of the page, and the project that has its dependencies.
	 */
	private record DocumentedProject(String fragment, String source, Path directory) {

		private static final Pattern ELEMENTS = Pattern.compile("<(properties|dependencies)>.*?</\\1>", Pattern.DOTALL);

		static DocumentedProject of(String heading, String directory) throws IOException {
			Matcher section = Pattern
				.compile("\n## %s\n.*?```xml\n(.*?)```.*?```java\n(.*?)```".formatted(heading), Pattern.DOTALL)
				.matcher(Files.readString(PAGE));
			assertThat(section.find()).as(heading).isTrue();
			return new DocumentedProject(elements(section.group(1)), section.group(2), PROJECTS.resolve(directory));
		}

		String elementsOfPom() throws IOException {
			return elements(Files.readString(this.directory.resolve("pom.xml")));
		}

		String classPath() throws IOException {
			return Files.readString(this.directory.resolve("target").resolve("class-path")).strip();
		}

		/**
		 * The elements that a reader copies, without their indentation.
		 */
		private static String elements(String xml) {
			return String.join("\n",
					ELEMENTS.matcher(xml.replaceAll("(?m)^\\s+", "")).results().map(MatchResult::group).toList());
		}

	}

}
