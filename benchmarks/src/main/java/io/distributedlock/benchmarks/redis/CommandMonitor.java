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

package io.distributedlock.benchmarks.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.RespClient;

/**
 * Listens to {@code MONITOR}.
 */
public final class CommandMonitor implements AutoCloseable {

	private static final Pattern LINE = Pattern.compile("^\\S+ \\[\\d+ (\\S+)] \"([^\"]+)\"");

	private static final String END = "end-of-" + CommandMonitor.class.getName();

	private static final Duration LIMIT = Duration.ofSeconds(5);

	private final RedisServer server;

	private final RespClient client;

	private final Thread listener;

	private final Map<String, long[]> sentAndScripted = new HashMap<>();

	CommandMonitor(RedisServer server) {
		this.server = server;
		this.client = server.client();
		this.client.command("MONITOR");
		this.listener = new Thread(this::listen, "monitor");
		this.listener.setDaemon(true);
		this.listener.start();
	}

	private void listen() {
		try {
			String line = String.valueOf(this.client.receive());
			while (!line.contains(END)) {
				count(line);
				line = String.valueOf(this.client.receive());
			}
		}
		catch (IOException ex) {
			// Closed without an end mark: what was seen so far is good enough.
		}
	}

	private void count(String line) {
		Matcher matcher = LINE.matcher(line);
		if (matcher.find()) {
			int origin = matcher.group(1).equals("lua") ? 1 : 0;
			String command = matcher.group(2).toLowerCase(Locale.ROOT);
			this.sentAndScripted.computeIfAbsent(command, (key) -> new long[2])[origin]++;
		}
	}

	/**
	 * Listens to everything that was sent up to now, then stops.
	 */
	public CommandOrigins finish() throws InterruptedException {
		try (RespClient other = this.server.client()) {
			other.command("ECHO", END);
		}
		this.listener.join(LIMIT.toMillis());
		close();
		this.listener.join();
		return CommandOrigins.of(this.sentAndScripted);
	}

	@Override
	public void close() {
		this.client.close();
	}

}
