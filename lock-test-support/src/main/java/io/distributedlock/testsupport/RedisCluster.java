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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A Redis cluster of three masters and three replicas on the loopback interface.
 */
public final class RedisCluster implements AutoCloseable {

	private static final int MASTERS = 3;

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private final List<RedisServer> nodes = new ArrayList<>();

	private final UnaryOperator<RedisServerBuilder> settings;

	private RedisCluster(UnaryOperator<RedisServerBuilder> settings) {
		this.settings = settings;
	}

	/**
	 * Starts a cluster and waits until it serves all slots and every replica is in sync.
	 */
	public static RedisCluster start() {
		return start(UnaryOperator.identity());
	}

	/**
	 * Starts a cluster and waits until it serves all slots and every replica is in sync.
	 */
	public static RedisCluster start(UnaryOperator<RedisServerBuilder> settings) {
		RedisCluster cluster = new RedisCluster(settings);
		try {
			cluster.startNodes();
			cluster.form();
			return cluster;
		}
		catch (RuntimeException ex) {
			cluster.close();
			throw ex;
		}
	}

	/**
	 * Returns all nodes, those that were killed included.
	 */
	public List<RedisServer> nodes() {
		return List.copyOf(this.nodes);
	}

	/**
	 * Returns the addresses as property assignments of a Spring Boot application.
	 */
	public String[] springProperties() {
		return new String[] { this.nodes.stream()
			.map((node) -> node.host() + ":" + node.port())
			.collect(Collectors.joining(",", "spring.data.redis.cluster.nodes=", "")) };
	}

	/**
	 * Returns the slot of a key.
	 */
	public int slotOf(String key) {
		return Math.toIntExact((Long) requireReply(anyNode(), "CLUSTER", "KEYSLOT", key));
	}

	/**
	 * Returns the master that serves a key.
	 */
	public RedisServer masterOf(String key) {
		return node(ClusterTopology.seenBy(anyNode()).shardOf(slotOf(key)).masterPort());
	}

	/**
	 * Returns a living replica of the master that serves a key, and waits for it: right
	 * after a failover, the nodes may not know it yet.
	 */
	public RedisServer replicaOf(String key) {
		Waiting.until("key " + key + " has a replica", TIMEOUT, () -> findReplicaOf(key).isPresent());
		return findReplicaOf(key)
			.orElseThrow(() -> new IllegalStateException("The key '%s' has no replica".formatted(key)));
	}

	private Optional<RedisServer> findReplicaOf(String key) {
		List<Integer> ports = ClusterTopology.seenBy(anyNode()).shardOf(slotOf(key)).ports();
		return ports.stream().skip(1).map(this::node).filter(RedisServer::isRunning).findFirst();
	}

	/**
	 * Kills the master that serves a key, once its replica is in sync, and waits until
	 * the replica has taken over.
	 */
	public RedisServer killMaster(String key) {
		RedisServer master = masterOf(key);
		RedisServer replica = replicaOf(key);
		int slot = slotOf(key);
		Replication.awaitInSync(master, replica);
		master.kill();
		awaitMaster(slot, replica);
		return master;
	}

	/**
	 * Lets a replica take over from a living master, and waits until it has.
	 */
	public void failover(String key) {
		RedisServer replica = replicaOf(key);
		int slot = slotOf(key);
		Replication.awaitInSync(masterOf(key), replica);
		replica.cli("CLUSTER", "FAILOVER");
		awaitMaster(slot, replica);
	}

	/**
	 * Moves the slot of a key, with all keys in it, to another master.
	 */
	public void moveSlot(String key) {
		startMovingSlot(key).finish();
	}

	/**
	 * Begins to move the slot of a key to another master. No key is moved yet.
	 */
	public SlotMove startMovingSlot(String key) {
		RedisServer source = masterOf(key);
		RedisServer target = anyNode((node) -> node != source && Replication.isMaster(node));
		int slot = slotOf(key);
		target.cli("CLUSTER", "SETSLOT", Integer.toString(slot), "IMPORTING", idOf(source));
		source.cli("CLUSTER", "SETSLOT", Integer.toString(slot), "MIGRATING", idOf(target));
		return new SlotMove(slot, source, target, () -> awaitMaster(slot, target));
	}

	/**
	 * Lets another master take the slot of a key, without the keys in it. The previous
	 * master learns of it from the others, and deletes its keys.
	 * @return the new master
	 */
	public RedisServer takeSlot(String key) {
		RedisServer source = masterOf(key);
		RedisServer target = anyNode((node) -> node != source && Replication.isMaster(node));
		String slot = Integer.toString(slotOf(key));
		// The other nodes believe a node that has imported the slot
		target.cli("CLUSTER", "SETSLOT", slot, "IMPORTING", idOf(source));
		target.cli("CLUSTER", "SETSLOT", slot, "NODE", idOf(target));
		return target;
	}

	/**
	 * Ends all nodes.
	 */
	@Override
	public void close() {
		this.nodes.forEach(RedisServer::close);
	}

	private void startNodes() {
		for (int i = 0; i < 2 * MASTERS; i++) {
			this.nodes.add(this.settings.apply(RedisServer.builder().embedded())
				.config("cluster-enabled", "yes")
				.config("cluster-node-timeout", "1500")
				.config("repl-diskless-sync-delay", "0")
				.start());
		}
	}

	private void form() {
		int epoch = 1;
		for (RedisServer node : this.nodes) {
			node.cli("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(epoch++));
			this.nodes.get(0).cli("CLUSTER", "MEET", node.host(), Integer.toString(node.port()));
		}
		for (int i = 0; i < MASTERS; i++) {
			this.nodes.get(i)
				.cli("CLUSTER", "ADDSLOTSRANGE", Integer.toString(i * ClusterTopology.SLOTS / MASTERS),
						Integer.toString((i + 1) * ClusterTopology.SLOTS / MASTERS - 1));
		}
		awaitAll("knows its peers", (node) -> info(node).contains("cluster_known_nodes:" + this.nodes.size()));
		for (int i = 0; i < MASTERS; i++) {
			this.nodes.get(MASTERS + i).cli("CLUSTER", "REPLICATE", idOf(this.nodes.get(i)));
		}
		awaitAll("is ready", (node) -> {
			ClusterTopology topology = ClusterTopology.seenBy(node);
			return info(node).contains("cluster_state:ok") && topology.isComplete()
					&& topology.shards().stream().allMatch((shard) -> shard.ports().size() == 2);
		});
		for (int i = 0; i < MASTERS; i++) {
			Replication.awaitInSync(this.nodes.get(i), this.nodes.get(MASTERS + i));
		}
	}

	private void awaitMaster(int slot, RedisServer master) {
		awaitAll("sees that %s serves slot %d".formatted(master, slot), (node) -> {
			ClusterTopology topology = ClusterTopology.seenBy(node);
			return info(node).contains("cluster_state:ok") && topology.isComplete()
					&& topology.shardOf(slot).masterPort() == master.port();
		});
	}

	private void awaitAll(String expectation, Predicate<RedisServer> condition) {
		for (RedisServer node : this.nodes) {
			Waiting.until(node + " " + expectation, TIMEOUT, () -> !node.isRunning() || condition.test(node));
		}
	}

	private String info(RedisServer node) {
		return String.valueOf(node.cli("CLUSTER", "INFO")).replace("\r", "\n");
	}

	static String idOf(RedisServer node) {
		return (String) requireReply(node, "CLUSTER", "MYID");
	}

	private RedisServer anyNode() {
		return anyNode(RedisServer::isRunning);
	}

	private RedisServer anyNode(Predicate<RedisServer> condition) {
		return this.nodes.stream()
			.filter(RedisServer::isRunning)
			.filter(condition)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No such node is running"));
	}

	private RedisServer node(int port) {
		return this.nodes.stream().filter((node) -> node.port() == port).findFirst().orElseThrow();
	}

	private static Object requireReply(RedisServer node, String... command) {
		Object reply = node.cli(command);
		if (reply == null) {
			throw new IllegalStateException("No reply to " + String.join(" ", command));
		}
		return reply;
	}

}
