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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
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
import io.distributedlock.store.LockToken;

/**
 * This project's store without its engine: one thread asks, waits for the message of its
 * grant, and releases. Nothing is renewed, asked again or handed over within the JVM.
 */
final class StoreClient implements LockClient, GrantListener {

	private static final long NONCE = 1;

	private final LettuceConnectionFactory connections;

	private final RedisLockStore store;

	private final String instance;

	private final AtomicLong sequence = new AtomicLong();

	private final CompletableFuture<Void> listening = new CompletableFuture<>();

	private volatile CompletableFuture<Grant> granted = new CompletableFuture<>();

	StoreClient(URI redis, String instance) {
		this.connections = SpringRedis.connect(redis);
		this.store = RedisLockStore.withOwnConnection(new StringRedisTemplate(this.connections),
				RedisLockSettings.defaults());
		this.instance = instance;
		this.store.listen(instance, this);
		this.listening.orTimeout(10, TimeUnit.SECONDS).join();
	}

	@Override
	public Hold acquire(String name, Duration lease, Duration wait)
			throws InterruptedException, ExecutionException, TimeoutException {
		LockToken token = new LockToken(this.instance, this.sequence.incrementAndGet());
		this.granted = new CompletableFuture<>();
		AcquireOutcome outcome = this.store
			.acquire(new AcquireRequest(name, token, lease, 1, new AcquireRequest.Waiting(wait, 0, NONCE)))
			.get();
		if (!(outcome instanceof AcquireOutcome.Granted)) {
			this.granted.get(wait.toMillis(), TimeUnit.MILLISECONDS);
		}
		return () -> this.store.release(name, token).join();
	}

	@Override
	public void granted(Grant grant) {
		this.granted.complete(grant);
	}

	@Override
	public void revoked(String name, LockToken token) {
		throw new IllegalStateException("Nobody takes a lock by force here");
	}

	@Override
	public void subscribed() {
		this.listening.complete(null);
	}

	@Override
	public void close() {
		this.store.close();
		this.connections.destroy();
	}

}
