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
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Loads a mutant beside the original, with all classes of some packages anew: those that
 * the {@linkplain MutantCompiler compiler} has written from its directory, others of
 * these packages from where the parent has them. All other classes are those of the
 * parent, and so are resources that no mutant changes.
 */
public final class MutantClassLoader extends ClassLoader {

	static {
		registerAsParallelCapable();
	}

	private final Path output;

	private final List<String> packages;

	/** Agents tell the classes of mutants apart by their origin. */
	private final ProtectionDomain domain;

	/**
	 * Create a class loader.
	 * @param output the directory with the mutant
	 * @param parent what knows the original and everything else
	 * @param packages the packages to load anew, with their subpackages: that of the
	 * mutant, and those that use it
	 */
	public MutantClassLoader(Path output, ClassLoader parent, String... packages) {
		super(parent);
		this.output = output;
		this.packages = List.of(packages);
		try {
			this.domain = new ProtectionDomain(new CodeSource(output.toUri().toURL(), (Certificate[]) null), null);
		}
		catch (MalformedURLException ex) {
			throw new UncheckedIOException("No place for classes: " + output, ex);
		}
	}

	@Override
	protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
		if (this.packages.stream().noneMatch((each) -> name.startsWith(each + "."))) {
			return super.loadClass(name, resolve);
		}
		synchronized (getClassLoadingLock(name)) {
			Class<?> loaded = findLoadedClass(name);
			return (loaded != null) ? loaded : define(name);
		}
	}

	@Override
	public @Nullable URL getResource(String name) {
		Path changed = this.output.resolve(name);
		try {
			return Files.exists(changed) ? changed.toUri().toURL() : super.getResource(name);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot read " + name, ex);
		}
	}

	private Class<?> define(String name) throws ClassNotFoundException {
		byte[] bytes = read(name.replace('.', '/') + ".class");
		if (bytes == null) {
			throw new ClassNotFoundException(name);
		}
		return defineClass(name, bytes, 0, bytes.length, this.domain);
	}

	private byte @Nullable [] read(String resource) {
		try {
			Path changed = this.output.resolve(resource);
			if (Files.exists(changed)) {
				return Files.readAllBytes(changed);
			}
			try (InputStream original = getParent().getResourceAsStream(resource)) {
				return (original != null) ? original.readAllBytes() : null;
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot read " + resource, ex);
		}
	}

}
