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
import org.junit.jupiter.api.TestInstance;

import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.store.LockStore;
import io.distributedlock.store.test.LockStoreContractTests;

/**
 * The contract of a store, for {@link RedisLockStore}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RedisContractTests extends LockStoreContractTests {

	final RedisFixture redis = new RedisFixture();

	private StringRedisTemplate template;

	/** Connect once for all tests; what is opened here is closed after them. */
	abstract StringRedisTemplate connect() throws Exception;

	@BeforeAll
	void openConnections() throws Exception {
		this.template = connect();
	}

	@AfterAll
	void closeConnections() {
		this.redis.close();
	}

	@Override
	protected final LockStore open() {
		return open(this.template);
	}

	LockStore open(StringRedisTemplate template) {
		return RedisLockStore.withOwnConnection(template, RedisFixture.settings());
	}

	@Override
	protected void pass(Duration time) throws InterruptedException {
		Thread.sleep(time.toMillis());
	}

}
