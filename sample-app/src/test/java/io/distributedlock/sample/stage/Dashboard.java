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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The dashboard in docs/grafana.
 */
record Dashboard(JsonNode json) {

	private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.*), (\\w+)\\)");

	static Dashboard read() throws IOException {
		return new Dashboard(new JsonMapper()
			.readTree(Files.readString(Path.of("..", "docs", "grafana", "distributed-locks.json"))));
	}

	List<JsonNode> panels() {
		return this.json.path("panels")
			.valueStream()
			.filter((panel) -> !panel.path("type").asString().equals("row"))
			.toList();
	}

	/** What the panels show: each must have a result. */
	Stream<Expression> queries() {
		return panels().stream()
			.flatMap((panel) -> panel.path("targets")
				.valueStream()
				.map((target) -> Expression.ofGrafana(
						"panel " + panel.path("title").asString() + " " + target.path("refId").asString(),
						target.path("expr").asString())));
	}

	/** What is queried besides: annotations and variables. */
	Stream<Expression> otherQueries() {
		Stream<Expression> annotations = this.json.path("annotations")
			.path("list")
			.valueStream()
			.filter((annotation) -> annotation.has("expr"))
			.map((annotation) -> Expression.ofGrafana("annotation " + annotation.path("name").asString(),
					annotation.path("expr").asString()));
		Stream<Expression> variables = variables()
			.filter((variable) -> variable.path("type").asString().equals("query"))
			.map((variable) -> Expression.ofGrafana("variable " + variable.path("name").asString(),
					valuesOf(variable.path("definition").asString())));
		return Stream.concat(annotations, variables);
	}

	/** In PromQL, what Grafana asks for the values of a label. */
	private static String valuesOf(String definition) {
		Matcher matcher = LABEL_VALUES.matcher(definition);
		if (!matcher.matches()) {
			throw new IllegalStateException("Not the values of a label: " + definition);
		}
		return "group by (" + matcher.group(2) + ") (" + matcher.group(1) + ")";
	}

	Stream<JsonNode> variables() {
		return this.json.path("templating").path("list").valueStream();
	}

	/** Where the links of a panel, or of the dashboard, lead. */
	List<String> linksOf(JsonNode node) {
		String runbook = variables().filter((variable) -> variable.path("name").asString().equals("runbook"))
			.map((variable) -> variable.path("query").asString())
			.findFirst()
			.orElseThrow();
		return node.path("links")
			.valueStream()
			.map((link) -> link.path("url").asString().replace("${runbook}", runbook))
			.toList();
	}

}
