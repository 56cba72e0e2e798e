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
 * Tests for {@link RedisLockStore} with the Lettuce connection of the application.
 */
class RedisLockStoreOnApplicationConnectionTests extends LockStoreContractTests {

	private static RedisFixture redis;

	private static StringRedisTemplate template;

	@BeforeAll
	static void connect() {
		redis = new RedisFixture();
		template = redis.lettuce(RedisFixture.address(RedisServer.shared()));
	}

	@AfterAll
	static void disconnect() {
		redis.close();
	}

	@Override
	protected LockStore open() {
		return RedisLockStore.withConnectionOf(template, RedisFixture.settings());
	}

	@Override
	protected void pass(Duration time) throws InterruptedException {
		Thread.sleep(time.toMillis());
	}

}
