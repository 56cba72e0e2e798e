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

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockStoreContractTests;
import io.distributedlock.testsupport.RedisServer;

/**
 * Tests for {@link RedisLockStore} with connections of its own through Lettuce, as a user
 * with the documented rights.
 */
class RedisLockStoreTests extends LockStoreContractTests {

	private static RedisServer server;

	private static RedisFixture redis;

	private static StringRedisTemplate template;

	@BeforeAll
	static void connect() {
		server = RestrictedUser.onServer(RedisServer.builder()).start();
		redis = new RedisFixture();
		template = redis.lettuce(RestrictedUser.address(server.host(), server.port()));
	}

	@AfterAll
	static void disconnect() {
		redis.close();
		try {
			RestrictedUser.assertNothingRefused(server);
		}
		finally {
			server.close();
		}
	}

	@Override
	protected LockStore open() {
		return RedisLockStore.withOwnConnection(template, RedisFixture.settings());
	}

	@Override
	protected void pass(Duration time) throws InterruptedException {
		Thread.sleep(time.toMillis());
	}

}
