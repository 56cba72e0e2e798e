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

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.distributedlock.benchmarks.fleet.Bench;
import io.distributedlock.benchmarks.fleet.Task;

/**
 * Waits until all instances of the JVM have had the lock.
 */
record LeaveQueue() implements Task<LinkedHashMap<String, Long>> {

	@Override
	public LinkedHashMap<String, Long> run(Bench bench) throws Exception {
		JoinQueue.Waiting waiting = bench.take(JoinQueue.Waiting.class);
		Map<String, Long> tokens = new LinkedHashMap<>();
		for (int index = 0; index < waiting.grants().size(); index++) {
			tokens.put(waiting.prefix() + '-' + index, waiting.grants().get(index).get(2, TimeUnit.MINUTES));
		}
		waiting.instances().forEach(Instance::close);
		waiting.factory().destroy();
		return new LinkedHashMap<>(tokens);
	}

}
