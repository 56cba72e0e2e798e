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

package io.distributedlock.sample.app.keyword;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * The file that all instances append to, one JSON object per line.
 */
@Component
class KeywordFile {

	private final Path path;

	private final JsonMapper json;

	KeywordFile(@Value("${sample.keywords.file}") Path path, JsonMapper json) {
		this.path = path;
		this.json = json;
	}

	void append(Keywords keywords) {
		try {
			Files.writeString(this.path, this.json.writeValueAsString(keywords) + "\n", StandardOpenOption.CREATE,
					StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	List<Keywords> read() {
		try {
			return Files.exists(this.path) ? Files.readAllLines(this.path)
				.stream()
				.map((line) -> this.json.readValue(line, Keywords.class))
				.toList() : List.of();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void delete() {
		try {
			Files.deleteIfExists(this.path);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
