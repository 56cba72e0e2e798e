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

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The information that a server reports about itself, as far as it matters to locks. A
 * server may report less, or nothing: then there are no findings.
 */
final class ServerInfo {

	private static final int OLDEST_MAJOR_VERSION = 5;

	private static final int LONGEST_VERSION = 32;

	private static final Pattern MAJOR_VERSION = Pattern.compile("^(\\d{1,5})\\.");

	private final Map<String, String> fields = new HashMap<>();

	/**
	 * Read the answer to {@code INFO}.
	 * @param answer the answer, empty if there was none
	 */
	ServerInfo(String answer) {
		answer.lines().forEach((line) -> {
			int colon = line.indexOf(':');
			if (colon > 0) {
				this.fields.put(line.substring(0, colon), line.substring(colon + 1));
			}
		});
	}

	/** Product and version, or {@code null} if unknown. */
	@Nullable String version() {
		String valkey = this.fields.get("valkey_version");
		String redis = this.fields.get("redis_version");
		String product = (valkey != null) ? "Valkey" : "Redis";
		String version = (valkey != null) ? valkey : redis;
		return (version == null || version.isEmpty()) ? null
				: product + " " + version.substring(0, Math.min(LONGEST_VERSION, version.length()));
	}

	/** Settings that can harm locks. */
	List<Weakness> weaknesses() {
		List<Weakness> weaknesses = new ArrayList<>();
		Matcher version = MAJOR_VERSION.matcher(this.fields.getOrDefault("redis_version", ""));
		if (version.find() && Integer.parseInt(version.group(1)) < OLDEST_MAJOR_VERSION) {
			weaknesses.add(Weakness.TOO_OLD);
		}
		if (is("redis_mode", "cluster") || is("cluster_enabled", "1")) {
			weaknesses.add(Weakness.NODE_OF_CLUSTER);
		}
		if (is("role", "slave")) {
			weaknesses.add(Weakness.REPLICA);
		}
		String policy = this.fields.get("maxmemory_policy");
		if (policy != null && !policy.equals("noeviction") && !is("maxmemory", "0")) {
			weaknesses.add(Weakness.EVICTS);
		}
		// Redis has a figure of good replicas if, and only if, it demands some
		if (is("role", "master") && !is("connected_slaves", "0") && this.fields.containsKey("connected_slaves")
				&& !this.fields.containsKey("min_slaves_good_slaves")) {
			weaknesses.add(Weakness.LOSES_WRITES);
		}
		return weaknesses;
	}

	/** The eviction policy, in the word of the server. */
	String evictionPolicy() {
		return this.fields.getOrDefault("maxmemory_policy", "");
	}

	private boolean is(String field, String value) {
		return value.equals(this.fields.get(field));
	}

	/**
	 * Settings that can harm locks.
	 */
	enum Weakness {

		TOO_OLD, NODE_OF_CLUSTER, REPLICA, EVICTS, LOSES_WRITES

	}

}
