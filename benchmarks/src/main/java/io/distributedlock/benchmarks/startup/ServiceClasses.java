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

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Makes many distinct classes of {@link Service000} and its twins: the digits of its name
 * are replaced in the class file.
 */
final class ServiceClasses {

	private ServiceClasses() {
	}

	static String nameOf(Class<?> template, int index) {
		return template.getName().replace("000", "%03d".formatted(index));
	}

	static void write(Class<?> template, Path directory, int count) throws IOException {
		String bytes;
		try (InputStream file = template.getResourceAsStream(template.getSimpleName() + ".class")) {
			bytes = new String(file.readAllBytes(), StandardCharsets.ISO_8859_1);
		}
		for (int index = 1; index <= count; index++) {
			Path file = directory.resolve(nameOf(template, index).replace('.', '/') + ".class");
			Files.createDirectories(file.getParent());
			Files.write(file,
					bytes.replace("Service000", "Service%03d".formatted(index)).getBytes(StandardCharsets.ISO_8859_1));
		}
	}

}
