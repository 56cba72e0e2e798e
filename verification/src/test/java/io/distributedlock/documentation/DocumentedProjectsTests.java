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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Compiles and runs what stands on the pages as a whole, in the projects that a reader
 * makes of them: the programs of docs/lock-service.md, which have no parent, and the
 * classes that begin the guides, in an application with nothing but the starter.
 */
class DocumentedProjectsTests {

	private static final Path ROOT = Path.of("..");

	/** Pages that begin with a class that runs as it stands there. */
	private static final List<String> GUIDES = List.of("docs/annotation.md", "docs/lock-service.md",
			"docs/return-types.md", "docs/scheduling.md", "docs/several-holders.md");

	/** The schedule of the job of the guides. */
	private static final String THREE_O_CLOCK = "0 0 3 * * *";

	private static final Pattern TYPE = Pattern.compile("(?m)^(?:public )?class (\\w+)");

	private static final Pattern PARENT_VERSION = Pattern
		.compile("<artifactId>spring-boot-starter-parent</artifactId>\\s*<version>(.*?)</version>");

	private static final Pattern BOOT_VERSION = Pattern.compile("<spring-boot.version>(.*?)</spring-boot.version>");

	@TempDir
	Path directory;

	@Test
	void theProgramWithoutSpringBootLocksOnRedis() throws Exception {
		DocumentedProject project = project("without-spring-boot");
		Section section = Section.of("Without Spring Boot");
		assertThat(section.fragment()).isEqualTo(DocumentedProject.elements(project.pom()))
			.contains("<maven.compiler.parameters>true<");
		project.write("Shop.java", section.source().replace("6379", String.valueOf(RedisServer.shared().port())));
		assertThat(section.source()).contains("6379");
		assertThat(project.compile("-parameters")).isEmpty();
		assertThat(untilRedisAnswers(() -> project.run("Shop"))).containsExactly("Paid under the lock order:42");
	}

	@Test
	void theProgramWithoutSpringLocksInOneJvm() throws Exception {
		DocumentedProject project = project("without-spring");
		Section section = Section.of("Without Spring");
		assertThat(section.fragment()).isEqualTo(DocumentedProject.elements(project.pom()));
		project.write("Shop.java", section.source());
		assertThat(project.compile()).isEmpty();
		assertThat(project.run("Shop")).containsExactly("Paid under the lock order:42", "Held now: 0");
	}

	@Test
	void theGuidesBeginWithClassesThatRunWithTheStarterAlone() throws Exception {
		DocumentedProject project = project("with-spring-boot");
		assertThat(DocumentedProject.flat(project.pom())).contains(dependency("README.md"))
			.containsOnlyOnce("<dependency>");
		// From three to five, the application itself would make up for the run of today
		String inTenHours = "0 0 %d * * *".formatted(Instant.now().atZone(ZoneOffset.UTC).plusHours(10).getHour());
		for (String guide : GUIDES) {
			String source = CodeBlock.of(guide, "java").get(0).text();
			Matcher type = TYPE.matcher(source);
			assertThat(type.find()).as(guide + " begins with a class").isTrue();
			assertThat(source).as(guide).doesNotContain("…");
			project.write(type.group(1) + ".java",
					"package com.example;\n\n" + source.replace(THREE_O_CLOCK, inTenHours));
		}
		assertThat(this.directory.resolve("NightlyReport.java")).content().contains(inTenHours);
		project.write("Application.java", project.read("Application.java"));
		project.write("application.yml", yaml("docs/configuration.md"));
		assertThat(project.compile("-parameters")).isEmpty();
		List<String> printed = untilRedisAnswers(() -> project.run("com.example.Application", arguments()));
		assertThat(printed).noneMatch(DocumentedProjectsTests::isWarning)
			.containsSubsequence("Locked order:42", "Shipped order 42", "Locked nightly-report", "Locked export",
					"Export a", "Locked index:b", "Read index b", "Locked index:c", "Rebuild index c", "Locked order:d",
					"Shipped order d", "Locked export:e");
	}

	@Test
	void theFirstTestRunsWithTheStartersAlone() throws Exception {
		DocumentedProject project = project("with-test-starter");
		assertThat(DocumentedProject.flat(project.pom()))
			.contains(dependency("README.md"), dependency("docs/testing.md"))
			.doesNotContain("lock-leadership", "lock-fencing");
		project.write("OrderServiceTests.java",
				"package com.example;\n\n" + CodeBlock.of("docs/testing.md", "java").get(0).text());
		for (String file : List.of("Application.java", "Tests.java")) {
			project.write(file, project.read(file));
		}
		assertThat(project.compile("-parameters")).isEmpty();
		assertThat(project.run("com.example.Tests")).contains("Tests passed: 1")
			.noneMatch(DocumentedProjectsTests::isWarning);
	}

	@Test
	void thePropertiesOfThePagesConfigureAnApplicationWithAllModules() throws Exception {
		DocumentedProject project = project("with-all-modules");
		for (String page : List.of("README.md", "docs/fencing.md", "docs/leadership.md", "docs/stores.md",
				"docs/testing.md")) {
			assertThat(DocumentedProject.flat(project.pom())).as(page).contains(dependency(page));
		}
		List<CodeBlock> properties = settings("properties");
		List<CodeBlock> yaml = settings("yaml");
		assertThat(properties).hasSizeGreaterThan(2);
		assertThat(yaml).hasSizeGreaterThan(1);
		project.write("Settings.java", project.read("Settings.java"));
		project.write("application.properties", joined(properties, ""));
		project.write("application.yml", joined(yaml, "---\n"));
		assertThat(project.compile()).isEmpty();
		List<String> printed = untilRedisAnswers(() -> project.run("com.example.Settings", arguments()));
		int mistake = printed.indexOf("With a misspelt property:");
		assertThat(printed.subList(0, mistake))
			.contains("Leaders: distributedLockLeadership.scheduler",
					"Redis of the locks beside that of Spring Boot: true")
			.noneMatch(DocumentedProjectsTests::isWarning);
		assertThat(printed.subList(mistake, printed.size())).filteredOn(DocumentedProjectsTests::isWarning)
			.singleElement()
			.asString()
			.contains("distributed-lock.key-prefx");
	}

	@ParameterizedTest
	@ValueSource(strings = { "with-spring-boot", "with-test-starter", "with-all-modules" })
	void theProjectsHaveTheSpringBootOfThisBuild(String name) throws Exception {
		Matcher parent = PARENT_VERSION.matcher(project(name).pom());
		Matcher version = BOOT_VERSION.matcher(Files.readString(ROOT.resolve("pom.xml")));
		assertThat(parent.find() && version.find()).isTrue();
		assertThat(parent.group(1)).isEqualTo(version.group(1));
	}

	@Test
	void aProgramWithoutItsDependenciesDoesNotCompile() throws Exception {
		DocumentedProject project = project("without-spring");
		project.write("Shop.java", Section.of("Without Spring Boot").source());
		assertThat(project.compile()).contains("org.springframework");
	}

	private DocumentedProject project(String name) {
		return new DocumentedProject(name, this.directory);
	}

	/**
	 * Return the first dependency of a page, without its indentation.
	 */
	private static String dependency(String page) throws IOException {
		return DocumentedProject.flat(CodeBlock.of(page, "xml").get(0).text());
	}

	private static String yaml(String page) throws IOException {
		return CodeBlock.of(page, "yaml").get(0).text();
	}

	private static List<CodeBlock> settings(String language) throws IOException {
		return CodeBlock.ofAllPages(language)
			.stream()
			.filter((block) -> block.text().contains("distributed-lock"))
			.filter((block) -> !block.text().contains("rule_files"))
			.toList();
	}

	private static String joined(List<CodeBlock> blocks, String delimiter) {
		return blocks.stream().map(CodeBlock::text).collect(Collectors.joining(delimiter));
	}

	private static boolean isWarning(String line) {
		return line.contains(" WARN ") || line.contains(" ERROR ");
	}

	private static String[] arguments() {
		// A loaded machine may take its time, and says so with a warning
		Stream<String> patience = Stream.of("distributed-lock.redis.connect-timeout=1m");
		return Stream.concat(Stream.of(RedisServer.shared().springProperties()), patience)
			.map((property) -> "--" + property)
			.toArray(String[]::new);
	}

	private static List<String> untilRedisAnswers(Callable<List<String>> program) {
		return await().atMost(Duration.ofMinutes(3))
			.pollDelay(Duration.ZERO)
			.ignoreExceptionsInstanceOf(LockUnavailableException.class)
			.until(program, (lines) -> true);
	}

	/**
	 * The first dependencies and the first program of a section of docs/lock-service.md.
	 */
	private record Section(String fragment, String source) {

		static Section of(String heading) throws IOException {
			Matcher section = Pattern
				.compile("\n## %s\n.*?```xml\n(.*?)```.*?```java\n(.*?)```".formatted(heading), Pattern.DOTALL)
				.matcher(Files.readString(ROOT.resolve("docs/lock-service.md")));
			assertThat(section.find()).as(heading).isTrue();
			return new Section(DocumentedProject.elements(section.group(1)), section.group(2));
		}

	}

}
