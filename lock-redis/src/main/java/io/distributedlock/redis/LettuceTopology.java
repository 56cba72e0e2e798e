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

import java.lang.reflect.Field;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import io.distributedlock.redis.RedisSetup.Topology;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

/**
 * Which servers a connection factory is connected to.
 */
record LettuceTopology(RedisConfiguration configuration) {

	private static final @Nullable Field CONFIGURATION = ReflectionUtils.findField(LettuceConnectionFactory.class,
			"configuration", RedisConfiguration.class);

	static LettuceTopology of(LettuceConnectionFactory connectionFactory) {
		RedisConfiguration configuration = read(connectionFactory);
		if (configuration == null) {
			configuration = connectionFactory.getClusterConfiguration();
		}
		if (configuration == null) {
			configuration = connectionFactory.getSentinelConfiguration();
		}
		if (configuration == null) {
			configuration = connectionFactory.getSocketConfiguration();
		}
		return new LettuceTopology(
				(configuration != null) ? configuration : connectionFactory.getStandaloneConfiguration());
	}

	/**
	 * The getters do not know a static set of nodes, and return a standalone
	 * configuration that is not used if the factory was made with a
	 * {@link RedisConfiguration}.
	 */
	private static @Nullable RedisConfiguration read(LettuceConnectionFactory connectionFactory) {
		if (CONFIGURATION == null) {
			return null;
		}
		ReflectionUtils.makeAccessible(CONFIGURATION);
		return (RedisConfiguration) ReflectionUtils.getField(CONFIGURATION, connectionFactory);
	}

	RedisSetup setup(boolean encrypted) {
		if (this.configuration instanceof RedisClusterConfiguration cluster) {
			return setup("Redis Cluster at " + join(cluster.getClusterNodes()), Topology.CLUSTER, encrypted);
		}
		if (this.configuration instanceof RedisSentinelConfiguration sentinel) {
			String master = (sentinel.getMaster() != null) ? sentinel.getMaster().getName() : "";
			return setup("Redis Sentinel master '" + master + "' at " + join(sentinel.getSentinels()),
					Topology.SENTINEL, encrypted);
		}
		if (this.configuration instanceof RedisStaticMasterReplicaConfiguration nodes) {
			return setup("Redis at "
					+ join(nodes.getNodes().stream().map((node) -> node.getHostName() + ":" + node.getPort()).toList()),
					Topology.STATIC_NODES, encrypted);
		}
		if (this.configuration instanceof RedisSocketConfiguration socket) {
			return setup("Redis at " + socket.getSocket(), Topology.SINGLE, encrypted);
		}
		if (this.configuration instanceof RedisStandaloneConfiguration standalone) {
			return setup("Redis at " + standalone.getHostName() + ":" + standalone.getPort(), Topology.SINGLE,
					encrypted);
		}
		return setup("Redis",
				RedisConfiguration.isClusterConfiguration(this.configuration) ? Topology.CLUSTER : Topology.SINGLE,
				encrypted);
	}

	private RedisSetup setup(String description, Topology topology, boolean encrypted) {
		return new RedisSetup(description, topology, RedisConfiguration.getDatabaseOrElse(this.configuration, () -> 0),
				encrypted)
			.withUserOf(this.configuration);
	}

	private static String join(Iterable<?> nodes) {
		return StreamSupport.stream(nodes.spliterator(), false).map(String::valueOf).collect(Collectors.joining(", "));
	}

}
