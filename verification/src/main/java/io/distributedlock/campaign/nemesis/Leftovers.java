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

package io.distributedlock.campaign.nemesis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.RespClient;
import io.distributedlock.testsupport.RespException;
import org.jspecify.annotations.Nullable;

/**
 * Looks for keys of locks in the store. An instance that lives listens at its inbox, so
 * that what it left can be told from what was left by one that was killed.
 */
final class Leftovers {

	private static final String INBOX = "lock:inbox:";

	private static final Pattern VERSION = Pattern.compile("(?m)^(redis|valkey)_version:(\\S+)");

	private final List<RedisServer> servers;

	Leftovers(List<RedisServer> servers) {
		this.servers = servers;
	}

	List<String> all() {
		return running().flatMap((server) -> keys(server).stream()).toList();
	}

	List<String> ofLiving() {
		Set<String> living = running().flatMap((server) -> list(server.cli("PUBSUB", "CHANNELS", INBOX + "*")).stream())
			.map((channel) -> String.valueOf(channel).substring(INBOX.length()))
			.collect(Collectors.toSet());
		List<String> found = new ArrayList<>();
		running().forEach((server) -> {
			for (String key : keys(server)) {
				tokens(server, key).stream()
					.filter((token) -> living.contains(token.replaceFirst(":[^:]*$", "")))
					.forEach((token) -> found.add(key + " with the token " + token));
			}
		});
		return found;
	}

	private Stream<RedisServer> running() {
		return this.servers.stream().filter(RedisServer::isRunning);
	}

	private static List<String> keys(RedisServer server) {
		try (RespClient client = server.client()) {
			return list(client.command("KEYS", "*campaign:*")).stream()
				.map(String::valueOf)
				.filter((key) -> !key.endsWith(":fence") && !key.endsWith(":record"))
				.toList();
		}
	}

	private static List<?> list(@Nullable Object reply) {
		return (List<?>) Objects.requireNonNull(reply);
	}

	private static List<String> tokens(RedisServer server, String key) {
		try {
			Object found = "zset".equals(String.valueOf(server.cli("TYPE", key))) ? server.cli("ZRANGE", key, "0", "-1")
					: key.endsWith(":waiting") ? server.cli("HKEYS", key) : server.cli("GET", key);
			if (found instanceof List<?> list) {
				return list.stream().map(String::valueOf).toList();
			}
			return (found != null) ? List.of(String.valueOf(found)) : List.of();
		}
		catch (RespException ex) {
			// On another master by now
			return List.of();
		}
	}

	static String version(RedisServer server) {
		Matcher matcher = VERSION.matcher(String.valueOf(server.cli("INFO", "server")));
		String version = "an unknown server";
		while (matcher.find()) {
			version = ("redis".equals(matcher.group(1)) ? "Redis " : "Valkey ") + matcher.group(2);
		}
		return version;
	}

}
