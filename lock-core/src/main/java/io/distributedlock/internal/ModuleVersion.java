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

import org.jspecify.annotations.Nullable;

/**
 * The version of the modules. Refuses to work with a module of another version: it would
 * fail much later, in an obscure way.
 */
public final class ModuleVersion {

	private ModuleVersion() {
	}

	/**
	 * Check that a module has the version of {@code lock-core}. Nothing is known of
	 * modules that are no jars, as in tests of this project and in native images.
	 * @param type a class of the module
	 * @param module the artifact
	 * @throws IllegalStateException if the versions differ
	 */
	public static void check(Class<?> type, String module) {
		String version = versionOf(type);
		String core = current();
		if (version != null && core != null && !version.equals(core)) {
			throw new IllegalStateException(
					"%s has version %s, and lock-core has version %s: use one version of all modules, for example by importing io.distributedlock:lock-spring-boot-bom."
						.formatted(module, version, core));
		}
	}

	/**
	 * Return the version of {@code lock-core}, which is that of all modules, or
	 * {@code null} if it is not known.
	 */
	public static @Nullable String current() {
		return versionOf(ModuleVersion.class);
	}

	private static @Nullable String versionOf(Class<?> type) {
		return type.getPackage().getImplementationVersion();
	}

}
