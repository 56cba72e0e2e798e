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
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.testsupport.OptionalPackage;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A real Prometheus that scrapes instances every second, where one is installed. It ends
 * with this JVM, however that ends.
 */
final class Prometheus implements AutoCloseable {

	private static final String END_WITH_PARENT = "\"$0\" \"$@\" </dev/null & p=$!; trap 'kill $p' TERM INT; cat >/dev/null; kill $p; wait $p";

	private static final JsonMapper json = new JsonMapper();

	private final HttpClient client = HttpClient.newHttpClient();

	private final int port;

	private final Process shell;

	private Prometheus(int port, Process shell) {
		this.port = port;
		this.shell = shell;
	}

	static Prometheus start(Path directory, AlertRules rules, Instances instances) throws IOException {
		int port;
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			port = socket.getLocalPort();
		}
		Path configuration = Files.writeString(directory.resolve("prometheus.yml"),
				"""
						global:
						  scrape_interval: 1s
						  evaluation_interval: 1s
						rule_files: [%s]
						scrape_configs:
						  - job_name: sample
						    metrics_path: /actuator/prometheus
						    static_configs:
						      - targets: [%s]
						""".formatted(rules.files().stream().map(Path::toString).collect(Collectors.joining(", ")),
						Stream.of(instances.first(), instances.second())
							.map((instance) -> URI.create(instance.url()).getAuthority())
							.collect(Collectors.joining(", "))));
		Process shell = new ProcessBuilder("sh", "-c", END_WITH_PARENT, executable("prometheus"),
				"--config.file=" + configuration, "--storage.tsdb.path=" + directory.resolve("data"),
				"--web.listen-address=127.0.0.1:" + port, "--log.level=warn")
			.redirectErrorStream(true)
			.redirectOutput(directory.resolve("prometheus.log").toFile())
			.start();
		return new Prometheus(port, shell);
	}

	static String promtool(String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of(executable("promtool")));
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(command).directory(AlertRules.DIRECTORY.toFile())
			.redirectErrorStream(true)
			.start();
		process.getOutputStream().close();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isZero();
		return output;
	}

	private static String executable(String command) {
		return OptionalPackage.PROMETHEUS.executable(command).toString();
	}

	/** The result of an expression, which must be without an error. */
	JsonNode query(String expression) throws IOException, InterruptedException {
		JsonNode answer = get("query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8));
		assertThat(answer.path("status").asString()).as(answer.toString()).isEqualTo("success");
		return answer.path("data").path("result");
	}

	/** All rules, as Prometheus sees them. */
	List<JsonNode> rules() throws IOException, InterruptedException {
		return get("rules").path("data")
			.path("groups")
			.valueStream()
			.flatMap((group) -> group.path("rules").valueStream())
			.toList();
	}

	List<JsonNode> firing() throws IOException, InterruptedException {
		return get("alerts").path("data")
			.path("alerts")
			.valueStream()
			.filter((alert) -> alert.path("state").asString().equals("firing"))
			.map((alert) -> alert.path("labels"))
			.toList();
	}

	/** While it starts, it refuses connections, and then queries. */
	boolean isReady() throws IOException, InterruptedException {
		URI uri = URI.create("http://127.0.0.1:" + this.port + "/-/ready");
		try {
			return this.client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding()).statusCode() == 200;
		}
		catch (ConnectException ex) {
			return false;
		}
	}

	private JsonNode get(String path) throws IOException, InterruptedException {
		URI uri = URI.create("http://127.0.0.1:" + this.port + "/api/v1/" + path);
		return json.readTree(this.client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body());
	}

	@Override
	public void close() throws IOException {
		this.shell.getOutputStream().close();
		try {
			if (!this.shell.waitFor(20, TimeUnit.SECONDS)) {
				this.shell.destroyForcibly();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
