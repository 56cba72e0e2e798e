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
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.resource.IOUringProvider;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connection factories for locks only, made from that of the application: same servers,
 * database, credentials and encryption, but with threads of their own, timeouts and
 * socket options that suit locks, and always to the master.
 */
final class DedicatedLettuceConnections implements AutoCloseable {

	private static final Duration TOPOLOGY_REFRESH_PERIOD = Duration.ofSeconds(30);

	/** The least time between two triggered refreshes; a failover takes several. */
	private static final Duration TOPOLOGY_REFRESH_PAUSE = Duration.ofSeconds(1);

	private static final int QUEUED_PER_CLUSTER_NODE = 10_000;

	private final LettuceConnectionFactory commands;

	private final List<LettuceConnectionFactory> inboxes;

	private final AtomicInteger inboxAttempts = new AtomicInteger();

	private final DedicatedLettuceResources resources;

	private DedicatedLettuceConnections(LettuceConnectionFactory commands, List<LettuceConnectionFactory> inboxes,
			DedicatedLettuceResources resources) {
		this.commands = commands;
		this.inboxes = inboxes;
		this.resources = resources;
	}

	/**
	 * Return whether everything about a factory is known. A subclass may do anything.
	 * @return whether to {@linkplain #derive derive} from it
	 */
	static boolean canDerive(RedisConnectionFactory connectionFactory) {
		return connectionFactory.getClass() == LettuceConnectionFactory.class;
	}

	/**
	 * Make factories. Nothing is connected.
	 */
	static DedicatedLettuceConnections derive(LettuceConnectionFactory application, RedisLockSettings settings) {
		RedisConfiguration servers = LettuceTopology.of(application).configuration();
		LettuceClientConfiguration original = application.getClientConfiguration();
		DedicatedLettuceResources resources = DedicatedLettuceResources
			.create(original.getClientResources().orElse(null));
		LettuceClientConfiguration client = client(original, servers, resources, settings);
		LettuceConnectionFactory commands = new LettuceConnectionFactory(servers, client);
		List<LettuceConnectionFactory> inboxes = List.of(commands);
		if (servers instanceof RedisStaticMasterReplicaConfiguration nodes) {
			inboxes = nodes.getNodes().stream().map((node) -> new LettuceConnectionFactory(node, client)).toList();
		}
		return new DedicatedLettuceConnections(commands, inboxes, resources);
	}

	LettuceConnectionFactory forCommands() {
		return this.commands;
	}

	/**
	 * Return a factory for the next attempt to subscribe. Usually it is that for
	 * commands, but Lettuce offers no subscriptions to a static set of nodes: then each
	 * node has its turn, as replicas get what is published to the master.
	 */
	LettuceConnectionFactory forInbox() {
		LettuceConnectionFactory next = this.inboxes
			.get(Math.floorMod(this.inboxAttempts.getAndIncrement(), this.inboxes.size()));
		next.start();
		return next;
	}

	/** Whether the inbox is always on the server that gets the commands. */
	boolean subscribesToMaster() {
		return this.inboxes.get(0) == this.commands;
	}

	@Override
	public void close() {
		this.inboxes.forEach(LettuceConnectionFactory::destroy);
		this.commands.destroy();
		this.resources.close();
	}

	private static LettuceClientConfiguration client(LettuceClientConfiguration original, RedisConfiguration servers,
			DedicatedLettuceResources resources, RedisLockSettings settings) {
		LettuceClientConfiguration.LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
			.clientResources(resources.get())
			.clientOptions(options(original, servers, settings))
			// Limits the handshake; scripts have their own timeout
			.commandTimeout(settings.connectTimeout())
			.shutdownTimeout(Duration.ofMillis(100))
			.shutdownQuietPeriod(Duration.ZERO);
		original.getClientName().ifPresent((name) -> builder.clientName(name + "-locks"));
		builder.redisCredentialsProviderFactory(new ImmediateCredentialsFactory(
				original.getRedisCredentialsProviderFactory().orElse(null), settings.connectTimeout()));
		if (original.isUseSsl()) {
			LettuceClientConfiguration.LettuceSslClientConfigurationBuilder ssl = builder.useSsl()
				.verifyPeer(original.getVerifyMode());
			if (original.isStartTls()) {
				ssl.startTls();
			}
		}
		return builder.build();
	}

	private static ClientOptions options(LettuceClientConfiguration original, RedisConfiguration servers,
			RedisLockSettings settings) {
		ClientOptions options = original.getClientOptions().orElseGet(ClientOptions::create);
		ClientOptions.Builder builder = options.mutate();
		if (servers instanceof RedisClusterConfiguration) {
			ClusterClientOptions cluster = (options instanceof ClusterClientOptions known) ? known
					: ClusterClientOptions.builder(options).build();
			builder = cluster.mutate()
				.topologyRefreshOptions(topologyRefresh(cluster.getTopologyRefreshOptions()))
				.requestQueueSize(QUEUED_PER_CLUSTER_NODE);
		}
		return builder.autoReconnect(true)
			.disconnectedBehavior(ClientOptions.DisconnectedBehavior.DEFAULT)
			.replayFilter(ClientOptions.DEFAULT_REPLAY_FILTER)
			.suspendReconnectOnProtocolFailure(false)
			.publishOnScheduler(false)
			// A subscription outlives each token
			.reauthenticateBehavior(ClientOptions.ReauthenticateBehavior.ON_NEW_CREDENTIALS)
			.timeoutOptions(TimeoutOptions.create())
			.socketOptions(socketOptions(options.getSocketOptions(), settings))
			.build();
	}

	private static SocketOptions socketOptions(SocketOptions original, RedisLockSettings settings) {
		Duration userTimeout = settings.commandTimeout().multipliedBy(3);
		SocketOptions.Builder builder = original.mutate()
			.connectTimeout(settings.connectTimeout())
			.keepAlive(SocketOptions.KeepAliveOptions.builder()
				.enable()
				.idle(Duration.ofSeconds(5))
				.interval(Duration.ofSeconds(1))
				.count(3)
				.build());
		if (IOUringProvider.isAvailable() || EpollProvider.isAvailable()) {
			builder.tcpUserTimeout(
					SocketOptions.TcpUserTimeoutOptions.builder().enable().tcpUserTimeout(userTimeout).build());
		}
		return builder.build();
	}

	private static ClusterTopologyRefreshOptions topologyRefresh(ClusterTopologyRefreshOptions original) {
		return ClusterTopologyRefreshOptions.builder()
			.dynamicRefreshSources(original.useDynamicRefreshSources())
			.closeStaleConnections(true)
			.enablePeriodicRefresh(TOPOLOGY_REFRESH_PERIOD)
			.adaptiveRefreshTriggersTimeout(TOPOLOGY_REFRESH_PAUSE)
			.build();
	}

}
