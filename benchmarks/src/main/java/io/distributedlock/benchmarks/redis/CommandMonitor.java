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
import java.net.URI;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Listens to {@code MONITOR} until it is closed.
 */
public final class CommandMonitor implements AutoCloseable {

	private static final Pattern LINE = Pattern.compile("^\\S+ \\[\\d+ (\\S+)] \"([^\"]+)\"");

	private final RedisLink link;

	private final Thread listener;

	private final Map<String, long[]> sentAndScripted = new HashMap<>();

	CommandMonitor(URI redis) {
		this.link = new RedisLink(redis);
		this.link.ask("MONITOR");
		this.listener = new Thread(this::listen, "monitor");
		this.listener.setDaemon(true);
		this.listener.start();
	}

	private void listen() {
		try {
			while (true) {
				count(this.link.answer());
			}
		}
		catch (IOException ex) {
			// Closed: that was all.
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
	 * Stops listening.
	 * @return what was learned
	 * @throws InterruptedException if interrupted
	 */
	public CommandOrigins finish() throws InterruptedException {
		close();
		this.listener.join();
		return CommandOrigins.of(this.sentAndScripted);
	}

	@Override
	public void close() {
		this.link.close();
	}

}
