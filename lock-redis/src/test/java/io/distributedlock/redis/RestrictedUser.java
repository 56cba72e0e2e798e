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
package io.distributedlock.redis;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.redis.RedisSetup.Topology;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.RedisServerBuilder;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A user of Redis who may do what docs/redis.md lists, and nothing else. Tests connect as
 * this user, and look at Redis as its default user.
 */
public final class RestrictedUser {

	/** The name of the user. */
	public static final String NAME = "locks";

	/** The password of the user. */
	public static final String PASSWORD = "pw";

	/** What the user of the sentinels may do. */
	static final String SENTINEL_RULES = "+ping +hello '+client|setname' '+sentinel|get-master-addr-by-name'"
			+ " +subscribe '&+switch-master'";

	private RestrictedUser() {
	}

	/** A single server, or one that sentinels watch. */
	public static RedisServerBuilder onServer(RedisServerBuilder builder) {
		return builder.config("user", rules(Topology.SINGLE));
	}

	/** A master or a replica that is configured as such. */
	public static RedisServerBuilder onStaticNode(RedisServerBuilder builder) {
		return builder.config("user", rules(Topology.STATIC_NODES));
	}

	/** A node of a cluster. */
	public static RedisServerBuilder onNode(RedisServerBuilder builder) {
		return builder.config("user", rules(Topology.CLUSTER));
	}

	/** The command that lets the user ask a sentinel. */
	public static String[] onSentinel() {
		return Stream.concat(Stream.of("ACL", "SETUSER"), Arrays.stream(user(SENTINEL_RULES.replace("'", ""))))
			.toArray(String[]::new);
	}

	/** Connect as the user. */
	public static RedisStandaloneConfiguration address(String host, int port) {
		RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(host, port);
		address.setUsername(NAME);
		address.setPassword(PASSWORD);
		return address;
	}

	/**
	 * Assert that the user did not try to do anything else. To newer servers, clients say
	 * their name with CLIENT SETINFO, and do not mind if they may not; Redis 7.0, on
	 * which the rules have to work as well, does not know that command.
	 */
	public static void assertNothingRefused(RedisServer server) {
		assertThat((List<?>) server.cli("ACL", "LOG"))
			.noneMatch((entry) -> ((List<?>) entry).contains(NAME) && !((List<?>) entry).contains("client|setinfo"));
	}

	private static String[] rules(Topology topology) {
		String rules = RedisPermissions.rules(new KeyLayout("lock:"), new RedisSetup("Redis", topology, 0, false));
		return user(rules.replace("'", "") + " " + RedisPermissions.LISTING);
	}

	private static String[] user(String rules) {
		return Stream.concat(Stream.of(NAME, "on", ">" + PASSWORD), Arrays.stream(rules.split(" ")))
			.toArray(String[]::new);
	}

}
