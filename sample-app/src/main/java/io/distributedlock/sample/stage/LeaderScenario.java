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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

final class LeaderScenario implements Scenario {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final Duration AT_ONCE = LEASE.dividedBy(2);

	@Override
	public String title() {
		return "Leader";
	}

	@Override
	public String story() {
		return """
				Both instances wait for the same lock; the holder is the leader. The leader resigns,
				then the next one loses its lock, because the key vanishes from Redis. Until it learns of it,
				there are two.""";
	}

	@Override
	public List<Finding> play(Instances instances) {
		instances.first().post("/leader");
		Duration elected = Pause.until(() -> leads(instances.first()), LEASE);
		instances.second().post("/leader");
		List<Finding> findings = new ArrayList<>();
		findings.add(Finding.that("the first candidate leads", elected != null && !leads(instances.second())));

		instances.first().delete("/leader");
		Duration handedOver = Pause.until(() -> leads(instances.second()), LEASE);
		instances.first().post("/leader");
		findings.add(Finding.that("it resigns, and the other one leads at once", within(AT_ONCE, handedOver)));
		findings.add(Finding.number("leaders while both are candidates", 1, leaders(instances)));

		int lost = lost(instances.second());
		instances.second().delete("/leader/key");
		Duration told = Pause.until(() -> lost(instances.second()) == lost + 1, LEASE);
		// The former leader stands again at once, and may be the first to ask
		Duration takenOver = Pause.until(() -> leads(instances.first()) || leads(instances.second()), LEASE);
		findings.add(Finding.that("the key vanishes, and one of them leads within the lease", takenOver != null));
		findings.add(Finding.that("the former leader learns of it within the lease", told != null));
		findings.add(Finding.number("leaders afterwards", 1, leaders(instances)));

		instances.bothAtOnce((instance) -> instance.delete("/leader"));
		return findings;
	}

	private static boolean within(Duration limit, @Nullable Duration took) {
		return took != null && took.compareTo(limit) < 0;
	}

	private static long leaders(Instances instances) {
		return Stream.of(instances.first(), instances.second()).filter(LeaderScenario::leads).count();
	}

	private static boolean leads(Instance instance) {
		return instance.get("/leader").body().path("leader").asBoolean(false);
	}

	private static int lost(Instance instance) {
		return instance.get("/leader").body().path("lost").asInt(0);
	}

}
