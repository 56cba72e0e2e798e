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

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.distributedlock.redis.RedisSetup.Topology;
import io.distributedlock.testsupport.RedisServer;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import redis.clients.jedis.DefaultRedisCredentials;

/**
 * Credentials that rotate, as tokens do. Each token belongs to a user of its own with the
 * documented rights: when it expires, Redis deletes that user, and with it each
 * connection that has not sent a newer token. Besides, Redis then tells the user of each
 * connection.
 */
final class RotatingToken implements RedisCredentialsProvider {

	private final RedisServer server;

	private final Sinks.Many<RedisCredentials> tokens = Sinks.many().replay().latest();

	private final List<String> users = new ArrayList<>();

	private volatile redis.clients.jedis.RedisCredentials forJedis = new DefaultRedisCredentials("none", "none");

	RotatingToken(RedisServer server) {
		this.server = server;
		issue();
	}

	/**
	 * Issue a token. The previous one remains valid.
	 */
	void issue() {
		String user = RestrictedUser.NAME + this.users.size();
		String password = UUID.randomUUID().toString();
		String rules = RedisPermissions
			.rules(new KeyLayout("lock:"), new RedisSetup("Redis", Topology.SINGLE, 0, false))
			.replace("'", "");
		this.server
			.cli(Stream.concat(Stream.of("ACL", "SETUSER", user, "on", ">" + password), Stream.of(rules.split(" ")))
				.toArray(String[]::new));
		this.users.add(user);
		this.forJedis = new DefaultRedisCredentials(user, password);
		this.tokens.tryEmitNext(RedisCredentials.just(user, password)).orThrow();
	}

	/**
	 * Let the previous token expire.
	 */
	void expirePrevious() {
		this.server.cli("ACL", "DELUSER", this.users.get(this.users.size() - 2));
	}

	/**
	 * Return the user of the newest token.
	 */
	String user() {
		return this.users.get(this.users.size() - 1);
	}

	redis.clients.jedis.RedisCredentials forJedis() {
		return this.forJedis;
	}

	@Override
	public Mono<RedisCredentials> resolveCredentials() {
		return this.tokens.asFlux().next();
	}

	@Override
	public boolean supportsStreaming() {
		return true;
	}

	@Override
	public Flux<RedisCredentials> credentials() {
		return this.tokens.asFlux();
	}

}
