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

package io.distributedlock.testsupport;

import java.time.Duration;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds out whether a server that was just started is ready, and is ours.
 */
final class RedisReadiness {

	private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

	private static final Pattern PROCESS_ID = Pattern.compile("(?m)^process_id:(\\d+)");

	private final RedisBackend backend;

	private final Supplier<RespClient> clients;

	RedisReadiness(RedisBackend backend, Supplier<RespClient> clients) {
		this.backend = backend;
		this.clients = clients;
	}

	/**
	 * Waits until the server is ready.
	 * @throws IllegalStateException if it ends, or does not answer in time
	 */
	void await() {
		try {
			Waiting.until("Redis answers", START_TIMEOUT, () -> !this.backend.isRunning() || isReady());
		}
		catch (IllegalStateException ex) {
			throw new IllegalStateException("Redis does not answer:\n" + this.backend.output(), ex);
		}
		if (!this.backend.isRunning()) {
			throw new IllegalStateException("Redis ended at once:\n" + this.backend.output());
		}
	}

	private boolean isReady() {
		try (RespClient client = this.clients.get()) {
			String info = String.valueOf(client.command("INFO"));
			return info.contains("\nloading:0") && isOurs(info);
		}
		catch (RespException ex) {
			if (String.valueOf(ex.getMessage()).contains("unknown command")) {
				// A test has taken it away
				return true;
			}
			throw ex;
		}
	}

	/** Another server may have taken the port before ours could. */
	private boolean isOurs(String info) {
		Matcher pid = PROCESS_ID.matcher(info);
		return !(this.backend instanceof EmbeddedRedis embedded)
				|| (pid.find() && embedded.hasPid(Long.parseLong(pid.group(1))));
	}

}
