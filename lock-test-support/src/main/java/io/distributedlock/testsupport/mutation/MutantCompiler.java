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

package io.distributedlock.testsupport.mutation;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Plants mutants. The classes of the package of a mutant, or the changed resource, come
 * to a directory of their own, which belongs before all others in a class path; a
 * {@link MutantClassLoader} reads it in the same JVM. The sources stay as they are.
 */
public final class MutantCompiler {

	private static final String JAVA = "java/";

	private static final String RESOURCES = "resources/";

	private static final List<String> MODULES = List.of("lock-core", "lock-redis", "lock-spring", "lock-leadership",
			"lock-fencing", "lock-spring-boot-autoconfigure");

	private final List<Path> sourceRoots;

	private final String classPath;

	/**
	 * Create a compiler.
	 * @param sourceRoots directories with the directories {@code java} and
	 * {@code resources}, for example {@code src/main}
	 * @param classPath what the sources need, and their own compiled classes
	 */
	public MutantCompiler(List<Path> sourceRoots, String classPath) {
		this.sourceRoots = sourceRoots;
		this.classPath = classPath;
	}

	/**
	 * Create a compiler for bugs in what ships.
	 * @param classPath what the sources need, and their own compiled classes
	 */
	public static MutantCompiler ofProject(Path project, String classPath) {
		return new MutantCompiler(
				MODULES.stream().map((module) -> project.resolve(module).resolve("src/main")).toList(), classPath);
	}

	/**
	 * Read the source of a mutant and plant the bug.
	 * @throws IllegalStateException if the mutant does not fit the source
	 */
	public String plant(Mutant mutant) {
		try {
			return mutant.applyTo(Files.readString(original(mutant)));
		}
		catch (IOException ex) {
			throw new IllegalStateException(
					"The mutant '%s' cannot be planted: %s cannot be read.".formatted(mutant.name(), original(mutant)),
					ex);
		}
	}

	private Path original(Mutant mutant) {
		return this.sourceRoots.stream()
			.map((root) -> root.resolve(mutant.file()))
			.filter(Files::exists)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("The mutant '%s' cannot be planted: there is no file %s in %s."
				.formatted(mutant.name(), mutant.file(), this.sourceRoots)));
	}

	/**
	 * Compile a mutant, or copy it if it is a resource.
	 * @param output the directory for the classes, which is created if necessary
	 * @throws IllegalStateException if the mutant does not fit the source, or does not
	 * compile
	 */
	public Path compile(Mutant mutant, Path output) {
		String changed = plant(mutant);
		try {
			if (mutant.file().startsWith(JAVA)) {
				Files.createDirectories(output);
				compile(mutant, changed, output);
			}
			else if (mutant.file().startsWith(RESOURCES)) {
				Path copy = output.resolve(mutant.file().substring(RESOURCES.length()));
				Files.createDirectories(copy.getParent());
				Files.writeString(copy, changed);
			}
			else {
				throw new IllegalStateException("The file of the mutant '%s' is '%s', but must begin with %s or %s."
					.formatted(mutant.name(), mutant.file(), JAVA, RESOURCES));
			}
			return output;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The mutant '" + mutant.name() + "' cannot be written", ex);
		}
	}

	/**
	 * The whole package: a constant of the mutant may be in other classes as well.
	 */
	private void compile(Mutant mutant, String changed, Path output) throws IOException {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		if (compiler == null) {
			throw new IllegalStateException("This Java runtime has no compiler. Use a JDK to plant mutants.");
		}
		Path original = original(mutant);
		Path copies = Files.createTempDirectory("mutant");
		Path copy = copies.resolve(original.getFileName());
		StringWriter problems = new StringWriter();
		try (Stream<Path> siblings = Files.list(original.getParent());
				StandardJavaFileManager files = compiler.getStandardFileManager(null, Locale.ROOT,
						StandardCharsets.UTF_8)) {
			Files.writeString(copy, changed);
			List<Path> sources = siblings.filter((path) -> path.toString().endsWith(".java"))
				.map((path) -> path.equals(original) ? copy : path)
				.sorted()
				.toList();
			files.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(output));
			Iterable<? extends JavaFileObject> units = files.getJavaFileObjectsFromPaths(sources);
			List<String> options = List.of("-classpath", this.classPath, "-proc:none", "-nowarn", "-g", "-parameters",
					"--release", "17");
			if (!compiler.getTask(problems, files, null, options, null, units).call()) {
				throw new IllegalStateException(
						"The mutant '%s' does not compile:%n%s".formatted(mutant.name(), problems));
			}
		}
		finally {
			Files.deleteIfExists(copy);
			Files.deleteIfExists(copies);
		}
	}

}
