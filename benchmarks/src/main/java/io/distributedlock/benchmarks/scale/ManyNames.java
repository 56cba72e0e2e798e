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
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import javax.management.JMException;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.benchmarks.contestant.SpringRedis;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.RespClient;

/**
 * Instances that contend for many names, each once, and are idle then.
 */
public record ManyNames(URI redis, RedisServer server) {

	private static final int INSTANCES = 8;

	private static final int THREADS_PER_INSTANCE = 2;

	private static final int WARM_UP = 2_000;

	private static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofSeconds(2))
		.withWaitTime(Duration.ofSeconds(60));

	/** The shortest that there is: twice the lease. */
	private static final Duration FENCES = Duration.ofMillis(1);

	/** Longer than fences and queues are kept. */
	private static final Duration IDLE = Duration.ofSeconds(12);

	Figures measure(int names) throws InterruptedException {
		this.server.flushAll();
		LettuceConnectionFactory factory = SpringRedis.connect(this.redis);
		List<Instance> instances = new ArrayList<>();
		ExecutorService threads = Executors.newFixedThreadPool(INSTANCES * THREADS_PER_INSTANCE);
		try {
			for (int index = 0; index < INSTANCES; index++) {
				instances.add(Instance.open("instance-" + index, factory, FENCES));
			}
			contend(instances, threads, "warm-up:", WARM_UP);
			Census before = idle();
			long begin = System.nanoTime();
			contend(instances, threads, "name:", names);
			double seconds = (System.nanoTime() - begin) / 1e9;
			Census after = idle();
			return new Figures(names, names * INSTANCES / seconds, after.bytes() - before.bytes(), after.ofEngine(),
					keys());
		}
		catch (ExecutionException | JMException ex) {
			throw new IllegalStateException("A lock was not acquired, or the heap not counted", ex);
		}
		finally {
			threads.shutdownNow();
			instances.forEach(Instance::close);
			factory.destroy();
		}
	}

	/**
	 * All instances come to the same names at about the same time.
	 */
	private static void contend(List<Instance> instances, ExecutorService threads, String prefix, int names)
			throws InterruptedException, ExecutionException {
		List<Future<?>> contenders = new ArrayList<>();
		for (Instance instance : instances) {
			AtomicInteger next = new AtomicInteger();
			for (int thread = 0; thread < THREADS_PER_INSTANCE; thread++) {
				contenders.add(threads.submit(() -> {
					for (int name = next.getAndIncrement(); name < names; name = next.getAndIncrement()) {
						try (LockHandle handle = instance.locks().acquire(prefix + name, OPTIONS)) {
							handle.assertHeld();
						}
					}
				}));
			}
		}
		for (Future<?> contender : contenders) {
			contender.get();
		}
	}

	private static Census idle() throws InterruptedException, JMException {
		Thread.sleep(IDLE.toMillis());
		return Census.take();
	}

	private long keys() {
		try (RespClient client = this.server.client()) {
			return ((Number) Objects.requireNonNull(client.command("DBSIZE"))).longValue();
		}
	}

	/**
	 * What was seen.
	 *
	 * @param pairsPerSecond acquisitions and releases by all instances together
	 * @param heapGrowth by how many bytes the heap is larger than before, all instances
	 * together
	 */
	public record Figures(int names, double pairsPerSecond, long heapGrowth, long objects, long keys) {
	}

}
