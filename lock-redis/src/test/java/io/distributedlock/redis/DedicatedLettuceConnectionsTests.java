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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisCredentialsProvider.ImmediateRedisCredentialsProvider;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.event.Event;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Disposable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link DedicatedLettuceConnections}.
 */
class DedicatedLettuceConnectionsTests {

	private final ClientResources resources = DefaultClientResources.create();

	private final RedisLockSettings settings = RedisLockSettings.defaults();

	private final List<DedicatedLettuceConnections> derived = new ArrayList<>();

	@AfterEach
	void shutdown() {
		this.derived.forEach(DedicatedLettuceConnections::close);
		this.resources.shutdown();
	}

	static List<RedisConfiguration> configurations() {
		RedisStandaloneConfiguration standalone = new RedisStandaloneConfiguration("redis.example", 1234);
		standalone.setDatabase(3);
		standalone.setUsername("user");
		standalone.setPassword(RedisPassword.of("secret"));
		RedisStaticMasterReplicaConfiguration replicas = new RedisStaticMasterReplicaConfiguration("a.example", 1);
		replicas.addNode("b.example", 2);
		return List.of(standalone, replicas, new RedisSentinelConfiguration("main", Set.of("s.example:26379")),
				new RedisClusterConfiguration(List.of("c.example:7000")),
				new RedisSocketConfiguration("/run/redis.sock"));
	}

	@ParameterizedTest
	@MethodSource("configurations")
	void serversAndCredentialsAreTakenFromTheApplication(RedisConfiguration configuration) {
		LettuceConnectionFactory own = derive(new LettuceConnectionFactory(configuration, client().build()))
			.forCommands();
		assertThat(LettuceTopology.of(own).configuration()).isSameAs(configuration);
		assertThat(own.isRunning()).isFalse();
		own.start();
	}

	@Test
	void descriptionHasTopologyAndAddressesWithoutCredentials() {
		assertThat(configurations().stream().map((each) -> new LettuceTopology(each).setup(false).description()))
			.containsExactly("Redis at redis.example:1234", "Redis at a.example:1, b.example:2",
					"Redis Sentinel master 'main' at s.example:26379", "Redis Cluster at c.example:7000",
					"Redis at /run/redis.sock");
	}

	@Test
	void encryptionNameAndCredentialsProviderAreTakenFromTheApplication() {
		ImmediateRedisCredentialsProvider credentials = () -> RedisCredentials.just("user", "secret");
		SslOptions ssl = SslOptions.builder().handshakeTimeout(Duration.ofSeconds(7)).build();
		LettuceClientConfiguration client = client().clientName("shop")
			.redisCredentialsProviderFactory(new RedisCredentialsProviderFactory() {

				@Override
				public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
					return credentials;
				}

			})
			.clientOptions(ClientOptions.builder().sslOptions(ssl).protocolVersion(ProtocolVersion.RESP2).build())
			.useSsl()
			.verifyPeer(SslVerifyMode.CA)
			.startTls()
			.build();
		LettuceClientConfiguration own = configurationFrom(client);
		assertThat(own.isUseSsl()).isTrue();
		assertThat(own.isStartTls()).isTrue();
		assertThat(own.getVerifyMode()).isEqualTo(SslVerifyMode.CA);
		assertThat(own.getClientName()).contains("shop-locks");
		assertThat(own.getRedisCredentialsProviderFactory()).get()
			.extracting((factory) -> factory.createCredentialsProvider(new RedisStandaloneConfiguration()))
			.isSameAs(credentials);
		ClientOptions options = own.getClientOptions().orElseThrow();
		assertThat(options.getSslOptions().getHandshakeTimeout()).isEqualTo(Duration.ofSeconds(7));
		assertThat(options.getProtocolVersion()).isEqualTo(ProtocolVersion.RESP2);
	}

	@Test
	void connectionWithoutEncryptionStaysSo() {
		LettuceClientConfiguration own = configurationFrom(client().build());
		assertThat(own.isUseSsl()).isFalse();
		assertThat(own.isStartTls()).isFalse();
		assertThat(own.getClientName()).isEmpty();
	}

	@Test
	void timeoutsAreOurs() {
		LettuceClientConfiguration own = configurationFrom(client().commandTimeout(Duration.ofMinutes(1)).build());
		assertThat(own.getCommandTimeout()).isEqualTo(this.settings.connectTimeout());
		ClientOptions options = own.getClientOptions().orElseThrow();
		assertThat(options.getSocketOptions().getConnectTimeout()).isEqualTo(this.settings.connectTimeout());
		assertThat(options.getSocketOptions().isKeepAlive()).isTrue();
		assertThat(options.getSocketOptions().getKeepAlive().getIdle()).isEqualTo(Duration.ofSeconds(5));
		assertThat(options.getTimeoutOptions().isTimeoutCommands()).isFalse();
	}

	@Test
	void commandsGoToTheMasterHoweverTheApplicationReads() {
		assertThat(configurationFrom(client().readFrom(ReadFrom.ANY).build()).getReadFrom()).isEmpty();
	}

	@Test
	void reconnectingIsOnHoweverTheApplicationIsSet() {
		ClientOptions strange = ClientOptions.builder()
			.autoReconnect(false)
			.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
			.suspendReconnectOnProtocolFailure(true)
			.replayFilter((command) -> true)
			.build();
		ClientOptions own = configurationFrom(client().clientOptions(strange).build()).getClientOptions().orElseThrow();
		assertThat(own.isAutoReconnect()).isTrue();
		assertThat(own.getDisconnectedBehavior()).isEqualTo(ClientOptions.DisconnectedBehavior.DEFAULT);
		assertThat(own.isSuspendReconnectOnProtocolFailure()).isFalse();
		assertThat(own.getReplayFilter()).isSameAs(ClientOptions.DEFAULT_REPLAY_FILTER);
	}

	@Test
	void addressesAndMeasurementsAreSharedButThreadsAndReconnectDelayAreSeparate() {
		ClientResources own = configurationFrom(client().build()).getClientResources().orElseThrow();
		assertThat(own.socketAddressResolver()).isSameAs(this.resources.socketAddressResolver());
		assertThat(own.addressResolverGroup()).isSameAs(this.resources.addressResolverGroup());
		assertThat(own.nettyCustomizer()).isSameAs(this.resources.nettyCustomizer());
		List<Event> published = new CopyOnWriteArrayList<>();
		Disposable subscription = this.resources.eventBus().get().subscribe(published::add);
		Event event = new Event() {
		};
		own.eventBus().publish(event);
		await().untilAsserted(() -> assertThat(published).containsExactly(event));
		subscription.dispose();
		assertThat(own.tracing().isEnabled()).isFalse();
		assertThat(own.commandLatencyRecorder()).isSameAs(this.resources.commandLatencyRecorder());
		assertThat(own.eventLoopGroupProvider()).isNotSameAs(this.resources.eventLoopGroupProvider());
		assertThat(own.eventExecutorGroup()).isNotSameAs(this.resources.eventExecutorGroup());
		assertThat(own.timer()).isNotSameAs(this.resources.timer());
		assertThat(own.reconnectDelay().createDelay(100)).isEqualTo(Duration.ofMillis(500));
		assertThat(this.resources.reconnectDelay().createDelay(100)).isEqualTo(Duration.ofSeconds(30));
	}

	@Test
	void closeEndsOnlyTheDedicatedThreads() {
		DedicatedLettuceConnections own = derive(
				new LettuceConnectionFactory(new RedisStandaloneConfiguration(), client().build()));
		ClientResources ours = own.forCommands().getClientConfiguration().getClientResources().orElseThrow();
		own.forInbox();
		own.close();
		assertThat(ours.eventExecutorGroup().isShuttingDown()).isTrue();
		assertThat(this.resources.eventExecutorGroup().isShuttingDown()).isFalse();
		assertThat(this.resources.timer().newTimeout((timeout) -> {
		}, 1, TimeUnit.HOURS).cancel()).isTrue();
	}

	@Test
	void clusterConnectionNoticesAFailover() {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisClusterConfiguration(List.of("c.example:7000")), client().build());
		ClientOptions options = derive(application).forCommands()
			.getClientConfiguration()
			.getClientOptions()
			.orElseThrow();
		assertThat(options).isInstanceOfSatisfying(ClusterClientOptions.class, (cluster) -> {
			assertThat(cluster.getTopologyRefreshOptions().getAdaptiveRefreshTriggers()).isNotEmpty();
			assertThat(cluster.getTopologyRefreshOptions().getAdaptiveRefreshTimeout())
				.isEqualTo(Duration.ofMillis(500));
			assertThat(cluster.getTopologyRefreshOptions().isPeriodicRefreshEnabled()).isTrue();
			assertThat(cluster.getRequestQueueSize()).isEqualTo(10_000);
			assertThat(cluster.isAutoReconnect()).isTrue();
		});
	}

	@Test
	void inboxOfAStaticSetOfNodesTriesOneAfterTheOther() {
		RedisStaticMasterReplicaConfiguration replicas = new RedisStaticMasterReplicaConfiguration("a.example", 1);
		replicas.addNode("b.example", 2);
		DedicatedLettuceConnections own = derive(new LettuceConnectionFactory(replicas, client().build()));
		assertThat(own.subscribesToMaster()).isFalse();
		assertThat(List.of(own.forInbox().getHostName(), own.forInbox().getHostName(), own.forInbox().getHostName()))
			.containsExactly("a.example", "b.example", "a.example");
	}

	@Test
	void inboxOfAnythingElseUsesTheSameFactory() {
		DedicatedLettuceConnections own = derive(new LettuceConnectionFactory("redis.example", 1));
		assertThat(own.subscribesToMaster()).isTrue();
		assertThat(own.forInbox()).isSameAs(own.forCommands());
	}

	@Test
	void onlyTheFactoryItselfIsKnownWellEnough() {
		assertThat(DedicatedLettuceConnections.canDerive(new LettuceConnectionFactory())).isTrue();
		assertThat(DedicatedLettuceConnections.canDerive(new LettuceConnectionFactory() {
		})).isFalse();
		assertThat(DedicatedLettuceConnections.canDerive(new JedisConnectionFactory())).isFalse();
	}

	private LettuceClientConfiguration.LettuceClientConfigurationBuilder client() {
		return LettuceClientConfiguration.builder().clientResources(this.resources);
	}

	private LettuceClientConfiguration configurationFrom(LettuceClientConfiguration client) {
		return derive(new LettuceConnectionFactory(new RedisStandaloneConfiguration(), client)).forCommands()
			.getClientConfiguration();
	}

	private DedicatedLettuceConnections derive(LettuceConnectionFactory application) {
		DedicatedLettuceConnections own = DedicatedLettuceConnections.derive(application, this.settings);
		this.derived.add(own);
		return own;
	}

}
