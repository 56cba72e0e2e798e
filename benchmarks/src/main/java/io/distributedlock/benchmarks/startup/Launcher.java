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

package io.distributedlock.benchmarks.startup;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Starts applications, one at a time.
 */
final class Launcher {

	/**
	 * What an application with Spring Data Redis has on its class path, of all that is on
	 * that of the benchmarks.
	 */
	private static final Pattern DATA_REDIS = Pattern.compile("(spring-(?!integration|boot-starter-aop)|spring-boot|"
			+ "logback|log4j|jul-to|slf4j|jakarta\\.annotation|lettuce|redis-authx|netty-|reactor-|reactive-streams|"
			+ "micrometer-|snakeyaml|commons-logging|jspecify).*\\.jar");

	private final String redisUrl;

	private final Path services;

	/**
	 * The jars of the class directories of the library: applications load it from jars.
	 */
	private final Map<String, String> jars = new HashMap<>();

	/**
	 * Create a launcher.
	 * @param redisUrl where Redis is
	 * @param services the classes of the beans
	 * @throws IOException if the jars of the library cannot be written
	 */
	Launcher(String redisUrl, Path services) throws IOException {
		this.redisUrl = redisUrl;
		this.services = services;
		for (String entry : classPath()) {
			if (isLibrary(entry) && Files.isDirectory(Path.of(entry))) {
				Path jar = services.resolveSibling("library-" + this.jars.size() + ".jar");
				pack(Path.of(entry), jar);
				this.jars.put(entry, jar.toString());
			}
		}
	}

	private static void pack(Path directory, Path jar) throws IOException {
		try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
				Stream<Path> files = Files.walk(directory)) {
			for (Path file : files.filter(Files::isRegularFile).toList()) {
				out.putNextEntry(new JarEntry(directory.relativize(file).toString().replace(File.separatorChar, '/')));
				Files.copy(file, out);
			}
		}
	}

	Start start(Variant variant) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", classPath(variant),
						"-Dspring.data.redis.url=" + this.redisUrl));
		command.addAll(variant.options());
		command.add(StartedApplication.class.getName());
		command.addAll(variant.arguments());
		long began = System.nanoTime();
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		StringBuilder log = new StringBuilder();
		long ready = 0;
		long[] used = {};
		long[] settled = {};
		try (BufferedReader lines = process.inputReader()) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				if (line.equals(StartedApplication.READY)) {
					ready = System.nanoTime();
				}
				else if (line.startsWith(StartedApplication.READY + ' ')) {
					used = figures(line);
				}
				else if (line.startsWith(StartedApplication.SETTLED + ' ')) {
					settled = figures(line);
				}
				log.append(line).append('\n');
			}
		}
		if (settled.length == 0 || used.length == 0) {
			throw new IOException("The application did not start: " + log);
		}
		return new Start((ready - began) / 1e6, used[1], used[0], settled[0], settled[2]);
	}

	private static long[] figures(String line) {
		return Arrays.stream(line.split(" ")).skip(1).mapToLong(Long::parseLong).toArray();
	}

	private String classPath(Variant variant) throws IOException {
		String path = classPath().stream()
			.filter((entry) -> DATA_REDIS.matcher(Path.of(entry).getFileName().toString()).matches()
					|| (variant.hasStarter() && isLibrary(entry)))
			.map((entry) -> this.jars.getOrDefault(entry, entry))
			.collect(Collectors.joining(File.pathSeparator));
		return location(StartedApplication.class) + File.pathSeparator + path
				+ ((variant.beans() > 0) ? File.pathSeparator + this.services : "");
	}

	private static List<String> classPath() {
		return Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator));
	}

	private static boolean isLibrary(String entry) {
		return entry.contains("lock-core") || entry.contains("lock-spring");
	}

	private static String location(Class<?> type) {
		return Path.of(java.net.URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()))
			.toString();
	}

}
