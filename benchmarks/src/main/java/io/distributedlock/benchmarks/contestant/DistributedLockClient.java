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

	/** Applications keep their options, so this client does as well. */
	private final Map<Wish, LockOptions> options = new ConcurrentHashMap<>();

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
		return join(name, 1, lease, wait);
	}

	@Override
	public Hold join(String name, int limit, Duration lease, Duration wait) {
		LockOptions wanted = this.options.computeIfAbsent(new Wish(limit, lease, wait), Wish::options);
		return this.locks.acquire(name, wanted)::close;
	}

	@Override
	public void close() {
		this.application.close();
	}

	private record Wish(int limit, Duration lease, Duration patience) {

		LockOptions options() {
			LockOptions alone = LockOptions.ofLease(this.lease).withWaitTime(this.patience);
			return switch (this.limit) {
				case 1 -> alone;
				case Integer.MAX_VALUE -> alone.withShared();
				default -> alone.withPermits(this.limit);
			};
		}

	}

}
