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

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.RespClient;

/**
 * What the run asks of Redis between and around measurements.
 */
public final class RedisProbe implements AutoCloseable {

	private final RedisServer server;

	private final RespClient client;

	public RedisProbe(RedisServer server) {
		this.server = server;
		this.client = server.client();
	}

	/**
	 * How often each command was run since Redis was started.
	 */
	public CommandCounts commandCounts() {
		return CommandCounts.parse(String.valueOf(this.client.command("INFO", "commandstats")));
	}

	/**
	 * The open connections.
	 * @return the number of connections, this one included
	 */
	public int connections() {
		return Integer.parseInt(info("clients", "connected_clients"));
	}

	/**
	 * The processor time that Redis has used.
	 * @return microseconds, those of the system included
	 */
	public double processorMicros() {
		String info = String.valueOf(this.client.command("INFO", "cpu"));
		return 1e6
				* (Double.parseDouble(field(info, "used_cpu_user")) + Double.parseDouble(field(info, "used_cpu_sys")));
	}

	public String version() {
		String info = String.valueOf(this.client.command("INFO", "server"));
		return info.contains("valkey_version:") ? "Valkey " + field(info, "valkey_version")
				: field(info, "redis_version");
	}

	public void flush() {
		this.client.command("FLUSHALL", "SYNC");
	}

	/**
	 * Lays down the baton of the hand-off's floor.
	 */
	public void layDownBaton(String list) {
		this.client.command("RPUSH", list, "baton");
	}

	/**
	 * Starts to listen to who sends what.
	 */
	public CommandMonitor monitor() {
		return new CommandMonitor(this.server);
	}

	private String info(String section, String field) {
		return field(String.valueOf(this.client.command("INFO", section)), field);
	}

	private static String field(String info, String field) {
		Matcher matcher = Pattern.compile("(?m)^" + field + ":(.*?)\\r?$").matcher(info);
		if (!matcher.find()) {
			throw new IllegalStateException("INFO has no " + field);
		}
		return matcher.group(1);
	}

	@Override
	public void close() {
		this.client.close();
	}

}
