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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import io.distributedlock.LockUnavailableException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A project that a reader makes of a page. It has the dependencies of the page, and its
 * class path is what Maven made of them.
 *
 * @param name the directory of its {@code pom.xml}
 * @param sources where its sources, classes and resources are
 */
record DocumentedProject(String name, Path sources) {

	private static final Path PROJECTS = Path.of("projects");

	private static final Pattern ELEMENTS = Pattern.compile("<(properties|dependencies)>.*?</\\1>", Pattern.DOTALL);

	/**
	 * Return the class path of a project, and nothing of this module.
	 */
	static String classPath(String name) throws IOException {
		return Files.readString(PROJECTS.resolve(name).resolve("target").resolve("class-path")).strip();
	}

	/**
	 * Return the elements that a reader copies, without their indentation.
	 */
	static String elements(String xml) {
		return String.join("\n", ELEMENTS.matcher(flat(xml)).results().map(MatchResult::group).toList());
	}

	static String flat(String xml) {
		return xml.replaceAll("(?m)^\\s+", "");
	}

	String pom() throws IOException {
		return read("pom.xml");
	}

	String read(String file) throws IOException {
		return Files.readString(PROJECTS.resolve(this.name).resolve(file));
	}

	void write(String file, String text) throws IOException {
		Files.writeString(this.sources.resolve(file), text);
	}

	/**
	 * Compile all sources.
	 * @return what the compiler objects to
	 */
	String compile(String... options) throws IOException {
		List<String> all = new ArrayList<>(
				List.of("--release", "17", "-proc:none", "-cp", classPath(this.name), "-d", this.sources.toString()));
		all.addAll(Arrays.asList(options));
		StringWriter messages = new StringWriter();
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
			File[] sources = this.sources.toFile().listFiles((file) -> file.getName().endsWith(".java"));
			boolean compiled = compiler.getTask(messages, files, null, all, null, files.getJavaFileObjects(sources))
				.call();
			return compiled ? "" : messages.toString();
		}
	}

	/**
	 * Run a program, which prints what it did, or ends with an exception.
	 * @return what it printed
	 */
	List<String> run(String type, String... arguments) throws Exception {
		Path output = this.sources.resolve("output");
		Path errors = this.sources.resolve("errors");
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC", "-cp", this.sources + File.pathSeparator + classPath(this.name), type));
		command.addAll(Arrays.asList(arguments));
		Process process = new ProcessBuilder(command).redirectOutput(output.toFile())
			.redirectError(errors.toFile())
			.start();
		try {
			assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("The program ended").isTrue();
			String failed = Files.readString(errors);
			// On a busy machine the connection and the first answer take longer than they
			// may
			if (process.exitValue() != 0 && failed.contains(LockUnavailableException.class.getName())) {
				throw new LockUnavailableException(type, failed, null);
			}
			assertThat(process.exitValue()).as(() -> failed + "\n" + readOutput(output)).isZero();
			return Files.readAllLines(output);
		}
		finally {
			process.destroyForcibly();
		}
	}

	private static String readOutput(Path output) {
		try {
			return Files.readString(output);
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

}
