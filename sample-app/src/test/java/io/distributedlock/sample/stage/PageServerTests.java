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

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Talks to the server of the page as a browser does, and as it should not.
 */
class PageServerTests {

	private static final Instances NOWHERE = Instances.at("http://localhost:1", "http://localhost:2");

	private static final Duration LONG = Duration.ofSeconds(30);

	private final LiveFeed feed = new LiveFeed();

	private final CountDownLatch end = new CountDownLatch(1);

	private final List<Client> clients = new ArrayList<>();

	private Account account;

	private Incidents incidents;

	private PageServer server;

	@BeforeEach
	void start() throws Exception {
		this.account = new Account(NOWHERE, List.of(new Scenario("Unending", "It goes on.", this::goOn)), this.feed);
		// Nothing is begun that needs an instance
		this.incidents = new Incidents(new Insider(null, null, null, null, new Plug()),
				new Insider(null, null, null, null, null), NOWHERE, null, this.feed);
		this.server = PageServer.start(PageServer.bind(new MockEnvironment()), this.feed, this.account, this.incidents,
				NOWHERE);
	}

	@AfterEach
	void end() throws Exception {
		for (Client client : this.clients) {
			client.close();
		}
		this.server.close();
		this.incidents.close();
		this.account.close();
	}

	@Test
	void thePageComesWithAPolicyThatAllowsItsOwnScriptAndStyleOnly() throws Exception {
		String head = request("GET", "/", "localhost", "").head();
		assertThat(head).startsWith("HTTP/1.1 200")
			.containsPattern("(?i)content-security-policy: default-src 'none'; script-src 'sha256-[^ ;]+'; "
					+ "style-src 'sha256-[^ ;]+'; connect-src 'self'")
			.doesNotContain("unsafe");
	}

	@ParameterizedTest
	@CsvSource({ "POST, /scenarios/1, localhost, X-Stage: page, 202", "POST, /scenarios/1, localhost, '', 403",
			"POST, /scenarios/2, localhost, X-Stage: page, 404", "POST, /scenarios/x, localhost, X-Stage: page, 404",
			"GET, /scenarios/1, localhost, '', 405", "GET, /, localhost, '', 200", "GET, /, 127.0.0.1, '', 200",
			"GET, /, rebound.example, '', 403", "GET, /events, rebound.example, '', 403",
			"GET, /favicon.ico, localhost, '', 404", "POST, /incidents/flood, localhost, X-Stage: page, 404",
			"POST, /incidents/stopped-redis, localhost, X-Stage: page, 409",
			"POST, /incidents/full-redis, localhost, X-Stage: page, 409",
			"POST, /incidents/read-only-redis, localhost, X-Stage: page, 409",
			"POST, /incidents/restarted-redis, localhost, X-Stage: page, 409",
			"POST, /force-release, localhost, X-Stage: page, 400" })
	void onlyThePageItselfMayAsk(String method, String path, String host, String header, int status) throws Exception {
		assertThat(request(method, path, host, header).head()).startsWith("HTTP/1.1 " + status);
	}

	@Test
	void runningScenarioIsNotPlayedASecondTime() throws Exception {
		assertThat(request("POST", "/scenarios/1", "localhost", "X-Stage: page").head()).startsWith("HTTP/1.1 202");
		assertThat(request("POST", "/scenarios/1", "localhost", "X-Stage: page").head()).startsWith("HTTP/1.1 409");
		this.end.countDown();
		await().atMost(LONG).until(() -> kept().contains("\"playing\":false"));
		assertThat(kept()).contains("\"asExpected\":true", "✓ ends: 1");
		await().atMost(LONG)
			.until(() -> request("POST", "/scenarios/1", "localhost", "X-Stage: page").head()
				.startsWith("HTTP/1.1 202"));
	}

	@Test
	void noScenarioIsPlayedWhileAnInstanceIsBroken() throws Exception {
		Scenarios.SCHEDULE.acquire();
		try {
			// It waits for the schedule
			assertThat(this.incidents.begin(Incidents.KILLED_INSTANCE)).isTrue();
			Client refused = request("POST", "/scenarios/1", "localhost", "X-Stage: page\r\nConnection: close");
			assertThat(refused.head()).startsWith("HTTP/1.1 409");
			assertThat(refused.awaitLine("{")).contains("an instance is broken");
			assertThat(kept()).doesNotContain("playing");
			Client another = request("POST", "/incidents/deleted-key", "localhost",
					"X-Stage: page\r\nConnection: close");
			assertThat(another.head()).startsWith("HTTP/1.1 409");
			assertThat(another.awaitLine("{")).contains("Break this when that is over.");
		}
		finally {
			Scenarios.SCHEDULE.release();
		}
		await().atMost(LONG)
			.until(() -> request("POST", "/scenarios/1", "localhost", "X-Stage: page").head()
				.startsWith("HTTP/1.1 202"));
	}

	@Test
	void noInstanceIsBrokenWhileAScenarioIsPlayed() throws Exception {
		assertThat(request("POST", "/scenarios/1", "localhost", "X-Stage: page").head()).startsWith("HTTP/1.1 202");
		Client refused = request("POST", "/incidents/killed-instance", "localhost",
				"X-Stage: page\r\nConnection: close");
		assertThat(refused.head()).startsWith("HTTP/1.1 409");
		assertThat(refused.awaitLine("{")).contains("A scenario is playing");
		assertThat(kept()).doesNotContain("happening");
		this.end.countDown();
	}

	@Test
	void returningReaderGetsTheMissedEvents() throws Exception {
		this.feed.publish("note", Map.of("text", "first"));
		this.feed.publish("note", Map.of("text", "second"));
		Client reader = request("GET", "/events", "localhost", "");
		String id = reader.awaitLine("id: ").substring("id: ".length());
		assertThat(reader.awaitLine("data: ")).contains("first");
		Client again = request("GET", "/events", "localhost", "Last-Event-ID: " + id);
		again.awaitLine("id: ");
		assertThat(again.awaitLine("data: ")).contains("second");
		Client afterRestart = request("GET", "/events", "localhost", "Last-Event-ID: 12345678-999");
		afterRestart.awaitLine("id: ");
		assertThat(afterRestart.awaitLine("data: ")).contains("first");
		this.feed.publish("note", Map.of("text", "third"));
		again.awaitLine("id: ");
		assertThat(again.awaitLine("data: ")).contains("third");
	}

	@Test
	void idleReaderIsDroppedAndClosedReaderIsForgotten() throws Exception {
		request("GET", "/events", "localhost", "");
		Client gone = request("GET", "/events", "localhost", "");
		await().atMost(LONG).until(() -> this.feed.subscribers() == 2);
		gone.close();
		String much = "x".repeat(5000);
		await().atMost(LONG).pollInterval(Duration.ofMillis(1)).until(() -> {
			this.feed.publish("note", Map.of("text", much));
			return this.feed.subscribers() == 0;
		});
		// Their threads are free again, also the one that hung in a write
		for (int i = 0; i < PageServer.MAXIMUM_OF_STREAMS; i++) {
			await().atMost(LONG)
				.until(() -> request("GET", "/events", "localhost", "").head().startsWith("HTTP/1.1 200"));
		}
	}

	@Test
	void thereAreOnlySoManyReaders() throws Exception {
		for (int i = 0; i < PageServer.MAXIMUM_OF_STREAMS; i++) {
			assertThat(request("GET", "/events", "localhost", "").head()).startsWith("HTTP/1.1 200");
		}
		assertThat(request("GET", "/events", "localhost", "").head()).startsWith("HTTP/1.1 503");
		assertThat(request("GET", "/", "localhost", "").head()).startsWith("HTTP/1.1 200");
	}

	@ParameterizedTest
	@ValueSource(strings = { "server.port", "SERVER_PORT" })
	void thePortOfThePageIsThatOfTheSetting(String name) throws Exception {
		int port;
		try (ServerSocket taken = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
			port = taken.getLocalPort();
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> PageServer.bind(settings(name, taken.getLocalPort())))
				.withMessageContainingAll("cannot have port " + port, "server.port", "Choose another port");
		}
		HttpServer chosen = PageServer.bind(settings(name, port));
		assertThat(chosen.getAddress().getPort()).isEqualTo(port);
		end(chosen);
	}

	@Test
	void withoutTheSettingThePortIs8080OrAnyOther() throws Exception {
		// This is not the only server that wants it
		HttpServer other = PageServer.bind(new MockEnvironment());
		assertThat(List.of(URI.create(this.server.url()).getPort(), other.getAddress().getPort()))
			.doesNotHaveDuplicates();
		end(other);
	}

	/** One that was never started keeps its port. */
	private static void end(HttpServer server) {
		server.start();
		server.stop(0);
	}

	private static Environment settings(String name, int port) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.addFirst(new SystemEnvironmentPropertySource("settings", Map.of(name, Integer.toString(port))));
		return environment;
	}

	private String kept() throws Exception {
		StringBuilder kept = new StringBuilder();
		try (LiveFeed.Subscription subscription = this.feed.subscribe(null)) {
			while (!subscription.isEmpty()) {
				kept.append(subscription.next(1, TimeUnit.SECONDS).data());
			}
		}
		return kept.toString();
	}

	private Client request(String method, String path, String host, String header) throws IOException {
		Client client = new Client(URI.create(this.server.url()).getPort());
		this.clients.add(client);
		client.send("%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n%s\r\n".formatted(method, path, host,
				header.isEmpty() ? "" : header + "\r\n"));
		return client;
	}

	/** A scenario that goes on until the test ends it. */
	private List<Finding> goOn(Instances instances) {
		try {
			this.end.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return List.of(Finding.number("ends", 1, 1));
	}

	/**
	 * A client that can do what no browser would.
	 */
	private static final class Client implements AutoCloseable {

		private final Socket socket;

		private final BufferedReader reader;

		Client(int port) throws IOException {
			this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
			this.socket.setSoTimeout((int) LONG.toMillis());
			this.reader = new BufferedReader(
					new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8));
		}

		void send(String text) throws IOException {
			this.socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
		}

		String head() throws IOException {
			StringBuilder head = new StringBuilder();
			for (String line = this.reader.readLine(); line != null && !line.isEmpty(); line = this.reader.readLine()) {
				head.append(line).append('\n');
			}
			return head.toString();
		}

		String awaitLine(String prefix) throws IOException {
			String line = this.reader.readLine();
			while (line != null && !line.startsWith(prefix)) {
				line = this.reader.readLine();
			}
			return (line != null) ? line : "";
		}

		@Override
		public void close() throws IOException {
			this.socket.close();
		}

	}

}
