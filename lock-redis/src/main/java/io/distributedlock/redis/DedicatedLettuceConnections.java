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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.internal.DaemonThread;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.event.DefaultEventBus;
import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.resource.IOUringProvider;
import io.netty.util.HashedWheelTimer;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connection factories for locks only, made from that of the application: same servers,
 * database, credentials and encryption, but with timeouts and socket options that suit
 * locks, and always to the master.
 *
 * <p>
 * Event loops, timer and workers are their own, so that a callback of the application
 * that blocks a thread of Lettuce does not stop any lock. Address resolution, metrics and
 * customization are those of the application; its tracing is not, as each renewal would
 * be a trace of its own. No thread exists before the first connection.
 */
final class DedicatedLettuceConnections implements AutoCloseable {

	private static final Duration TOPOLOGY_REFRESH_PERIOD = Duration.ofSeconds(30);

	/** The least time between two triggered refreshes; a failover takes several. */
	private static final Duration TOPOLOGY_REFRESH_PAUSE = Duration.ofMillis(500);

	private static final int QUEUED_PER_CLUSTER_NODE = 10_000;

	private static final Duration LONGEST_RECONNECT_DELAY = Duration.ofMillis(500);

	/** So that the grants of the inbox do not queue behind answers. */
	private static final int THREADS = 2;

	private final LettuceConnectionFactory commands;

	private final List<LettuceConnectionFactory> inboxes;

	private final AtomicInteger inboxAttempts = new AtomicInteger();

	private final ClientResources resources;

	private final RefusedReconnects refused;

	private final HashedWheelTimer timer;

	private DedicatedLettuceConnections(LettuceConnectionFactory commands, List<LettuceConnectionFactory> inboxes,
			ClientResources resources, RefusedReconnects refused, HashedWheelTimer timer) {
		this.commands = commands;
		this.inboxes = inboxes;
		this.resources = resources;
		this.refused = refused;
		this.timer = timer;
	}

	/** Whether everything about a factory is known. A subclass may do anything. */
	static boolean canDerive(RedisConnectionFactory connectionFactory) {
		return connectionFactory.getClass() == LettuceConnectionFactory.class;
	}

	static DedicatedLettuceConnections derive(LettuceConnectionFactory application, RedisLockSettings settings) {
		RedisConfiguration servers = LettuceTopology.of(application).configuration();
		LettuceClientConfiguration original = application.getClientConfiguration();
		// The resources would immediately start a timer of their own
		HashedWheelTimer timer = new HashedWheelTimer(DaemonThread.factory("distributed-lock-lettuce-timer"));
		ClientResources known = original.getClientResources().orElse(null);
		RefusedReconnects refused = new RefusedReconnects(
				(known != null) ? known.eventBus() : new DefaultEventBus(Schedulers.immediate()));
		ClientResources resources = resources(known, refused, timer);
		LettuceClientConfiguration client = client(original, servers, resources, settings);
		LettuceConnectionFactory commands = new LettuceConnectionFactory(servers, client);
		List<LettuceConnectionFactory> inboxes = List.of(commands);
		if (servers instanceof RedisStaticMasterReplicaConfiguration nodes) {
			inboxes = nodes.getNodes().stream().map((node) -> new LettuceConnectionFactory(node, client)).toList();
		}
		return new DedicatedLettuceConnections(commands, inboxes, resources, refused, timer);
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

	/** Return why a server refuses to reconnect, or {@code null} if none does. */
	@Nullable Throwable refusal() {
		return this.refused.latest();
	}

	/** Whether the inbox is always on the server that gets the commands. */
	boolean subscribesToMaster() {
		return this.inboxes.get(0) == this.commands;
	}

	/** Does not wait for the threads to end, except that of the timer. */
	@Override
	public void close() {
		this.inboxes.forEach(LettuceConnectionFactory::destroy);
		this.commands.destroy();
		this.resources.shutdown(0, 1, TimeUnit.SECONDS);
		this.timer.stop();
	}

	private static ClientResources resources(@Nullable ClientResources application, RefusedReconnects refused,
			HashedWheelTimer timer) {
		ClientResources.Builder builder = DefaultClientResources.builder()
			.ioThreadPoolSize(THREADS)
			.computationThreadPoolSize(THREADS)
			.timer(timer)
			.eventBus(refused)
			.reconnectDelay(Delay.exponential(Duration.ofMillis(1), LONGEST_RECONNECT_DELAY, 2, TimeUnit.MILLISECONDS))
			.threadFactoryProvider((pool) -> DaemonThread.factory("distributed-lock-" + pool));
		if (application != null) {
			builder.socketAddressResolver(application.socketAddressResolver())
				.addressResolverGroup(application.addressResolverGroup())
				.nettyCustomizer(application.nettyCustomizer())
				.commandLatencyRecorder(application.commandLatencyRecorder())
				// The application publishes the recorded metrics
				.commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled());
		}
		return builder.build();
	}

	private static LettuceClientConfiguration client(LettuceClientConfiguration original, RedisConfiguration servers,
			ClientResources resources, RedisLockSettings settings) {
		LettuceClientConfiguration.LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder()
			.clientResources(resources)
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
