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

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ForcedReleaseTests {

	@ParameterizedTest
	@CsvSource({ "200, true, was taken from its holder", "404, false, is free already",
			"409, false, Another holder has", "405, false, management.endpoint.locks.access",
			"500, false, answered with status 500" })
	void everyAnswerOfTheEndpointIsToldInWords(int status, boolean done, String detail) throws Exception {
		try (Endpoint endpoint = new Endpoint("{\"hold\":\"a1+b/2\"}", status)) {
			ForcedRelease.Outcome outcome = endpoint.release("pay:7/ö x");
			assertThat(outcome.done()).isEqualTo(done);
			assertThat(outcome.detail()).contains(detail);
			assertThat(endpoint.requests).containsExactly("GET /actuator/locks?name=pay%3A7%2F%C3%B6+x",
					"DELETE /actuator/locks?name=pay%3A7%2F%C3%B6+x&hold=a1%2Bb%2F2");
		}
	}

	@Test
	void freeLockIsNotReleased() throws Exception {
		try (Endpoint endpoint = new Endpoint("{\"locked\":false}", 200)) {
			assertThat(endpoint.release("job").done()).isFalse();
			assertThat(endpoint.requests).containsExactly("GET /actuator/locks?name=job");
		}
	}

	/**
	 * Answers as the endpoint does.
	 */
	private static final class Endpoint implements AutoCloseable {

		private final List<String> requests = new ArrayList<>();

		private final HttpServer server;

		Endpoint(String lock, int status) throws Exception {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
			this.server.createContext("/", (exchange) -> {
				try (exchange) {
					this.requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
					byte[] body = lock.getBytes(StandardCharsets.UTF_8);
					if (exchange.getRequestMethod().equals("GET")) {
						exchange.sendResponseHeaders(200, body.length);
						exchange.getResponseBody().write(body);
					}
					else {
						exchange.sendResponseHeaders(status, -1);
					}
				}
			});
			this.server.start();
		}

		ForcedRelease.Outcome release(String lock) {
			return new ForcedRelease(new Instance("http://localhost:" + this.server.getAddress().getPort())).of(lock);
		}

		@Override
		public void close() {
			this.server.stop(0);
		}

	}

}
