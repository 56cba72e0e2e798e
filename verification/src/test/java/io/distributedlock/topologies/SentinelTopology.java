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
import java.util.stream.Stream;

import io.distributedlock.redis.RestrictedUser;
import io.distributedlock.testsupport.RedisSentinel;
import io.distributedlock.testsupport.RedisServer;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

/**
 * A master, its replica and three sentinels, and a user with the documented rights.
 */
record SentinelTopology(RedisSentinel sentinel) implements Topology {

	static SentinelTopology start() {
		RedisSentinel sentinel = RedisSentinel.start(RestrictedUser::onServer);
		sentinel.toEachSentinel(RestrictedUser.onSentinel());
		return new SentinelTopology(sentinel);
	}

	@Override
	public RedisConfiguration configuration() {
		String[] properties = this.sentinel.springProperties();
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration(value(properties[0]),
				Set.of(value(properties[1]).split(",")));
		configuration.setUsername(RestrictedUser.NAME);
		configuration.setPassword(RestrictedUser.PASSWORD);
		configuration.setSentinelUsername(RestrictedUser.NAME);
		configuration.setSentinelPassword(RestrictedUser.PASSWORD);
		return configuration;
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
		try (this.sentinel) {
			Stream.of(this.sentinel.master(), this.sentinel.replica())
				.filter(RedisServer::isRunning)
				.forEach(RestrictedUser::assertNothingRefused);
		}
	}

}
