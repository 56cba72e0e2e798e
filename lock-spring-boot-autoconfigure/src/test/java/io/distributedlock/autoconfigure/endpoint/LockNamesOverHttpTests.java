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

package io.distributedlock.autoconfigure.endpoint;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.internal.Printable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The name of a lock is data, whatever it contains: asks and releases over HTTP, on a
 * real server of both stacks.
 */
@ParameterizedClass
@EnumSource(names = { "SERVLET", "REACTIVE" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LockNamesOverHttpTests {

	private static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofMinutes(5));

	private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	@Parameter
	private WebApplicationType type;

	private ConfigurableApplicationContext context;

	private LockService locks;

	private String url;

	@BeforeParameterizedClassInvocation
	void start() {
		this.context = new SpringApplicationBuilder(Application.class).web(this.type)
			.run("--server.port=0", "--server.address=127.0.0.1", "--distributed-lock.provider=in-memory",
					"--management.endpoints.web.exposure.include=locks",
					"--management.endpoint.locks.access=unrestricted", "--spring.main.banner-mode=off",
					// For the longest name
					"--server.max-http-request-header-size=16KB", "--server.netty.max-initial-line-length=16KB");
		this.locks = this.context.getBean(LockService.class);
		this.url = "http://127.0.0.1:" + this.context.getEnvironment().getProperty("local.server.port")
				+ "/actuator/locks";
	}

	@AfterParameterizedClassInvocation
	void stop() {
		this.context.close();
	}

	static Stream<String> names() {
		return Stream.of("a", "order:1", "a/b/c", "a//b", "/a", "a/", "//", "a;x=1", "a%2Fb", "a%2fb", "%", "..", ".",
				"../a", "a/../b", "a b", " a", "a+b", "a?b", "a#b", "a&b=c", "a,b", "a\"b", "a'b", "a\\b", "a\nb",
				"a{b}c", "*", "\u00e9\uD83D\uDD12", "\u202Ea", "https://example.com/x?y=1", "n".repeat(4096),
				"\uD83D\uDD12".repeat(1024));
	}

	@ParameterizedTest
	@MethodSource("names")
	void onlyTheNamedLockIsShownAndReleased(String name) throws Exception {
		List<String> others = names().filter((other) -> !other.equals(name)).toList();
		List<LockHandle> held = others.stream().map((other) -> this.locks.acquire(other, OPTIONS)).toList();
		String query = "?name=" + encode(name);
		assertThat(ask("GET", query).body()).contains("\"locked\":false");
		LockHandle handle = this.locks.acquire(name, OPTIONS);
		Answer shown = ask("GET", query);
		assertThat(shown.status()).isEqualTo(200);
		assertThat(shown.json().get("name").asString()).isEqualTo(Printable.of(name));
		assertThat(shown.json().get("locked").asBoolean()).isTrue();
		Answer released = ask("DELETE", query + "&hold=" + shown.json().get("hold").asString());
		assertThat(released.status()).isEqualTo(200);
		assertThat(released.json().get("name").asString()).isEqualTo(Printable.of(name));
		assertThat(this.locks.find(name)).isEmpty();
		assertThat(others).allSatisfy((other) -> assertThat(this.locks.find(other)).isPresent());
		handle.close();
		held.forEach(LockHandle::close);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/a//b", "//a", "/a/", "/a/b", "/a", "/a;x=1", "/a%20b", "//" })
	void aPathNamesNoLock(String path) throws Exception {
		try (LockHandle first = this.locks.acquire("a/b", OPTIONS);
				LockHandle second = this.locks.acquire("a", OPTIONS);
				LockHandle third = this.locks.acquire("b", OPTIONS)) {
			assertRefused(ask("GET", path));
			for (LockHandle handle : List.of(first, second, third)) {
				String hold = ask("GET", "?name=" + encode(handle.name())).json().get("hold").asString();
				assertRefused(ask("DELETE", path + "?hold=" + hold));
				assertRefused(ask("DELETE", path + "?hold=" + hold + "&name=" + encode(handle.name())));
				assertThat(handle.isHeld()).isTrue();
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "?name=", "?name=%20", "?name=a&name=b", "?name=a&name=a" })
	void requestWithoutExactlyOneNameIsRefused(String query) throws Exception {
		try (LockHandle handle = this.locks.acquire("a,b", OPTIONS)) {
			String hold = ask("GET", "?name=a,b").json().get("hold").asString();
			assertRefused(ask("GET", query));
			assertRefused(ask("DELETE", query + "&hold=" + hold));
			assertThat(handle.isHeld()).isTrue();
		}
	}

	@Test
	void aReleaseWithoutALockOrWithoutAHoldIsRefused() throws Exception {
		for (String query : List.of("", "?name=a", "?hold=0123456789abcdef")) {
			assertRefused(ask("DELETE", query));
		}
	}

	private static void assertRefused(Answer answer) {
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.json().get("problem").asString()).contains(" ");
	}

	private static String encode(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8);
	}

	private Answer ask(String method, String rest) throws Exception {
		HttpResponse<String> response = this.client.send(HttpRequest.newBuilder(URI.create(this.url + rest))
			.timeout(Duration.ofSeconds(30))
			.method(method, HttpRequest.BodyPublishers.noBody())
			.build(), HttpResponse.BodyHandlers.ofString());
		return new Answer(response.statusCode(), response.body());
	}

	private record Answer(int status, String body) {

		JsonNode json() {
			return JsonMapper.shared().readTree(this.body);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
