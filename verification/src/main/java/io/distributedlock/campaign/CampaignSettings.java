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

package io.distributedlock.campaign;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/**
 * How long a campaign is, and what it draws from.
 *
 * @param duration how long the phases last together, unless there are goals
 * @param acquisitions how many acquisitions there must be; zero for no goal
 * @param faults how many faults there must be; zero for no goal
 * @param mutants which bugs are planted: {@code true} for all, {@code quick} for some, or
 * {@code false} for none; otherwise the names of some, separated by commas
 * @param baseline the classes of an older version that every second worker runs, as a
 * class path, or an empty text if all workers run this version
 * @param history whether each phase writes its history into a file
 * @param client what the workers use: {@code lettuce} or {@code jedis}
 * @param topologies the phases: {@code sentinel}, {@code cluster}, {@code standalone}
 * @param project the directory of the modules in which bugs are planted
 */
record CampaignSettings(long seed, Duration duration, long acquisitions, long faults, String mutants, String baseline,
		boolean history, String client, List<String> topologies, int workers, int threads, Path output, Path project) {

	static CampaignSettings fromSystemProperties() {
		String seed = property("seed", "");
		return new CampaignSettings(
				seed.isEmpty() ? new SplittableRandom().nextLong(1_000_000_000) : Long.parseLong(seed),
				Duration.parse(property("duration", "PT2M30S")), Long.parseLong(property("acquisitions", "0")),
				Long.parseLong(property("faults", "0")), property("mutants", "quick"), property("baseline", ""),
				Boolean.parseBoolean(property("history", "false")), property("client", "lettuce"),
				List.of(property("topologies", "sentinel,cluster,standalone").split(",")),
				Integer.parseInt(property("workers", "4")), Integer.parseInt(property("threads", "10")),
				Path.of(property("output", "target/campaign")).toAbsolutePath(),
				Path.of(property("project", "..")).toAbsolutePath());
	}

	private static String property(String name, String fallback) {
		String value = System.getProperty("campaign." + name, "");
		return value.isBlank() ? fallback : value.strip();
	}

	boolean hasGoals() {
		return this.acquisitions > 0 || this.faults > 0;
	}

	boolean plantsBugs() {
		return !"false".equals(this.mutants);
	}

}
