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

	private static final Pattern PLAIN_NAME = Pattern.compile("[\\w.@-]+");

	private RedisPermissions() {
	}

	/**
	 * What to do if the user lacks a right, after which the rules follow. The rights for
	 * keys that are not its own would open the locks of others.
	 */
	static String advice(KeyLayout keys, RedisSetup setup) {
		return "The key prefix is '%s'. If this user is for another one, correct 'distributed-lock.key-prefix', with Spring Boot. Otherwise, on each server that has the user, and with +info as well for a complete check: ACL SETUSER %s %s"
			.formatted(Printable.of(keys.prefix()), user(setup), rules(keys, setup));
	}

	/** What to do if only the right to have lost keys reported is missing. */
	static String reports(RedisSetup setup) {
		return "On each server that has the user: ACL SETUSER %s '+client|tracking' '+client|caching'"
			.formatted(user(setup));
	}

	/** As far as it can be part of a command. */
	private static String user(RedisSetup setup) {
		String user = setup.user();
		return (user != null && PLAIN_NAME.matcher(user).matches()) ? user : "<user>";
	}

	/**
	 * The arguments of {@code ACL SETUSER}, without name and password. Quoted for a shell
	 * and for {@code redis-cli}.
	 */
	static String rules(KeyLayout keys, RedisSetup setup) {
		String more = switch (setup.topology()) {
			case CLUSTER -> CLUSTER_COMMANDS;
			case STATIC_NODES -> " +role";
			case SINGLE, SENTINEL, UNKNOWN -> "";
		};
		String exact = keys.exactPatterns().stream().map("'~%s' "::formatted).collect(Collectors.joining());
		return "'~%1$s*' '~{%1$s*' '~{*}%1$s*' %5$s'&%1$sinbox:*' %2$s%3$s%4$s".formatted(keys.prefixPattern(),
				COMMANDS, more, (setup.database() != 0) ? " +select" : "", exact);
	}

}
