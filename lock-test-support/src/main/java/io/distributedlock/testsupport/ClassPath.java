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
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The class path of the JVM, for those who need less of it, or another build.
 */
public final class ClassPath {

	/** The modules that ship. */
	private static final Pattern MODULES = Pattern
		.compile("lock-(core|redis|spring|spring-boot-autoconfigure|leadership|fencing)[/\\\\]target");

	private ClassPath() {
	}

	/**
	 * Returns the class path with another build of the modules that ship. All of them are
	 * replaced, as another build may have divided its classes in other modules.
	 * @param build the classes of the other build, as a class path
	 */
	public static String withBuild(String build) {
		return withBuild(build, System.getProperty("java.class.path"));
	}

	static String withBuild(String build, String classPath) {
		return Stream
			.concat(Stream.of(build),
					Stream.of(classPath.split(File.pathSeparator))
						.filter((element) -> !MODULES.matcher(element).find()))
			.collect(Collectors.joining(File.pathSeparator));
	}

	/**
	 * Returns a class loader that loads everything anew, and does not find a library.
	 * @param artifact the library, as in {@code lettuce-core}, or a module of this
	 * project
	 */
	public static URLClassLoader without(String artifact) {
		URL[] urls = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !entry.contains(File.separator + artifact + "-")
					&& !entry.contains(File.separator + artifact + File.separator + "target"))
			.map(ClassPath::url)
			.toArray(URL[]::new);
		return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
	}

	private static URL url(String entry) {
		try {
			return Path.of(entry).toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
