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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.LockOptions;
import io.distributedlock.LockService;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * This project's lock, as a Spring Boot application gets it, usually with its default
 * settings.
 */
final class DistributedLockClient implements LockClient {

	private final ConfigurableApplicationContext application;

	private final LockService locks;

	private volatile LockOptions options = LockOptions.defaults();

	/** By the number of holders. */
	private final Map<Integer, LockOptions> inCompany = new ConcurrentHashMap<>();

	DistributedLockClient(URI redis, String instance) {
		this(redis, instance, List.of());
	}

	private DistributedLockClient(URI redis, String instance, List<String> properties) {
		this.application = LockApplication.run(redis, instance, properties);
		this.locks = this.application.getBean(LockService.class);
	}

	/**
	 * Does not wait for the answer to a release.
	 */
	static LockClient releasingAhead(URI redis, String instance) {
		return new DistributedLockClient(redis, instance, List.of("distributed-lock.release.await=false"));
	}

	@Override
	public Hold acquire(String name, Duration lease, Duration wait) {
		return this.locks.acquire(name, options(lease, wait))::close;
	}

	@Override
	public Hold acquire(String name, int limit, Duration lease, Duration wait) {
		if (limit == 1) {
			return acquire(name, lease, wait);
		}
		LockOptions options = this.inCompany.computeIfAbsent(limit, (key) -> {
			LockOptions alone = LockOptions.ofLease(lease).withWaitTime(wait);
			return (limit == Integer.MAX_VALUE) ? alone.withShared() : alone.withPermits(limit);
		});
		return this.locks.acquire(name, options)::close;
	}

	/**
	 * Applications keep their options, so this client does as well.
	 */
	private LockOptions options(Duration lease, Duration wait) {
		LockOptions current = this.options;
		if (!current.lease().equals(lease) || !current.waitTime().equals(wait)) {
			current = LockOptions.ofLease(lease).withWaitTime(wait);
			this.options = current;
		}
		return current;
	}

	@Override
	public void close() {
		this.application.close();
	}

}
