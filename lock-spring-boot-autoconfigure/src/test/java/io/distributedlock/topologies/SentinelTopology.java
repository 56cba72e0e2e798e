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

import java.util.Set;

import io.distributedlock.testsupport.RedisSentinel;
import io.distributedlock.testsupport.RedisServer;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

/**
 * A master, its replica and three sentinels.
 *
 * @param sentinel the servers
 */
record SentinelTopology(RedisSentinel sentinel) implements Topology {

	static SentinelTopology start() {
		return new SentinelTopology(RedisSentinel.start());
	}

	@Override
	public RedisConfiguration configuration() {
		String[] properties = this.sentinel.springProperties();
		return new RedisSentinelConfiguration(value(properties[0]), Set.of(value(properties[1]).split(",")));
	}

	private static String value(String property) {
		return property.substring(property.indexOf('=') + 1);
	}

	@Override
	public RedisServer masterOf(String key) {
		return this.sentinel.master();
	}

	@Override
	public RedisServer replicaOf(String key) {
		return this.sentinel.replica();
	}

	@Override
	public void killMaster(String key) {
		this.sentinel.killMaster();
	}

	@Override
	public void failover(String key) {
		this.sentinel.failover();
	}

	@Override
	public void heal() {
		RedisServer replica = this.sentinel.replica();
		replica.resume();
		if (!replica.isRunning()) {
			replica.restart();
		}
	}

	@Override
	public void close() {
		this.sentinel.close();
	}

}
