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

package io.distributedlock.sample.stage;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Plays all scenarios in a third of the time: they mostly wait, and share no name.
 */
final class Lanes {

	/** In each lane, one scenario after the other. */
	private static final List<List<Class<? extends Scenario>>> LANES = List.of(
			List.of(ScheduledJobScenario.class, ReportScenario.class, MailingScenario.class,
					InvoiceExportScenario.class),
			List.of(LongTaskScenario.class, FeedScenario.class, LeaderScenario.class),
			List.of(StockScenario.class, CacheScenario.class, JobScenario.class, RateScenario.class,
					RepeatedOrderScenario.class, PaymentScenario.class, FencedScenario.class, IndexScenario.class));

	private Lanes() {
	}

	static List<ScenarioResult> play(Instances instances) throws Exception {
		instances.awaitHealthy();
		Map<Class<?>, Scenario> scenarios = new HashMap<>();
		Scenarios.ALL.forEach((scenario) -> scenarios.put(scenario.getClass(), scenario));
		Map<Scenario, ScenarioResult> results = new ConcurrentHashMap<>();
		ExecutorService threads = Executors.newFixedThreadPool(LANES.size());
		try {
			List<? extends Future<?>> lanes = LANES.stream().map((lane) -> threads.submit(() -> lane.forEach((type) -> {
				Scenario scenario = scenarios.get(type);
				results.put(scenario, new Account(instances, List.of(scenario), new LiveFeed()).write().get(0));
			}))).toList();
			for (Future<?> lane : lanes) {
				lane.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		return Scenarios.ALL.stream().map(results::get).toList();
	}

}
