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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import io.distributedlock.campaign.fleet.WorkerProcess.Launch;
import io.distributedlock.campaign.history.Violation;
import io.distributedlock.campaign.nemesis.Standalone;

/**
 * Runs a fault campaign: several JVMs take and release locks on real Redis servers in
 * every way there is, while processes, connections, servers and messages are broken at
 * random, and every history is checked.
 */
public final class Campaign {

	/** Short, for a machine without an answer must not make the campaign slow. */
	static final List<String> PROPERTIES = List.of("distributed-lock.redis.command-timeout=500ms",
			"distributed-lock.redis.connect-timeout=1s", "distributed-lock.redis.check=off",
			"distributed-lock.validation=warn");

	private Campaign() {
	}

	/**
	 * Runs a campaign with the settings in the system properties {@code campaign.*}.
	 * @param args not used
	 * @throws Exception if it cannot be run
	 */
	public static void main(String[] args) throws Exception {
		CampaignSettings settings = CampaignSettings.fromSystemProperties();
		boolean passed = new Campaign().run(settings);
		// Threads of the proxy may still wait for something
		System.exit(passed ? 0 : 1);
	}

	private boolean run(CampaignSettings settings) throws Exception {
		Progress progress = new Progress();
		progress.say("Fault campaign with the seed %d", settings.seed());
		SplittableRandom seeds = new SplittableRandom(settings.seed());
		Path journals = Files.createDirectories(settings.output().resolve("standalone"));
		List<Phase.Outcome> outcomes = new ArrayList<>();
		Launch launch = new Launch(journals, System.getProperty("java.class.path"), settings.threads(), PROPERTIES);
		Phase phase = new Phase("standalone",
				new Phase.Rhythm(Duration.ofSeconds(60), Duration.ofSeconds(6), Duration.ofMillis(1000),
						(acquisitions, faults, elapsed) -> settings.hasGoals()
								? acquisitions >= settings.acquisitions() && faults >= settings.faults()
								: elapsed.compareTo(settings.duration()) >= 0),
				progress);
		outcomes.add(phase.run(new Standalone(settings.workers()), launch, settings.workers(), Standalone::nemeses,
				seeds.nextLong()));
		boolean passed = true;
		for (Phase.Outcome outcome : outcomes) {
			System.out.println(outcome.tally().grantsByWorkload);
			System.out.println(outcome.tally().outcomes);
			System.out.println(outcome.faults());
			System.out.println(outcome.tally().calmAttempts + " calm, contended " + outcome.tally().calmContended
					+ " late " + outcome.tally().calmLate + " tooLate " + outcome.tally().grantedTooLate + " checks "
					+ outcome.tally().checks);
			for (Violation violation : outcome.violations().stream().limit(3).toList()) {
				System.out.println(violation);
				passed = false;
			}
		}
		return passed;
	}

}
