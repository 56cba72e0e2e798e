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

package io.distributedlock.benchmarks.cell;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;
import io.distributedlock.testsupport.RedisServer;

/**
 * What every measurement needs.
 */
public record Rig(RedisServer redis, Path directory) {

	/** The run's own, and what idle connections of other contestants send. */
	private static final Set<String> NOT_COUNTED = Set.of("info", "flushall", "ping");

	Fleet fork(Contestant contestant, int size) {
		return new Fleet(contestant, URI.create(this.redis.url()), size, this.directory);
	}

	/**
	 * Forgets what earlier measurements left in Redis and on the board.
	 */
	void clear() {
		this.redis.flushAll();
		board().clear();
	}

	Board board() {
		return Board.open(boardFile());
	}

	String boardFile() {
		return this.directory.resolve("board").toString();
	}

	/**
	 * The commands that Redis has run, those inside scripts included.
	 */
	long executed() {
		return this.redis.commandStats()
			.entrySet()
			.stream()
			.filter((command) -> !NOT_COUNTED.contains(command.getKey()))
			.mapToLong(Map.Entry::getValue)
			.sum();
	}

	/**
	 * The processor time that Redis has used.
	 * @return microseconds, those of the system included
	 */
	double processorMicros() {
		return 1e6 * (Double.parseDouble(info("used_cpu_user")) + Double.parseDouble(info("used_cpu_sys")));
	}

	public String version() {
		String valkey = info("valkey_version");
		return valkey.isEmpty() ? "Redis " + info("redis_version") : "Valkey " + valkey;
	}

	private String info(String field) {
		Matcher matcher = Pattern.compile("(?m)^" + field + ":(.*?)\\r?$")
			.matcher(String.valueOf(this.redis.cli("INFO")));
		return matcher.find() ? matcher.group(1) : "";
	}

}
