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

package io.distributedlock.benchmarks.contestant;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * This project's two scripts through a bare {@link StringRedisTemplate}: what a pair
 * costs before the engine does anything. It cannot wait.
 */
final class StoreScriptsClient implements LockClient {

	private static final String RESERVE = "reserve(time, block, retention)";

	private static final RedisScript<String> ACQUIRE = RedisScript
		.of(Scripts.ofStore("acquire", RESERVE, "holders(queue)", "queue()"), String.class);

	private static final RedisScript<String> RELEASE = RedisScript
		.of(Scripts.ofStore("release", RESERVE, "holders(queue)", "queue()", "outbox()"), String.class);

	private static final String FENCE_RETENTION = "600000";

	private static final String HAND_OFF = "3000 1 " + FENCE_RETENTION + " lock:inbox:";

	private final LettuceConnectionFactory connectionFactory;

	private final StringRedisTemplate template;

	private final String tokenPrefix;

	private final AtomicLong sequence = new AtomicLong();

	StoreScriptsClient(URI redis, String instance) {
		this.connectionFactory = SpringRedis.connect(redis);
		this.template = new StringRedisTemplate(this.connectionFactory);
		this.tokenPrefix = instance + ':';
	}

	@Override
	public Hold acquire(String name, Duration lease, Duration wait) throws TimeoutException {
		String token = this.tokenPrefix + this.sequence.incrementAndGet();
		String key = "lock:" + name;
		String companions = '{' + key + '}';
		List<String> keys = List.of(key, companions + ":fence", companions + ":queue", companions + ":waiting");
		String answer = this.template.execute(ACQUIRE, keys, token, Long.toString(lease.toMillis()), "1",
				FENCE_RETENTION);
		if (answer.startsWith("busy")) {
			throw new TimeoutException("The lock is not free");
		}
		return () -> this.template.execute(RELEASE, keys, token, name, HAND_OFF);
	}

	@Override
	public void close() {
		this.connectionFactory.destroy();
	}

}
