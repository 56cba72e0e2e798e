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
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockInspector;
import io.distributedlock.LockListener;
import io.distributedlock.sample.app.InstanceApplication;
import io.opentelemetry.sdk.trace.export.SpanExporter;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.context.ApplicationContextException;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts two instances of the application in this JVM. They share Redis, the database and
 * a file, as two deployed instances would.
 */
final class InstanceLauncher implements AutoCloseable {

	private static final int FIRST_PORT = 8081;

	private final RedisServer redis;

	private final LiveFeed feed;

	private final List<String> args;

	private final List<ConfigurableApplicationContext> running = new ArrayList<>();

	private final List<Plug> plugs = new ArrayList<>();

	InstanceLauncher(RedisServer redis, LiveFeed feed, String... args) {
		this.redis = redis;
		this.feed = feed;
		// That port is for the page
		this.args = Stream.of(args).filter((arg) -> !arg.startsWith("--server.port")).toList();
	}

	Instances launch() throws IOException {
		Path directory = Files.createTempDirectory("sample");
		directory.toFile().deleteOnExit();
		Path keywords = directory.resolve("keywords.jsonl");
		keywords.toFile().deleteOnExit();
		return Instances.at(launch(1, keywords), launch(2, keywords));
	}

	private String launch(int number, Path keywords) {
		List<String> all = new ArrayList<>(this.args);
		String name = "instance-" + number;
		// A real application should not let every client release its locks. These are
		// reachable from this machine only, and by its own names only
		Map<String, Object> own = Map.of("distributed-lock.instance-name", name, "sample.keywords.file", keywords,
				"sample.clock-behind", (number == 1) ? Duration.ZERO : Scenarios.CLOCK_BEHIND,
				"management.endpoint.locks.access", "unrestricted");
		Stream.of(own, this.redis.properties())
			.forEach((properties) -> properties.forEach((key, value) -> all.add("--" + key + "=" + value)));
		Plug plug = new Plug();
		InstanceEvents events = new InstanceEvents(name, this.feed, plug);
		ConfigurableApplicationContext context = run(all, freePort(FIRST_PORT + number - 1), events,
				new SpanFeed(name, this.feed, plug), plug);
		this.running.add(context);
		this.plugs.add(plug);
		events.lookAt(context.getBean(LockInspector.class));
		return "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
	}

	/**
	 * Another process may take the port at the last moment.
	 */
	private static ConfigurableApplicationContext run(List<String> args, int port, LockListener listener,
			SpanExporter spans, Plug plug) {
		List<String> all = new ArrayList<>(args);
		all.add("--server.port=" + port);
		try {
			return new SpringApplicationBuilder(InstanceApplication.class).main(InstanceApplication.class)
				.initializers((context) -> {
					context.getBeanFactory().registerSingleton("stageListener", listener);
					context.getBeanFactory().registerSingleton("stageSpans", spans);
					context.getBeanFactory().registerSingleton("stagePlug", plug);
					context.getBeanFactory().registerSingleton("stageFilter", new OwnNamesFilter());
				})
				.run(all.toArray(String[]::new));
		}
		catch (ApplicationContextException ex) {
			if (port == 0 || !(ex.getCause() instanceof PortInUseException)) {
				throw ex;
			}
			return run(args, 0, listener, spans, plug);
		}
	}

	/** The instances from within, in their order. */
	List<Insider> insiders() {
		return IntStream.range(0, this.running.size())
			.mapToObj((index) -> Insider.of(this.running.get(index), this.plugs.get(index)))
			.toList();
	}

	@Override
	public void close() {
		this.running.forEach(ConfigurableApplicationContext::close);
	}

	private static int freePort(int wanted) {
		try (ServerSocket socket = new ServerSocket(wanted, 0, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			return 0;
		}
	}

}
