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

import io.distributedlock.benchmarks.redis.RedisProbe;
import io.distributedlock.testsupport.RedisServer;

/**
 * How locks scale: many held at once, many names, many instances.
 */
public record ScaleFigures(HeldLocks.Figures held, ManyNames.Figures names, ManyInstances.Figures instances) {

	/**
	 * Runs the workloads.
	 * @param divisor 1 for the full size, 10 for a tenth of it
	 */
	public static ScaleFigures measure(RedisServer redis, RedisProbe probe, Path directory, int divisor)
			throws InterruptedException {
		URI url = URI.create(redis.url());
		return new ScaleFigures(new HeldLocks(url, probe).measure(10_000 / divisor, Duration.ofSeconds(30)),
				new ManyNames(url, redis).measure(100_000 / divisor),
				new ManyInstances(url, redis, probe, directory).measure(1_000 / divisor, Duration.ofSeconds(20)));
	}

}
