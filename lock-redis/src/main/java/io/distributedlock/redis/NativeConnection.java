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

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.Delegating;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisServerAsyncCommands;
import io.lettuce.core.api.push.PushMessage;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
import io.lettuce.core.protocol.DefaultEndpoint;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * The connection of Lettuce behind one of Spring Data Redis.
 */
final class NativeConnection {

	private static final Log logger = LogFactory.getLog(NativeConnection.class);

	/** Others hold the lock for as long as it takes to write two commands to a buffer. */
	private static final long LONGEST_WAIT_MILLIS = 250;

	private final RedisClusterAsyncCommands<byte[], byte[]> commands;

	private final StatefulConnection<?, ?> connection;

	/** A command may have to follow another one; all others are sent side by side. */
	private final ReadWriteLock sending = new ReentrantReadWriteLock();

	private NativeConnection(RedisClusterAsyncCommands<byte[], byte[]> commands, StatefulConnection<?, ?> connection) {
		this.commands = commands;
		this.connection = connection;
	}

	@SuppressWarnings("unchecked")
	static NativeConnection of(RedisConnection connection) {
		Object commands = connection.getNativeConnection();
		if (commands instanceof AbstractRedisAsyncCommands<?, ?> lettuce) {
			return new NativeConnection((RedisClusterAsyncCommands<byte[], byte[]>) commands, lettuce.getConnection());
		}
		throw new IllegalStateException("The Redis connection is not one of Lettuce, but offers "
				+ commands.getClass().getName() + ". Do not wrap the connection factory.");
	}

	/**
	 * Send several commands, with no script or message in between, if possible.
	 */
	<T> T sendTogether(Supplier<T> commands) {
		return send(this.sending.writeLock(), commands);
	}

	RedisFuture<Object> evalSha(ScriptCall<?> call) {
		return send(this.sending.readLock(),
				() -> this.commands.evalsha(call.script.sha, output(call), call.keys, call.arguments));
	}

	RedisFuture<Object> eval(ScriptCall<?> call) {
		return send(this.sending.readLock(),
				() -> this.commands.eval(call.script.source, output(call), call.keys, call.arguments));
	}

	/**
	 * Lettuce completes some commands under a lock of its own, which every sender needs
	 * as well. A callback that sends from there must not wait for a sender that waits for
	 * Lettuce. So nobody waits for long, and then sends without the lock.
	 */
	private static <T> T send(Lock lock, Supplier<T> commands) {
		boolean locked = isLockedSoon(lock);
		try {
			return commands.get();
		}
		finally {
			if (locked) {
				lock.unlock();
			}
		}
	}

	private static boolean isLockedSoon(Lock lock) {
		try {
			return lock.tryLock(LONGEST_WAIT_MILLIS, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return lock.tryLock();
		}
	}

	private static ScriptOutputType output(ScriptCall<?> call) {
		return switch (call.script.reply) {
			case TEXT -> ScriptOutputType.VALUE;
			case LIST -> ScriptOutputType.MULTI;
		};
	}

	RedisFuture<Long> publish(byte[] channel, byte[] message) {
		return send(this.sending.readLock(), () -> this.commands.publish(channel, message));
	}

	/** The masters of a cluster, as far as they are known; otherwise a single one. */
	List<String> masters() {
		if (this.connection instanceof StatefulRedisClusterConnection<?, ?> cluster) {
			return masters(cluster.getPartitions()).map(NativeConnection::name).toList();
		}
		return List.of("");
	}

	private static Stream<RedisClusterNode> masters(Partitions nodes) {
		return nodes.stream().filter((node) -> node.getRole().isUpstream() && !node.hasNoSlots());
	}

	/** Ask a node of the cluster for all of them. */
	RedisFuture<String> askForNodes() {
		return send(this.sending.readLock(), this.commands::clusterNodes);
	}

	/** Whether Lettuce believes that other nodes serve the slots. */
	boolean differsFrom(String nodes) {
		if (!(this.connection instanceof StatefulRedisClusterConnection<?, ?> cluster)) {
			return false;
		}
		List<RedisClusterNode> known = livingMasters(cluster.getPartitions());
		List<RedisClusterNode> found = livingMasters(ClusterPartitionParser.parse(nodes));
		return known.size() != found.size() || !found.stream()
			.allMatch((node) -> known.stream()
				.anyMatch((other) -> other.getNodeId().equals(node.getNodeId()) && other.hasSameSlotsAs(node)));
	}

	/** Without nodes that failed, which an application may have hidden from Lettuce. */
	private static List<RedisClusterNode> livingMasters(Partitions nodes) {
		return masters(nodes).filter((node) -> !node.is(RedisClusterNode.NodeFlag.FAIL)).toList();
	}

	/** Commands for one server, or {@code null} if it is not connected now. */
	@Nullable RedisServerAsyncCommands<?, ?> server(String node) {
		StatefulConnection<?, ?> toNode = this.connection;
		if (this.connection instanceof StatefulRedisClusterConnection<?, ?> cluster) {
			toNode = node.isEmpty() ? null : connected(cluster, node);
		}
		return (toNode instanceof StatefulRedisConnection<?, ?> single) ? single.async() : null;
	}

	/** Listen to what servers send without being asked. */
	void onPush(Consumer<PushMessage> listener) {
		if (this.connection instanceof StatefulRedisClusterConnection<?, ?> cluster) {
			cluster.addListener((node, message) -> listener.accept(message));
		}
		else if (this.connection instanceof StatefulRedisConnection<?, ?> single) {
			single.addListener(listener::accept);
		}
	}

	/** Whether it will never connect again. */
	boolean isClosed() {
		return this.connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
	}

	/** The server that has a key: empty if there is a single one, or it is not known. */
	String nodeOf(byte[] key) {
		if (this.connection instanceof StatefulRedisClusterConnection<?, ?> cluster) {
			RedisClusterNode node = cluster.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
			return (node != null) ? name(node) : "";
		}
		return "";
	}

	/** Whether it is known not to be connected now. */
	boolean isDisconnected() {
		return endpoint(this.connection) != null && !this.connection.isOpen();
	}

	/** Whether the server that has a key is known not to be connected now. */
	boolean isDisconnectedFrom(byte[] key) {
		if (this.connection instanceof StatefulRedisClusterConnection<?, ?> cluster) {
			String node = nodeOf(key);
			StatefulConnection<?, ?> toNode = node.isEmpty() ? null : connected(cluster, node);
			return toNode == null || !toNode.isOpen();
		}
		return isDisconnected();
	}

	/** Whether there are several sockets behind it, which only Lettuce knows. */
	boolean isStaticSetOfNodes() {
		return this.connection instanceof StatefulRedisMasterReplicaConnection<?, ?>;
	}

	/**
	 * Close the socket to a server, so that Lettuce reconnects. A socket whose packets
	 * vanish would otherwise be kept for a quarter of an hour.
	 */
	boolean disconnect(String node) {
		if (!node.isEmpty() && this.connection instanceof StatefulRedisClusterConnection<?, ?> cluster) {
			StatefulConnection<?, ?> toNode = connected(cluster, node);
			return toNode != null && disconnect(toNode);
		}
		return disconnect(this.connection);
	}

	/**
	 * Connect to every master of a cluster. Calls that wait for the connection to a node
	 * lose their order.
	 */
	void connectToMasters(Duration timeout) {
		if (this.connection instanceof StatefulRedisClusterConnection<?, ?> cluster) {
			CompletableFuture<?>[] connecting = masters(cluster.getPartitions())
				.map((node) -> connect(cluster, name(node)))
				.toArray(CompletableFuture[]::new);
			await(CompletableFuture.allOf(connecting), timeout);
		}
	}

	/** An interrupted thread must give up. */
	private static void await(CompletableFuture<?> connected, Duration timeout) {
		try {
			connected.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("Not all masters of the cluster can be reached.", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static String name(RedisClusterNode node) {
		return node.getUri().getHost() + ':' + node.getUri().getPort();
	}

	private static CompletableFuture<? extends StatefulConnection<?, ?>> connect(
			StatefulRedisClusterConnection<?, ?> cluster, String node) {
		int colon = node.lastIndexOf(':');
		return cluster.getConnectionAsync(node.substring(0, colon), Integer.parseInt(node.substring(colon + 1)));
	}

	/** The connection to a node, unless it is not there yet or cannot be made. */
	private static @Nullable StatefulConnection<?, ?> connected(StatefulRedisClusterConnection<?, ?> cluster,
			String node) {
		CompletableFuture<? extends StatefulConnection<?, ?>> connecting = connect(cluster, node);
		return (connecting.isDone() && !connecting.isCompletedExceptionally()) ? connecting.join() : null;
	}

	private static boolean disconnect(StatefulConnection<?, ?> connection) {
		DefaultEndpoint endpoint = endpoint(connection);
		if (endpoint == null || !connection.isOpen()) {
			return false;
		}
		endpoint.disconnect();
		return true;
	}

	/** The end of the one socket, or {@code null} if there are several. */
	private static @Nullable DefaultEndpoint endpoint(StatefulConnection<?, ?> connection) {
		if (connection instanceof RedisChannelHandler<?, ?> handler) {
			RedisChannelWriter writer = handler.getChannelWriter();
			Object unwrapped = (writer instanceof Delegating<?> delegating) ? delegating.unwrap() : writer;
			return (unwrapped instanceof DefaultEndpoint endpoint) ? endpoint : null;
		}
		return null;
	}

}
