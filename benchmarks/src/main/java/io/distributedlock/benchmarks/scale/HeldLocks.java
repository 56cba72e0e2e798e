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

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.benchmarks.contestant.SpringRedis;
import io.distributedlock.benchmarks.redis.RedisProbe;

/**
 * One instance that holds many locks and renews them.
 */
public record HeldLocks(URI redis, RedisProbe probe) {

	private static final LockOptions RENEWED = LockOptions.ofLease(Duration.ofSeconds(15)).withAutoRenew();

	Figures measure(int count, Duration window) throws InterruptedException {
		this.probe.flush();
		LettuceConnectionFactory factory = SpringRedis.connect(this.redis);
		try (Instance instance = Instance.open("holder", factory, Duration.ofMinutes(10))) {
			List<LockHandle> handles = new ArrayList<>();
			for (int index = 0; index < count; index++) {
				handles.add(instance.locks().acquire("held:" + index, RENEWED));
			}
			// All of them have been renewed once
			Thread.sleep(RENEWED.lease().dividedBy(2).toMillis());
			long commands = scripts();
			long begin = System.nanoTime();
			Thread.sleep(window.toMillis());
			double seconds = (System.nanoTime() - begin) / 1e9;
			commands = scripts() - commands;
			long held = handles.stream().filter(LockHandle::isHeld).count();
			int threads = Census.threads("distributed-lock-renewal").size();
			handles.forEach(LockHandle::close);
			return new Figures(count, commands / seconds, threads, held);
		}
		finally {
			factory.destroy();
		}
	}

	/** Clients send nothing else. */
	private long scripts() {
		return this.probe.commandCounts().calls().getOrDefault("evalsha", 0L);
	}

	public record Figures(int count, double commandsPerSecond, int threads, long held) {
	}

}
