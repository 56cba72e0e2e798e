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

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How often Redis ran each command, those inside scripts included. {@code INFO} is the
 * run's own, and {@code PING} is what idle connections of other contestants send.
 *
 * @param calls the calls by lower-case command
 */
public record CommandCounts(Map<String, Long> calls) {

	private static final Pattern LINE = Pattern.compile("cmdstat_([^:|]+)[^:]*:calls=(\\d+)");

	private static final Set<String> OTHERS = Set.of("info", "ping");

	static CommandCounts parse(String commandStats) {
		Map<String, Long> calls = new HashMap<>();
		Matcher matcher = LINE.matcher(commandStats);
		while (matcher.find()) {
			calls.merge(matcher.group(1), Long.parseLong(matcher.group(2)), Long::sum);
		}
		calls.keySet().removeAll(OTHERS);
		return new CommandCounts(calls);
	}

	public CommandCounts since(CommandCounts before) {
		Map<String, Long> difference = new HashMap<>(this.calls);
		before.calls.forEach((command, count) -> difference.merge(command, -count, Long::sum));
		return new CommandCounts(difference);
	}

	/**
	 * One command.
	 * @param command the command in lower case
	 */
	public long of(String command) {
		return this.calls.getOrDefault(command, 0L);
	}

	/**
	 * Everything that Redis ran.
	 * @return the number of commands, those inside scripts included
	 */
	public long executed() {
		return this.calls.values().stream().mapToLong(Long::longValue).sum();
	}

	public double sent(CommandOrigins origins) {
		return this.calls.entrySet()
			.stream()
			.mapToDouble((entry) -> entry.getValue() * origins.clientShare(entry.getKey()))
			.sum();
	}

}
