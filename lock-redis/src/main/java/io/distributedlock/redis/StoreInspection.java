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
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.distributedlock.store.StoreReport;
import io.distributedlock.store.StoreReport.Finding;
import io.distributedlock.store.StoreReport.Severity;

/**
 * Combines the answers of the masters of a store into one report. Several nodes with the
 * same problem are one finding. A server may report less than is asked here, or nothing:
 * then there are no findings.
 */
final class StoreInspection {

	private static final int OLDEST_MAJOR_VERSION = 5;

	private static final int LONGEST_VERSION = 32;

	private static final Set<String> OF_CHANNELS = Set.of("PUBLISH", "SUBSCRIBE");

	private static final Pattern MAJOR_VERSION = Pattern.compile("^(\\d{1,5})\\.");

	private final RedisSetup setup;

	private final KeyLayout keys;

	private final boolean watches;

	private final Set<String> versions = new LinkedHashSet<>();

	/** The nodes that did not answer INFO. */
	private final Set<String> silent = new LinkedHashSet<>();

	/** The nodes by finding, whose problem lacks its subject. */
	private final Map<Finding, Set<String>> nodes = new LinkedHashMap<>();

	/**
	 * Create it.
	 * @param watches whether the client has changes of keys reported
	 */
	StoreInspection(RedisSetup setup, KeyLayout keys, boolean watches) {
		this.setup = setup;
		this.keys = keys;
		this.watches = watches;
	}

	/**
	 * Add the answer of a node.
	 * @param node the node, empty if there is a single server, or it is not known
	 */
	void add(String node, Answer answer) {
		Map<String, String> info = fields(answer.info());
		if (info.isEmpty()) {
			this.silent.add(node);
		}
		String version = version(info);
		if (version != null) {
			this.versions.add(version);
		}
		if (!answer.lacking().isEmpty()) {
			addLacking(node, new LinkedHashSet<>(List.of(answer.lacking().split(" "))));
		}
		if (!answer.unknown().isEmpty()) {
			add(node, Severity.ERROR, "does not know a command that locks need: %s.".formatted(answer.unknown()),
					"Remove its rename-command for %1$s, or choose a server that offers %1$s."
						.formatted(answer.unknown()));
		}
		else if (this.watches && !answer.unreported().isEmpty()) {
			add(node, Severity.WARNING,
					"does not give its user the right to %s: a holder whose lock is deleted or evicted learns of that only at the next renewal or at the deadline."
						.formatted(answer.unreported()),
					RedisPermissions.reports(this.setup));
		}
		Matcher major = MAJOR_VERSION.matcher(info.getOrDefault("redis_version", ""));
		if (major.find() && Integer.parseInt(major.group(1)) < OLDEST_MAJOR_VERSION) {
			add(node, Severity.ERROR, "is too old for locks: it is %s.".formatted(version),
					"Use Redis 5.0 or later, or Valkey.");
		}
		if (isOfCluster(info) && !this.setup.topology().mayBeCluster()) {
			add(node, Severity.ERROR,
					"is a node of a Redis Cluster, and the connection is for a single Redis: it refuses the locks whose keys other nodes have.",
					"Connect to the cluster, with Spring Boot by spring.data.redis.cluster.nodes.");
		}
		if (is(info, "role", "slave")) {
			add(node, Severity.ERROR, "is a replica, and refuses to write locks.",
					"Let the failover end, or connect to the master, with Spring Boot by spring.data.redis.*.");
		}
		else if (!answer.refusal().isEmpty()) {
			String refusal = FailureTranslator.firstLine(answer.refusal());
			add(node, Severity.OUTAGE, "refuses to write locks at present: %s.".formatted(refusal),
					FailureTranslator.adviceFor(refusal));
		}
		String policy = info.get("maxmemory_policy");
		if (policy != null && !policy.equals("noeviction") && !is(info, "maxmemory", "0")) {
			add(node, Severity.WARNING,
					"evicts keys when its memory is full (maxmemory-policy %s): a held lock can vanish, and another caller can acquire it."
						.formatted(policy),
					"Set maxmemory-policy to noeviction, or give the locks a Redis of their own.");
		}
		// Redis has a figure of good replicas if, and only if, it demands some
		if (is(info, "role", "master") && info.containsKey("connected_slaves") && !is(info, "connected_slaves", "0")
				&& !info.containsKey("min_slaves_good_slaves")) {
			add(node, Severity.WARNING,
					"has replicas and does not wait for them (min-replicas-to-write 0): a failover can forget a lock that is held, and bring two holders together.",
					"Set min-replicas-to-write to 1, which makes it rarer, and protect what must be safe with fencing tokens, as @DistributedLock(fenced = true) of the module lock-fencing does.");
		}
	}

	/** Who lacks both commands for channels may have them, and lack the channels. */
	private void addLacking(String node, Set<String> commands) {
		String where = OF_CHANNELS.containsAll(commands) ? " on the channels of locks" : "";
		String problem = (commands.size() == 1) ? "a right that locks need: the right to %s%s is missing."
				: "rights that locks need: the rights to %s%s are missing.";
		add(node, Severity.ERROR, "does not give its user " + problem.formatted(String.join(", ", commands), where),
				commands.containsAll(OF_CHANNELS) ? RedisPermissions.adviceOnChannels(this.keys, this.setup)
						: RedisPermissions.adviceOnCommands(this.setup));
	}

	/** Add that the client waits before it asks a cluster for a new master. */
	void addPausesAfterFailover() {
		add("", Severity.WARNING,
				"has a client that pauses after a failover, for up to seconds, before it asks for the new master: holders whose locks are lost learn of that late.",
				"Set max-redirects of the cluster to 2, with Spring Boot by spring.data.redis.cluster.max-redirects.");
	}

	private static Map<String, String> fields(String info) {
		Map<String, String> fields = new HashMap<>();
		info.lines().forEach((line) -> {
			int colon = line.indexOf(':');
			if (colon > 0) {
				fields.put(line.substring(0, colon), line.substring(colon + 1));
			}
		});
		return fields;
	}

	private static @Nullable String version(Map<String, String> info) {
		String valkey = info.get("valkey_version");
		String version = (valkey != null) ? valkey : info.getOrDefault("redis_version", "");
		return version.isEmpty() ? null : ((valkey != null) ? "Valkey " : "Redis ")
				+ version.substring(0, Math.min(LONGEST_VERSION, version.length()));
	}

	private static boolean isOfCluster(Map<String, String> info) {
		return is(info, "redis_mode", "cluster") || is(info, "cluster_enabled", "1");
	}

	private static boolean is(Map<String, String> info, String field, String value) {
		return value.equals(info.get(field));
	}

	private void add(String node, Severity severity, String problem, String action) {
		this.nodes.computeIfAbsent(new Finding(severity, problem, action), (finding) -> new LinkedHashSet<>())
			.add(node);
	}

	StoreReport report() {
		List<Finding> findings = new ArrayList<>();
		this.nodes.forEach((finding, where) -> findings
			.add(new Finding(finding.severity(), subject(where) + " " + finding.problem(), finding.action())));
		return new StoreReport(this.versions.isEmpty() ? null : String.join(", ", this.versions), findings,
				unchecked());
	}

	/**
	 * Return what was not checked, and why, or {@code null}. It is no finding: nothing is
	 * known to be wrong.
	 */
	private @Nullable String unchecked() {
		return this.silent.isEmpty() ? null : subject(this.silent)
				+ " does not let its user run INFO, so version, role, eviction and replicas were not checked. Grant +info to have them checked: Spring Boot's health check of Redis needs it, too.";
	}

	private String subject(Set<String> where) {
		List<String> known = where.stream().filter((node) -> !node.isEmpty()).toList();
		return this.setup.description() + (known.isEmpty() ? ""
				: ((known.size() == 1) ? ", node " : ", nodes ") + String.join(" and ", known) + ",");
	}

	/**
	 * The answer of one server. Each part may be empty.
	 *
	 * @param lacking the commands that the user lacks the right to, some more than once
	 * @param unknown the first command that the server does not know
	 * @param unreported the first command for reports of lost keys that the user lacks
	 * the right to
	 * @param refusal why it refuses a write
	 * @param info its answer to INFO
	 */
	record Answer(String lacking, String unknown, String unreported, String refusal, String info) {

		boolean isOfCluster() {
			return StoreInspection.isOfCluster(fields(this.info));
		}

	}

}
