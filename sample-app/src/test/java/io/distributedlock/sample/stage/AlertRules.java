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
package io.distributedlock.sample.stage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.yaml.snakeyaml.Yaml;

/**
 * The rules in docs/prometheus.
 */
record AlertRules(List<Path> files, List<Alert> alerts) {

	static final Path DIRECTORY = Path.of("..", "docs", "prometheus").toAbsolutePath().normalize();

	static AlertRules read() throws IOException {
		try (Stream<Path> all = Files.list(DIRECTORY)) {
			List<Path> files = all.filter((file) -> file.toString().endsWith("-rules.yml")).sorted().toList();
			return new AlertRules(files, files.stream().flatMap(AlertRules::alerts).toList());
		}
	}

	@SuppressWarnings("unchecked")
	private static Stream<Alert> alerts(Path file) {
		try {
			Map<String, List<Map<String, Object>>> content = new Yaml().load(Files.readString(file));
			return content.get("groups")
				.stream()
				.flatMap((group) -> ((List<Map<String, Object>>) group.get("rules")).stream())
				.map((rule) -> new Alert((String) rule.get("alert"), (String) rule.get("expr"),
						(Map<String, String>) rule.get("labels"), (Map<String, String>) rule.get("annotations")));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	Stream<Expression> expressions() {
		return this.alerts.stream().map((alert) -> new Expression("alert " + alert.name(), alert.expression()));
	}

	record Alert(String name, String expression, Map<String, String> labels, Map<String, String> annotations) {

		@Override
		public String toString() {
			return this.name;
		}

	}

}
