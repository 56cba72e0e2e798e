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

package io.distributedlock.example;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockConfiguration;
import io.distributedlock.redis.RedisLockSettings;
import io.distributedlock.redis.RedisLockStore;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Locks in a Spring application without Boot: the example of docs/lock-service.md.
 */
@Configuration
@Import(DistributedLockConfiguration.class)
class ShopConfiguration {

	@Bean
	RedisLockStore lockStore(StringRedisTemplate template) {
		return RedisLockStore.withOwnConnection(template, RedisLockSettings.defaults());
	}

	@Bean
	Payments payments() {
		return new Payments();
	}

	static class Payments {

		@DistributedLock(name = "order:#{#orderId}", timeout = 30, autoRenew = true)
		public String pay(Long orderId) {
			return "paid " + orderId;
		}

	}

}
