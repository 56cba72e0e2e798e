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

package io.distributedlock.testsupport;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Programs of this machine that some tests need and that the build does without. Tests
 * find them only here, and name them in {@link EnabledIfInstalled}.
 * <p>
 * The system property {@code lock.test.<command>} names a program that is elsewhere, as
 * in {@code -Dlock.test.chromedriver=/path}. With {@code lock.test.bare=true}, nothing is
 * found.
 */
public enum OptionalPackage {

	/** A PostgreSQL server. */
	POSTGRESQL("postgresql", List.of(List.of("initdb"), List.of("postgres"))),

	/** A MariaDB server. */
	MARIADB("mariadb-server", List.of(List.of("mariadb-install-db"), List.of("mariadbd"))),

	/** A browser with its driver. */
	CHROMIUM("chromium chromium-driver",
			List.of(List.of("chromium", "chromium-browser", "google-chrome"), List.of("chromedriver"))),

	/** Prometheus with its tool. */
	PROMETHEUS("prometheus", List.of(List.of("prometheus"), List.of("promtool")));

	private final String packages;

	/** The commands, each with the names that it may have. */
	private final List<List<String>> commands;

	OptionalPackage(String packages, List<List<String>> commands) {
		this.packages = packages;
		this.commands = commands;
	}

	/**
	 * Returns the names of the packages in Debian.
	 */
	public String packages() {
		return this.packages;
	}

	/**
	 * Returns whether all of these programs are there.
	 */
	public boolean isInstalled() {
		return this.commands.stream().allMatch((names) -> find(names).isPresent());
	}

	/**
	 * Returns the executable of a command.
	 * @throws IllegalArgumentException if the command is not one of these programs
	 * @throws IllegalStateException if the command is not there
	 */
	public Path executable(String command) {
		List<String> names = this.commands.stream()
			.filter((each) -> each.get(0).equals(command))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("%s is not a command of %s.".formatted(command, this)));
		return find(names).orElseThrow(() -> new IllegalStateException(
				"There is no %s. Annotate the test with @EnabledIfInstalled(OptionalPackage.%s), or install the packages: apt-get install %s."
					.formatted(command, name(), this.packages)));
	}

	private static Optional<Path> find(List<String> names) {
		if (Boolean.getBoolean("lock.test.bare")) {
			return Optional.empty();
		}
		String named = System.getProperty("lock.test." + names.get(0));
		if (named != null) {
			return Optional.of(Path.of(named));
		}
		List<Path> directories = directories();
		return names.stream()
			.flatMap((name) -> directories.stream().map((directory) -> directory.resolve(name)))
			.filter(Files::isExecutable)
			.findFirst();
	}

	private static List<Path> directories() {
		List<Path> directories = new ArrayList<>();
		for (String directory : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
			directories.add(Path.of(directory));
		}
		directories.add(Path.of("/usr/sbin"));
		// Where Debian has the programs of PostgreSQL that are not on the path
		try (Stream<Path> versions = Files.list(Path.of("/usr/lib/postgresql"))) {
			versions.forEach((version) -> directories.add(version.resolve("bin")));
		}
		catch (IOException ex) {
			// Not Debian
		}
		return directories;
	}

}
