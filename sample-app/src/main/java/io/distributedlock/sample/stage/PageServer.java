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
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.env.Environment;

/**
 * Serves the page, sends it the events and performs the actions of its buttons. Belongs
 * to neither instance, so that the page outlives both.
 *
 * <p>
 * Reachable from this machine only. Requests that change anything need a header that no
 * other site can send without a preflight request.
 */
final class PageServer implements AutoCloseable {

	static final int MAXIMUM_OF_STREAMS = 16;

	private static final String PORT_SETTING = "server.port";

	private static final int PORT = 8080;

	private static final int MAXIMUM_OF_THREADS = 2 * MAXIMUM_OF_STREAMS;

	private static final long SECONDS_BETWEEN_TICKS = 5;

	private static final JsonMapper json = new JsonMapper();

	private final Page page;

	private final LiveFeed feed;

	private final Account account;

	private final Incidents incidents;

	private final Instances instances;

	private final HttpServer server;

	private final ExecutorService threads;

	private final Semaphore streams = new Semaphore(MAXIMUM_OF_STREAMS);

	private PageServer(Page page, LiveFeed feed, Account account, Incidents incidents, Instances instances,
			HttpServer server) {
		this.page = page;
		this.feed = feed;
		this.account = account;
		this.incidents = incidents;
		this.instances = instances;
		this.server = server;
		AtomicInteger number = new AtomicInteger();
		this.threads = new ThreadPoolExecutor(0, MAXIMUM_OF_THREADS, 10, TimeUnit.SECONDS, new SynchronousQueue<>(),
				(task) -> new Thread(null, task, "page-" + number.incrementAndGet(), 0, false));
	}

	/**
	 * Start to serve the page.
	 * @param server from {@link #bind(Environment)}
	 */
	static PageServer start(HttpServer server, LiveFeed feed, Account account, Incidents incidents, Instances instances)
			throws IOException {
		PageServer page = new PageServer(Page.load(), feed, account, incidents, instances, server);
		page.server.setExecutor(page.threads);
		page.route("GET", "/", page::show);
		page.route("GET", "/events", page::stream);
		page.route("POST", "/scenarios/", page::startScenario);
		page.route("POST", "/incidents/", page::beginIncident);
		page.route("POST", "/force-release", page::forceRelease);
		page.server.start();
		return page;
	}

	/**
	 * Take the port of the page: that of {@code server.port}, or else 8080 or, if it is
	 * taken, any other one.
	 * @throws IllegalStateException if the port that was chosen cannot be had
	 */
	static HttpServer bind(Environment environment) throws IOException {
		Integer chosen = environment.getProperty(PORT_SETTING, Integer.class);
		try {
			return bind((chosen != null) ? chosen : PORT);
		}
		catch (IOException ex) {
			if (chosen == null) {
				return bind(0);
			}
			throw new IllegalStateException(
					"The page cannot have port %d, which %s names (%s). Choose another port, or ".formatted(chosen,
							PORT_SETTING, ex.getMessage()) + "leave out the setting.",
					ex);
		}
	}

	private static HttpServer bind(int port) throws IOException {
		return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
	}

	String url() {
		return "http://localhost:" + this.server.getAddress().getPort() + "/";
	}

	@Override
	public void close() {
		this.server.stop(0);
		this.threads.shutdownNow();
	}

	private void route(String method, String path, Handler handler) {
		this.server.createContext(path, (exchange) -> {
			try (exchange) {
				exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
				exchange.getResponseHeaders().set("Cache-Control", "no-store");
				if (!isForUs(exchange)) {
					answer(exchange, 403, "Only the page itself may ask.");
				}
				else if (!exchange.getRequestMethod().equals(method)) {
					answer(exchange, 405, "Only " + method + " is possible here.");
				}
				else {
					handler.handle(exchange);
				}
			}
		});
	}

	private static boolean isForUs(HttpExchange exchange) {
		Headers headers = exchange.getRequestHeaders();
		String host = headers.getFirst("Host");
		return host != null && OwnNamesFilter.OWN_NAMES.contains(host.replaceFirst(":\\d+$", ""))
				&& (exchange.getRequestMethod().equals("GET") || headers.containsKey("X-Stage"));
	}

	private void show(HttpExchange exchange) throws IOException {
		if (!exchange.getRequestURI().getPath().equals("/")) {
			answer(exchange, 404, "There is nothing here.");
			return;
		}
		Headers headers = exchange.getResponseHeaders();
		headers.set("Content-Type", "text/html; charset=utf-8");
		headers.set("Content-Security-Policy", this.page.policy());
		headers.set("Referrer-Policy", "no-referrer");
		exchange.sendResponseHeaders(200, this.page.html().length);
		exchange.getResponseBody().write(this.page.html());
	}

	private void stream(HttpExchange exchange) throws IOException {
		if (!this.streams.tryAcquire()) {
			answer(exchange, 503, "The page is open too often.");
			return;
		}
		try (LiveFeed.Subscription subscription = this.feed
			.subscribe(exchange.getRequestHeaders().getFirst("Last-Event-ID"))) {
			exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
			exchange.sendResponseHeaders(200, 0);
			OutputStream body = exchange.getResponseBody();
			send(body, "hello", null, json.writeValueAsString(hello()));
			body.flush();
			while (!Thread.currentThread().isInterrupted()) {
				LiveFeed.Message message = subscription.next(SECONDS_BETWEEN_TICKS, TimeUnit.SECONDS);
				if (message != null) {
					send(body, message.type(), message.id(), message.data());
				}
				else {
					send(body, "tick", null, json.writeValueAsString(this.feed.clock()));
				}
				if (subscription.isEmpty()) {
					body.flush();
				}
			}
		}
		catch (InterruptedException ex) {
			// The client did not keep up, or the sample ends. The page comes back by
			// itself
		}
		finally {
			this.streams.release();
		}
	}

	private static void send(OutputStream body, String type, @Nullable String id, String data) throws IOException {
		String event = "event: " + type + '\n' + ((id != null) ? "id: " + id + '\n' : "") + "data: " + data + "\n\n";
		body.write(event.getBytes(StandardCharsets.UTF_8));
	}

	private Map<String, Object> hello() {
		Map<String, Object> hello = new HashMap<>(this.feed.clock());
		hello.put("instances", List.of(Map.of("name", "instance-1", "url", this.instances.first().url()),
				Map.of("name", "instance-2", "url", this.instances.second().url())));
		hello.put("scenarios", this.account.programme());
		hello.put("ownRedis", this.incidents.ownRedis());
		return hello;
	}

	private void startScenario(HttpExchange exchange) throws IOException {
		String number = last(exchange.getRequestURI());
		if (!number.matches("[1-9]\\d?") || Integer.parseInt(number) > this.account.programme().size()) {
			answer(exchange, 404, "There is no scenario " + number + ".");
		}
		else if (this.incidents.disturbScenarios()) {
			answer(exchange, 409, "Redis or an instance is broken at the moment. Play the scenario afterwards.");
		}
		else if (this.account.begin(Integer.parseInt(number))) {
			answer(exchange, 202, "Scenario " + number + " begins.");
		}
		else {
			answer(exchange, 409, "Scenario " + number + " is being played already.");
		}
	}

	private void beginIncident(HttpExchange exchange) throws IOException {
		String incident = last(exchange.getRequestURI());
		if (!this.incidents.isAllowed(incident)) {
			answer(exchange, 409, "This Redis does not belong to the sample, which therefore does not break it.");
			return;
		}
		if (this.incidents.disturbsScenarios(incident) && this.account.isPlaying()) {
			answer(exchange, 409, "A scenario is playing, which this would spoil. Break this when it is over.");
			return;
		}
		try {
			if (this.incidents.begin(incident)) {
				answer(exchange, 202, "It begins.");
			}
			else {
				answer(exchange, 409, "Something is broken already. Break this when that is over.");
			}
		}
		catch (IllegalArgumentException ex) {
			answer(exchange, 404, "There is no such incident.");
		}
	}

	private void forceRelease(HttpExchange exchange) throws IOException {
		String query = exchange.getRequestURI().getRawQuery();
		if (query == null || !query.startsWith("lock=")) {
			answer(exchange, 400, "The name of the lock is missing.");
			return;
		}
		String lock = URLDecoder.decode(query.substring("lock=".length()), StandardCharsets.UTF_8);
		ForcedRelease.Outcome outcome = new ForcedRelease(this.instances.second()).of(lock);
		answer(exchange, outcome.done() ? 200 : 409, outcome.detail());
	}

	private static String last(URI uri) {
		return uri.getPath().substring(uri.getPath().lastIndexOf('/') + 1);
	}

	private static void answer(HttpExchange exchange, int status, String detail) throws IOException {
		byte[] body = json.writeValueAsBytes(Map.of("detail", detail));
		exchange.getResponseHeaders().set("Content-Type", "application/json");
		exchange.sendResponseHeaders(status, body.length);
		exchange.getResponseBody().write(body);
	}

	private interface Handler {

		void handle(HttpExchange exchange) throws IOException;

	}

}
