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

package io.distributedlock.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link ModuleVersion}.
 */
class ModuleVersionTests {

	/** Stands for a class of another module: its package is in no other jar. */
	private static final Class<?> OTHER = LockStore.class;

	@TempDir
	private Path directory;

	@Test
	void moduleOfAnotherVersionIsRefused() throws Exception {
		Path core = jar("core.jar", "1.2.0", ModuleVersion.class);
		Path other = jar("other.jar", "1.1.0", OTHER);
		assertThatIllegalStateException().isThrownBy(() -> check(core, other))
			.withMessage(
					"lock-other has version 1.1.0, and lock-core has version 1.2.0: use one version of all modules, "
							+ "for example by importing io.distributedlock:lock-spring-boot-bom.");
	}

	@Test
	void moduleOfTheSameVersionIsAccepted() throws Exception {
		Path core = jar("core.jar", "1.2.0", ModuleVersion.class);
		Path other = jar("other.jar", "1.2.0", OTHER);
		assertThatCode(() -> check(core, other)).doesNotThrowAnyException();
	}

	@Test
	void classesWithoutAVersionAreAccepted() {
		assertThatNoException().isThrownBy(() -> ModuleVersion.check(OTHER, "lock-other"));
	}

	private static void check(Path core, Path other) throws Exception {
		URL[] urls = { core.toUri().toURL(), other.toUri().toURL() };
		try (URLClassLoader loader = new URLClassLoader(urls, new Parent())) {
			loader.loadClass(ModuleVersion.class.getName())
				.getMethod("check", Class.class, String.class)
				.invoke(null, loader.loadClass(OTHER.getName()), "lock-other");
		}
		catch (InvocationTargetException ex) {
			throw (RuntimeException) ex.getCause();
		}
	}

	private Path jar(String name, String version, Class<?> type) throws IOException {
		Path jar = this.directory.resolve(name);
		Manifest manifest = new Manifest();
		manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
		manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
		String file = type.getName().replace('.', '/') + ".class";
		try (OutputStream out = Files.newOutputStream(jar);
				JarOutputStream entries = new JarOutputStream(out, manifest);
				InputStream in = type.getClassLoader().getResourceAsStream(file)) {
			entries.putNextEntry(new JarEntry(file));
			in.transferTo(entries);
		}
		return jar;
	}

	/**
	 * Has all classes but those in the jars.
	 */
	private static final class Parent extends ClassLoader {

		Parent() {
			super(ModuleVersionTests.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (name.equals(ModuleVersion.class.getName()) || name.equals(OTHER.getName())) {
				throw new ClassNotFoundException(name);
			}
			return super.loadClass(name, resolve);
		}

	}

}
