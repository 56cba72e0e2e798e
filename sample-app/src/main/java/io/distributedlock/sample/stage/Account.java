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

import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plays the scenarios and tells what was seen.
 */
final class Account {

	private static final Logger account = LoggerFactory.getLogger("io.distributedlock.sample.account");

	private final Instances instances;

	private final List<Scenario> scenarios;

	Account(Instances instances, List<Scenario> scenarios) {
		this.instances = instances;
		this.scenarios = scenarios;
	}

	/** Play all scenarios and tell what came out of each. */
	static List<ScenarioResult> write(Instances instances) {
		instances.awaitHealthy();
		List<ScenarioResult> results = new Account(instances, Scenarios.ALL).write();
		account.info(TryIt.text(instances));
		return results;
	}

	List<ScenarioResult> write() {
		List<ScenarioResult> results = new ArrayList<>();
		for (Scenario scenario : this.scenarios) {
			account.info("");
			account.info("Scenario {} · {}", results.size() + 1, scenario.title());
			scenario.story().lines().forEach((line) -> account.info("  {}", line));
			ScenarioResult result = play(scenario);
			result.findings().forEach((finding) -> account.info("  {}", finding));
			results.add(result);
		}
		account.info("");
		account.info(summary(results));
		return results;
	}

	private static String summary(List<ScenarioResult> results) {
		long asExpected = results.stream().filter(ScenarioResult::asExpected).count();
		return ((asExpected == results.size()) ? "All scenarios finished: %d of %d as expected"
				: "✗ Not all as expected: only %d of %d scenarios")
			.formatted(asExpected, results.size());
	}

	private ScenarioResult play(Scenario scenario) {
		try {
			return new ScenarioResult(scenario.title(), scenario.play(this.instances));
		}
		catch (RuntimeException ex) {
			return new ScenarioResult(scenario.title(),
					List.of(new Finding("the scenario", "to be played to its end", ex.toString())));
		}
	}

}
