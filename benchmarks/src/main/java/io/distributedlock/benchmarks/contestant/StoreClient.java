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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.redis.RedisLockSettings;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;

/**
 * This project's store without its engine: a grant completes the future of the waiter.
 * Between the bare scripts and the whole, it tells where time goes.
 */
final class StoreClient implements LockClient {

	private static final long NONCE = 4711;

	private final LettuceConnectionFactory connectionFactory;

	private final LockStore store;

	private final String instance;

	private final AtomicLong sequence = new AtomicLong();

	private final Map<LockToken, CompletableFuture<Grant>> waiting = new ConcurrentHashMap<>();

	StoreClient(URI redis, String instance) {
		this.instance = instance;
		this.connectionFactory = SpringRedis.connect(redis);
		this.store = RedisLockStore.withOwnConnection(new StringRedisTemplate(this.connectionFactory),
				RedisLockSettings.defaults());
		CompletableFuture<Boolean> subscribed = new CompletableFuture<>();
		this.store.listen(instance, new GrantListener() {

			@Override
			public void granted(Grant grant) {
				CompletableFuture<Grant> waiter = StoreClient.this.waiting.remove(grant.token());
				if (waiter != null) {
					waiter.complete(grant);
				}
			}

			@Override
			public void revoked(String name, LockToken token) {
				// Nobody does that here
			}

			@Override
			public void subscribed() {
				subscribed.complete(true);
			}

		});
		subscribed.orTimeout(10, TimeUnit.SECONDS).join();
	}

	@Override
	public Hold acquire(String name, Duration lease, Duration wait) throws Exception {
		LockToken token = new LockToken(this.instance, this.sequence.incrementAndGet());
		CompletableFuture<Grant> granted = new CompletableFuture<>();
		AcquireRequest.Waiting place = null;
		if (!wait.isZero()) {
			this.waiting.put(token, granted);
			place = new AcquireRequest.Waiting(wait, 0, NONCE);
		}
		try {
			AcquireOutcome outcome = this.store.acquire(new AcquireRequest(name, token, lease, 1, place)).get();
			if (!(outcome instanceof AcquireOutcome.Granted)) {
				if (place == null) {
					throw new TimeoutException("The lock is not free");
				}
				granted.get(wait.toNanos(), TimeUnit.NANOSECONDS);
			}
		}
		finally {
			this.waiting.remove(token);
		}
		return () -> this.store.release(name, token).join();
	}

	@Override
	public void close() {
		this.store.close();
		this.connectionFactory.destroy();
	}

}
