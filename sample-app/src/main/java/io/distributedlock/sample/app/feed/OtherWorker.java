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

package io.distributedlock.sample.app.feed;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import io.distributedlock.sample.app.SlowWork;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Component;

/**
 * Stands for a worker in Python: does what {@code redis.lock.Lock("lock:feed:x",
 * timeout=10)} of redis-py does, with the same commands, and knows nothing of this
 * library.
 */
@Component
class OtherWorker {

	private static final Logger logger = LoggerFactory.getLogger(OtherWorker.class);

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final Duration TIME_OF_AN_IMPORT = Duration.ofSeconds(2);

	private static final RedisScript<Long> RELEASE = new DefaultRedisScript<>("""
			local token = redis.call('get', KEYS[1])
			if not token or token ~= ARGV[1] then
				return 0
			end
			redis.call('del', KEYS[1])
			return 1""", Long.class);

	private final StringRedisTemplate redis;

	private final SlowWork work;

	OtherWorker(StringRedisTemplate redis, SlowWork work) {
		this.redis = redis;
		this.work = work;
	}

	Optional<FeedImport> run(String feed) {
		String key = "lock:feed:" + feed;
		String token = UUID.randomUUID().toString();
		if (!Boolean.TRUE.equals(this.redis.opsForValue().setIfAbsent(key, token, LEASE))) {
			logger.info("the worker in Python finds '{}' taken", key);
			return Optional.empty();
		}
		try {
			logger.info("the worker in Python holds '{}' and imports {}", key, feed);
			this.work.take(TIME_OF_AN_IMPORT);
			return Optional.of(new FeedImport(feed, "other worker"));
		}
		finally {
			this.redis.execute(RELEASE, List.of(key), token);
		}
	}

}
