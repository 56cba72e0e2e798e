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

import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.distributedlock.internal.Printable;

/**
 * The permissions that a Redis user needs. A test verifies that they are sufficient.
 */
final class RedisPermissions {

	private static final String COMMANDS = "+ping +hello '+client|setname' '+client|tracking' '+client|caching'"
			+ " +eval +evalsha +get +set +del +pexpire +pttl +time"
			+ " +zadd +zrem +zpopmin +zcard +zcount +zscore +zscan +zrange +zrangebyscore +hget +hset +hdel"
			+ " +publish +subscribe +unsubscribe '+pubsub|numsub'";

	/** For Lettuce and Jedis, which ask in different ways. */
	private static final String CLUSTER_COMMANDS = " +asking +info '+cluster|nodes' '+cluster|slots' '+cluster|myid'";

	/** To inspect the locks of all instances, for operators. */
	static final String LISTING = "+scan";

	private static final String SAVED = " (then ACL SAVE, if it keeps users in a file";

	private static final Pattern PLAIN_NAME = Pattern.compile("[\\w.@-]+");

	private RedisPermissions() {
	}

	/**
	 * What to do if the user lacks a right, and it is not known which one. The rights for
	 * keys that are not its own would open the locks of others.
	 * @param more further commands, each after a space
	 */
	static String advice(KeyLayout keys, RedisSetup setup, String more) {
		return advice(keys, setup, commands(setup) + more, patterns(keys), channels(keys));
	}

	/** What to do if the user has the keys. */
	static String adviceOnChannels(KeyLayout keys, RedisSetup setup) {
		return advice(keys, setup, commands(setup), channels(keys));
	}

	/** What to do if the user has keys and channels. */
	static String adviceOnCommands(RedisSetup setup) {
		return "The check does not see all of them. So grant each command that locks need, on each server that has the user"
				+ afterwards(setup) + ": " + setUser(setup) + commands(setup) + withInfo(setup);
	}

	/**
	 * Redis carries out all rules of a command, or none, and refuses a pattern for a user
	 * who has all keys or channels.
	 */
	private static String advice(KeyLayout keys, RedisSetup setup, String commands, String... patterns) {
		StringBuilder advice = new StringBuilder(
				"The key prefix is '%s'. If this user is for another one, correct 'distributed-lock.key-prefix', with Spring Boot. Otherwise, on each server that has the user, run each of these%s. If Redis refuses a pattern, the user has all keys or channels already. (1) %s"
					.formatted(Printable.of(keys.prefix()), afterwards(setup),
							setUser(setup) + commands + withInfo(setup)));
		for (int i = 0; i < patterns.length; i++) {
			advice.append(" (%d) %s".formatted(i + 2, setUser(setup) + patterns[i]));
		}
		return advice.toString();
	}

	/** What to do if only the right to have lost keys reported is missing. */
	static String reports(RedisSetup setup) {
		return "On each server that has the user" + SAVED + "): " + setUser(setup)
				+ "'+client|tracking' '+client|caching'";
	}

	/** With the user, as far as it can be part of a command. */
	private static String setUser(RedisSetup setup) {
		String user = setup.user();
		return "ACL SETUSER " + ((user != null && PLAIN_NAME.matcher(user).matches()) ? user : "<user>") + " ";
	}

	private static String afterwards(RedisSetup setup) {
		return SAVED + (withInfo(setup).isEmpty() ? ")" : "; +info is only for a complete check)");
	}

	private static String withInfo(RedisSetup setup) {
		return (setup.topology() != RedisSetup.Topology.CLUSTER) ? " +info" : "";
	}

	/**
	 * The arguments of {@code ACL SETUSER}, without name and password. Quoted for a shell
	 * and for {@code redis-cli}.
	 */
	static String rules(KeyLayout keys, RedisSetup setup) {
		return patterns(keys) + " " + channels(keys) + " " + commands(setup);
	}

	private static String patterns(KeyLayout keys) {
		String exact = keys.exactPatterns().stream().map(" '~%s'"::formatted).collect(Collectors.joining());
		return "'~%1$s*' '~{%1$s*' '~{*}%1$s*'%2$s".formatted(keys.prefixPattern(), exact);
	}

	private static String channels(KeyLayout keys) {
		return "'&%sinbox:*'".formatted(keys.prefixPattern());
	}

	private static String commands(RedisSetup setup) {
		String more = switch (setup.topology()) {
			case CLUSTER -> CLUSTER_COMMANDS;
			case STATIC_NODES -> " +role";
			case SINGLE, SENTINEL, UNKNOWN -> "";
		};
		return COMMANDS + more + ((setup.database() != 0) ? " +select" : "");
	}

}
