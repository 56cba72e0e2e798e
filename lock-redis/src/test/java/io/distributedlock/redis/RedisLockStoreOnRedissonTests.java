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

import org.redisson.config.Config;
import org.redisson.spring.data.connection.RedissonConnectionFactory;

import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.testsupport.RedisServer;

/**
 * Tests for {@link RedisLockStore} through the connection factory of Redisson.
 */
class RedisLockStoreOnRedissonTests extends RedisContractTests {

	@Override
	StringRedisTemplate connect() throws Exception {
		Config config = new Config();
		config.useSingleServer().setAddress(RedisServer.shared().url());
		RedissonConnectionFactory connectionFactory = new RedissonConnectionFactory(config);
		connectionFactory.afterPropertiesSet();
		this.redis.closeLater(connectionFactory::destroy);
		return new StringRedisTemplate(connectionFactory);
	}

	/** It may be the client of a cluster, where no node counts all who listen. */
	@Override
	protected boolean knowsWhoListens() {
		return false;
	}

}
