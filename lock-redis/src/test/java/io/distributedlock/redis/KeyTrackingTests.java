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

import io.lettuce.core.ClientOptions;
import io.lettuce.core.protocol.ProtocolVersion;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.store.test.StoreClient;
import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for who can have locks watched with {@link KeyTracking}. What it reports is in
 * the contract of the store, and in {@code ReportedLossTests}.
 */
class KeyTrackingTests {

	private final RedisFixture redis = new RedisFixture();

	private final RedisServer server = RedisServer.shared();

	@AfterEach
	void close() {
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource
	void onlyTheNewerProtocolHasReports(ProtocolVersion version) {
		StoreClient client = connected(RedisLockStore.withOwnConnection(template(version), RedisFixture.settings()));
		assertThat(client.store().canWatch()).isEqualTo(version == ProtocolVersion.RESP3);
	}

	@Test
	void protocolIsNegotiatedUnlessItIsConfigured() {
		StoreClient client = connected(RedisLockStore.withOwnConnection(template(null), RedisFixture.settings()));
		assertThat(client.store().canWatch()).isTrue();
	}

	@Test
	void connectionOfTheApplicationIsNotUsed() {
		StoreClient client = connected(RedisLockStore.withConnectionOf(template(null), RedisFixture.settings()));
		assertThat(client.store().canWatch()).isFalse();
	}

	@Test
	void jedisHasNoReports() {
		StringRedisTemplate template = this.redis.jedis(RedisFixture.address(this.server));
		StoreClient client = connected(RedisLockStore.withOwnConnection(template, RedisFixture.settings()));
		assertThat(client.store().canWatch()).isFalse();
	}

	private StoreClient connected(RedisLockStore store) {
		return RedisFixture.warm(this.redis.client(store));
	}

	private StringRedisTemplate template(@Nullable ProtocolVersion version) {
		LettuceConnectionFactory connectionFactory = new LettuceConnectionFactory(RedisFixture.address(this.server),
				LettuceClientConfiguration.builder()
					.clientResources(RedisFixture.RESOURCES)
					.clientOptions(ClientOptions.builder().protocolVersion(version).build())
					.build());
		connectionFactory.afterPropertiesSet();
		this.redis.closeLater(connectionFactory::destroy);
		return new StringRedisTemplate(connectionFactory);
	}

}
