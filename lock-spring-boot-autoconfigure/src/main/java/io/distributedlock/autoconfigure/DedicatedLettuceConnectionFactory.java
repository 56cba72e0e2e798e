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

package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.Optional;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.resource.EpollProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Derives a connection factory for locks from the application's: same servers,
 * credentials, TLS and client resources, but a connection of its own which is never
 * shared with other commands, always talks to the master, and notices a dead peer soon.
 */
final class DedicatedLettuceConnectionFactory {

	private static final Duration KEEP_ALIVE_IDLE = Duration.ofSeconds(5);

	private static final Duration KEEP_ALIVE_INTERVAL = Duration.ofSeconds(1);

	private static final int KEEP_ALIVE_COUNT = 3;

	private static final int UNANSWERED_TIMEOUTS = 3;

	private DedicatedLettuceConnectionFactory() {
	}

	/**
	 * Derive a factory.
	 * @param application the factory of the application
	 * @param commandTimeout the command timeout of locks
	 * @return the new factory, started but not connected, to be destroyed by the caller;
	 * or empty if the given one does not tell how it connects
	 */
	static Optional<LettuceConnectionFactory> derive(RedisConnectionFactory application, Duration commandTimeout) {
		if (application.getClass() != LettuceConnectionFactory.class) {
			return Optional.empty();
		}
		LettuceConnectionFactory lettuce = (LettuceConnectionFactory) application;
		LettuceConnectionFactory derived = new LettuceConnectionFactory(server(lettuce),
				client(lettuce, commandTimeout));
		derived.setValidateConnection(false);
		derived.afterPropertiesSet();
		return Optional.of(derived);
	}

	private static RedisConfiguration server(LettuceConnectionFactory lettuce) {
		if (lettuce.getClusterConfiguration() != null) {
			return lettuce.getClusterConfiguration();
		}
		if (lettuce.getSentinelConfiguration() != null) {
			return lettuce.getSentinelConfiguration();
		}
		if (lettuce.getSocketConfiguration() != null) {
			return lettuce.getSocketConfiguration();
		}
		return lettuce.getStandaloneConfiguration();
	}

	private static LettuceClientConfiguration client(LettuceConnectionFactory lettuce, Duration commandTimeout) {
		LettuceClientConfiguration original = lettuce.getClientConfiguration();
		LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder();
		if (original.isUseSsl()) {
			builder.useSsl().verifyPeer(original.getVerifyMode());
		}
		if (original.isStartTls()) {
			builder.useSsl().startTls();
		}
		original.getClientResources().ifPresent(builder::clientResources);
		original.getClientName().ifPresent(builder::clientName);
		original.getRedisCredentialsProviderFactory().ifPresent(builder::redisCredentialsProviderFactory);
		return builder.commandTimeout(commandTimeout)
			.shutdownTimeout(original.getShutdownTimeout())
			.shutdownQuietPeriod(Duration.ZERO)
			.clientOptions(options(original.getClientOptions().orElse(null), lettuce.isClusterAware(), commandTimeout))
			.build();
	}

	private static ClientOptions options(@Nullable ClientOptions original, boolean cluster, Duration commandTimeout) {
		ClientOptions base = (original != null) ? original
				: (cluster ? ClusterClientOptions.create() : ClientOptions.create());
		return base.mutate().autoReconnect(true).socketOptions(socket(base.getSocketOptions(), commandTimeout)).build();
	}

	private static SocketOptions socket(SocketOptions base, Duration commandTimeout) {
		SocketOptions.Builder builder = base.mutate()
			.keepAlive(KeepAliveOptions.builder()
				.enable()
				.idle(KEEP_ALIVE_IDLE)
				.interval(KEEP_ALIVE_INTERVAL)
				.count(KEEP_ALIVE_COUNT)
				.build());
		if (EpollProvider.isAvailable()) {
			builder.tcpUserTimeout(TcpUserTimeoutOptions.builder()
				.enable()
				.tcpUserTimeout(commandTimeout.multipliedBy(UNANSWERED_TIMEOUTS))
				.build());
		}
		return builder.build();
	}

}
