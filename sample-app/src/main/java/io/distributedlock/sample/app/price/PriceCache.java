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

package io.distributedlock.sample.app.price;

import java.time.Duration;
import java.util.Optional;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/**
 * The cache that all instances share.
 */
@Component
class PriceCache {

	private static final Duration TIME_TO_LIVE = Duration.ofMinutes(1);

	private final StringRedisTemplate redis;

	PriceCache(StringRedisTemplate redis) {
		this.redis = redis;
	}

	Optional<Integer> find(String product) {
		return Optional.ofNullable(this.redis.opsForValue().get(key(product))).map(Integer::valueOf);
	}

	void put(String product, int cents) {
		this.redis.opsForValue().set(key(product), Integer.toString(cents), TIME_TO_LIVE);
	}

	void expire(String product) {
		this.redis.expire(key(product), Duration.ZERO);
	}

	private String key(String product) {
		return "sample:price:" + product;
	}

}
