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

package io.distributedlock.benchmarks.scale;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.LockOptions;
import io.distributedlock.benchmarks.contestant.SpringRedis;
import io.distributedlock.benchmarks.fleet.Bench;
import io.distributedlock.benchmarks.fleet.Task;

/**
 * Opens instances that begin to wait for the lock, and releases it as soon as each has
 * it.
 */
record JoinQueue(URI redis, String name, int count) implements Task<@Nullable Void> {

	static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofSeconds(30)).withWaitTime(Duration.ofMinutes(5));

	@Override
	public @Nullable Void run(Bench bench) {
		LettuceConnectionFactory factory = SpringRedis.connect(this.redis);
		List<Instance> instances = new ArrayList<>();
		List<CompletableFuture<Long>> grants = new ArrayList<>();
		for (int index = 0; index < this.count; index++) {
			String instance = bench.instance() + '-' + index;
			Instance opened = Instance.share(instance, factory);
			instances.add(opened);
			grants.add(opened.locks().acquireAsync(this.name, OPTIONS).thenApply((handle) -> {
				long token = handle.fencingToken();
				handle.close();
				return token;
			}));
		}
		bench.leave(new Waiting(bench.instance(), factory, instances, grants));
		return null;
	}

	record Waiting(String prefix, LettuceConnectionFactory factory, List<Instance> instances,
			List<CompletableFuture<Long>> grants) {
	}

}
