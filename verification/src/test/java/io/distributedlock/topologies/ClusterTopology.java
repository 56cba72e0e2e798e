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

package io.distributedlock.topologies;

import java.util.List;

import io.distributedlock.redis.RestrictedUser;
import io.distributedlock.testsupport.RedisCluster;
import io.distributedlock.testsupport.RedisServer;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;

/**
 * A cluster of three masters and three replicas, and a user with the documented rights.
 */
record ClusterTopology(RedisCluster cluster) implements Topology {

	static ClusterTopology start() {
		return new ClusterTopology(RedisCluster.start(RestrictedUser::onNode));
	}

	@Override
	public RedisConfiguration configuration() {
		List<String> nodes = this.cluster.nodes().stream().map((node) -> node.host() + ':' + node.port()).toList();
		RedisClusterConfiguration configuration = new RedisClusterConfiguration(nodes);
		configuration.setUsername(RestrictedUser.NAME);
		configuration.setPassword(RestrictedUser.PASSWORD);
		return configuration;
	}

	@Override
	public RedisServer masterOf(String key) {
		return this.cluster.masterOf(key);
	}

	@Override
	public RedisServer replicaOf(String key) {
		return this.cluster.replicaOf(key);
	}

	@Override
	public void killMaster(String key) {
		this.cluster.killMaster(key);
	}

	@Override
	public void failover(String key) {
		this.cluster.failover(key);
	}

	@Override
	public void heal() {
		for (RedisServer node : this.cluster.nodes()) {
			node.resume();
			if (!node.isRunning()) {
				node.restart();
			}
		}
	}

	@Override
	public void close() {
		try (this.cluster) {
			this.cluster.nodes().stream().filter(RedisServer::isRunning).forEach(RestrictedUser::assertNothingRefused);
		}
	}

}
