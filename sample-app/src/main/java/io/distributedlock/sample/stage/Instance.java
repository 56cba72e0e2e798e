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
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A running instance of the application, used as any client would.
 */
record Instance(String url) {

	private static final Duration TIMEOUT = Duration.ofSeconds(40);

	private static final JsonMapper json = new JsonMapper();

	private static final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	Answer get(String path) {
		return send("GET", path);
	}

	Answer post(String path) {
		return send("POST", path);
	}

	Answer post(String path, Map<String, String> body) {
		return send(request(path).header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(json.writeValueAsString(body))));
	}

	Answer put(String path) {
		return send("PUT", path);
	}

	Answer delete(String path) {
		return send("DELETE", path);
	}

	boolean isHealthy() {
		try {
			return get("/actuator/health").is(Answer.OK);
		}
		catch (UncheckedIOException ex) {
			return false;
		}
	}

	private Answer send(String method, String path) {
		return send(request(path).method(method, BodyPublishers.noBody()));
	}

	private HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create(this.url + path)).timeout(TIMEOUT);
	}

	private Answer send(HttpRequest.Builder builder) {
		HttpRequest request = builder.build();
		long start = System.nanoTime();
		try {
			HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
			Duration took = Duration.ofNanos(System.nanoTime() - start);
			JsonNode body = response.body().isEmpty() ? json.nullNode() : json.readTree(response.body());
			return new Answer(response.headers().firstValue("X-Instance").orElse(this.url), response.statusCode(), body,
					took);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("No answer to " + request.method() + " " + request.uri(), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for " + request.uri(), ex);
		}
	}

}
