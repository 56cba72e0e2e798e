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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson with its default settings. Several holders have a semaphore whose permits have
 * leases, or a lock for readers and writers.
 */
final class RedissonLockClient implements LockClient {

	/** Only between two rounds does nobody ask for so long. */
	private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

	private final RedissonClient client;

	private final BiFunction<RedissonClient, String, RLock> locks;

	private final AtomicLong lastUse = new AtomicLong(System.nanoTime());

	private final Set<String> semaphores = ConcurrentHashMap.newKeySet();

	private RedissonLockClient(URI redis, BiFunction<RedissonClient, String, RLock> locks) {
		Config config = new Config();
		config.useSingleServer().setAddress(redis.toString());
		this.client = Redisson.create(config);
		this.locks = locks;
	}

	static LockClient plain(URI redis, String instance) {
		return new RedissonLockClient(redis, RedissonClient::getLock);
	}

	static LockClient fair(URI redis, String instance) {
		return new RedissonLockClient(redis, RedissonClient::getFairLock);
	}

	@Override
	public Hold acquire(String name, Duration lease, Duration wait) throws InterruptedException, TimeoutException {
		return take(this.locks.apply(this.client, name), lease, wait);
	}

	@Override
	public Hold join(String name, int limit, Duration lease, Duration wait)
			throws InterruptedException, TimeoutException {
		if (limit != 1 && limit != Integer.MAX_VALUE) {
			return permit(name + ":permits", limit, lease, wait);
		}
		RReadWriteLock both = this.client.getReadWriteLock(name);
		return take((limit == 1) ? both.writeLock() : both.readLock(), lease, wait);
	}

	private static Hold take(RLock lock, Duration lease, Duration wait) throws InterruptedException, TimeoutException {
		if (!lock.tryLock(wait.toMillis(), lease.toMillis(), TimeUnit.MILLISECONDS)) {
			throw new TimeoutException("The lock was not free within " + wait);
		}
		return lock::unlock;
	}

	private Hold permit(String name, int limit, Duration lease, Duration wait)
			throws InterruptedException, TimeoutException {
		RPermitExpirableSemaphore semaphore = this.client.getPermitExpirableSemaphore(name);
		long now = System.nanoTime();
		if (now - this.lastUse.getAndSet(now) > PAUSE) {
			// The keys of the last round are gone
			this.semaphores.clear();
		}
		if (!this.semaphores.contains(name)) {
			semaphore.trySetPermits(limit);
			this.semaphores.add(name);
		}
		String permit = semaphore.tryAcquire(wait.toMillis(), lease.toMillis(), TimeUnit.MILLISECONDS);
		if (permit == null) {
			throw new TimeoutException("There was no permit within " + wait);
		}
		return () -> semaphore.release(permit);
	}

	@Override
	public void close() {
		this.client.shutdown(0, 5, TimeUnit.SECONDS);
	}

}
