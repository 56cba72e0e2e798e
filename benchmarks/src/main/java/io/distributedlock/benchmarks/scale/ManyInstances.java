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
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.LockHandle;
import io.distributedlock.benchmarks.contestant.SpringRedis;
import io.distributedlock.benchmarks.fleet.Fleet;
import io.distributedlock.benchmarks.redis.RedisProbe;
import io.distributedlock.store.LockToken;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.RespClient;

/**
 * Instances that wait for one lock, a few hundred in each JVM.
 */
public record ManyInstances(URI redis, RedisServer server, RedisProbe probe, Path directory) {

	private static final int JVMS = 4;

	private static final String NAME = "crowd";

	private static final Duration LIMIT = Duration.ofMinutes(2);

	Figures measure(int count, Duration window) throws InterruptedException {
		this.probe.flush();
		LettuceConnectionFactory factory = SpringRedis.connect(this.redis);
		try (Instance holder = Instance.open("holder", factory, Duration.ofMinutes(10));
				Fleet fleet = new Fleet("instances", JVMS, this.directory.resolve("instances.log"))) {
			LockHandle handle = holder.locks().acquire(NAME, JoinQueue.OPTIONS.withAutoRenew());
			fleet.run(JVMS, (jvm) -> new JoinQueue(this.redis, NAME, count / JVMS));
			awaitQueue(count);
			// Whoever asked twice while it joined has settled
			Thread.sleep(3_000);
			long commands = this.probe.commandCounts().calls().getOrDefault("evalsha", 0L);
			long begin = System.nanoTime();
			Thread.sleep(window.toMillis());
			double perSecond = (this.probe.commandCounts().calls().getOrDefault("evalsha", 0L) - commands)
					/ ((System.nanoTime() - begin) / 1e9);
			int connections = this.probe.connections();
			List<String> order = queue();
			begin = System.nanoTime();
			handle.close();
			Map<Long, String> served = new TreeMap<>();
			fleet.run(JVMS, (jvm) -> new LeaveQueue())
				.forEach((tokens) -> tokens.forEach((instance, token) -> served.put(token, instance)));
			double seconds = (System.nanoTime() - begin) / 1e9;
			return new Figures(count, perSecond / count, connections, served.size(),
					outOfOrder(order, List.copyOf(served.values())), seconds);
		}
		finally {
			factory.destroy();
		}
	}

	private void awaitQueue(int count) throws InterruptedException {
		long deadline = System.nanoTime() + LIMIT.toNanos();
		while (queue().size() < count) {
			if (System.nanoTime() > deadline) {
				throw new IllegalStateException("Only " + queue().size() + " of " + count + " instances wait");
			}
			Thread.sleep(500);
		}
	}

	/** The names of the instances in the order in which they are to be served. */
	private List<String> queue() {
		try (RespClient client = this.server.client()) {
			Object tokens = client.command("ZRANGE", "{lock:" + NAME + "}:queue", "0", "-1");
			return ((List<?>) Objects.requireNonNull(tokens)).stream()
				.map((token) -> LockToken.parse(String.valueOf(token)).instance())
				.map((instance) -> instance.substring(0, instance.indexOf('~')))
				.toList();
		}
	}

	private static int outOfOrder(List<String> expected, List<String> served) {
		int different = Math.abs(expected.size() - served.size());
		for (int place = 0; place < Math.min(expected.size(), served.size()); place++) {
			if (!expected.get(place).equals(served.get(place))) {
				different++;
			}
		}
		return different;
	}

	/**
	 * What was seen.
	 *
	 * @param outOfOrder how many were served at another place than the one that they had
	 * in the queue
	 * @param seconds from the release until the last one was done
	 */
	public record Figures(int count, double commandsPerInstance, int connections, int served, int outOfOrder,
			double seconds) {
	}

}
