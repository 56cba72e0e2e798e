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

/**
 * Which commands a contestant sends itself, and which its scripts run.
 * {@code INFO commandstats} does not tell them apart; {@code MONITOR} does, but slows
 * Redis down. So the origins are learned while the contestant warms up, and the counts
 * are taken while it is measured.
 *
 * @param clientShare the share that clients sent, from 0 to 1, by lower-case command
 */
public record CommandOrigins(Map<String, Double> clientShare) {

	/**
	 * Nothing learned: every command counts as sent by a client.
	 */
	public static final CommandOrigins UNKNOWN = new CommandOrigins(Map.of());

	private static final Set<String> DATA = Set.of("get", "set", "del", "pexpire", "pttl", "time", "zadd", "zrem",
			"zpopmin", "hset", "hget", "hdel");

	static CommandOrigins of(Map<String, long[]> sentAndScripted) {
		Map<String, Double> shares = new HashMap<>();
		sentAndScripted.forEach((command, counts) -> shares.put(command, counts[0] / (double) (counts[0] + counts[1])));
		return new CommandOrigins(Map.copyOf(shares));
	}

	/**
	 * Which part of the calls of a command clients send. A data command that was not seen
	 * while a contestant with scripts warmed up belongs to a rare branch of a script.
	 */
	double clientShare(String command) {
		boolean ofScript = this.clientShare.containsKey("evalsha") && DATA.contains(command);
		return this.clientShare.getOrDefault(command, ofScript ? 0.0 : 1.0);
	}

}
