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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How far a replica is.
 */
public final class Replication {

	private static final Pattern OFFSET = Pattern.compile("(?m)^master_repl_offset:(\\d+)");

	private Replication() {
	}

	static boolean isMaster(RedisServer server) {
		return info(server).contains("role:master");
	}

	/**
	 * Waits until a replica has everything, so that its promotion loses nothing.
	 */
	public static void awaitInSync(RedisServer master, RedisServer replica) {
		Waiting.until(replica + " is in sync with " + master, Duration.ofSeconds(60), () -> {
			String info = info(replica);
			return info.contains("master_link_status:up") && offset(info) >= offset(info(master));
		});
	}

	private static String info(RedisServer server) {
		return String.valueOf(server.cli("INFO", "replication"));
	}

	private static long offset(String info) {
		Matcher matcher = OFFSET.matcher(info);
		return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
	}

}
