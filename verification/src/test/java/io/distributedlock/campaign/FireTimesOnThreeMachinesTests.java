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

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;

import io.distributedlock.campaign.fleet.Accounts;
import io.distributedlock.campaign.fleet.Fleet;
import io.distributedlock.campaign.fleet.WorkerProcess.Launch;
import io.distributedlock.campaign.history.Checker;
import io.distributedlock.campaign.history.Outcomes.Fate;
import io.distributedlock.campaign.history.Rule;
import io.distributedlock.campaign.history.Tally.Count;
import io.distributedlock.campaign.history.Violation;
import io.distributedlock.campaign.mutant.Bugs;
import io.distributedlock.campaign.nemesis.Standalone;
import io.distributedlock.campaign.worker.Workloads;
import io.distributedlock.testsupport.mutation.Mutant;
import io.distributedlock.testsupport.mutation.MutantCompiler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three JVMs whose clocks are one and two seconds apart run the jobs of the campaign.
 * Some are killed and stopped, then all are killed, and no instance is there for two
 * hours. Each fire time of both days must be run once or reported as missed, and be
 * repeated only by a job with {@code catchUp} that says so.
 */
@Tag("campaign")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FireTimesOnThreeMachinesTests {

	private static final int MACHINES = 3;

	private static final SplittableRandom SEEDS = new SplittableRandom(20261127);

	private static final Duration GAP = Duration.ofHours(2);

	/** Longer than the lease of the jobs. */
	private static final Duration PAUSE = Duration.ofMillis(2500);

	private static final int RUNS_OF_A_DAY = 60;

	/** The others are about time, and a busy machine loses leases while JVMs start. */
	private static final Set<Rule> RULES = EnumSet.of(Rule.EXCLUSION, Rule.TOKEN_ORDER, Rule.FIRE_TIME,
			Rule.REPEATED_SUCCESS, Rule.OUTCOME, Rule.CATCH_UP, Rule.UNEXPECTED_FAILURE, Rule.PROGRESS, Rule.CAMPAIGN);

	/** Most bugs show within seconds. Chance decides which run fails, and how late. */
	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private final String classPath = System.getProperty("java.class.path");

	private final Checker checker = new Checker(Duration.ofSeconds(6), Workloads::label);

	@TempDir
	private Path directory;

	@Test
	void eachFireTimeIsRunOnceOrReported() throws Exception {
		Map<Fate, Long> fates = twoDays(this.classPath, true);
		System.out.println("Fire times: " + fates);
		assertThat(violations()).isEmpty();
		assertThat(fates.get(Fate.RUN) + fates.get(Fate.REPEATED)).isGreaterThan(100);
		assertThat(fates.get(Fate.REPEATED)).isPositive();
		assertThat(fates.get(Fate.MISSED)).isGreaterThan(GAP.toSeconds());
	}

	@ParameterizedTest
	@MethodSource("bugs")
	void aWrongReportIsFound(Mutant bug) throws Exception {
		twoDays(classPathWith(bug), false);
		assertThat(violations()).extracting(Violation::rule).contains(Rule.OUTCOME);
	}

	static List<Mutant> bugs() {
		return Bugs.ofReports();
	}

	/** On one machine: another whose clock is behind would repeat the run in time. */
	@Test
	void aRunThatIsTooLateIsFound() throws Exception {
		String classPath = classPathWith(Bugs.of("late-without-limit").get(0));
		try (Standalone redis = new Standalone(1);
				Accounts accounts = Accounts.open(Accounts.Database.H2);
				Fleet fleet = fleet(1, redis, launch(classPath, accounts), Duration.ZERO)) {
			fleet.open();
			await().atMost(PATIENCE).until(() -> fleet.asking((checker) -> !violations().isEmpty()));
		}
		assertThat(violations()).extracting(Violation::rule).contains(Rule.CATCH_UP);
	}

	private String classPathWith(Mutant bug) throws Exception {
		Path classes = MutantCompiler.ofProject(Path.of(".."), this.classPath)
			.compile(bug, this.directory.resolve(bug.name()));
		return classes + File.pathSeparator + this.classPath;
	}

	private List<Violation> violations() {
		return this.checker.violations().stream().filter((violation) -> RULES.contains(violation.rule())).toList();
	}

	private Launch launch(String classPath, Accounts accounts) throws IOException {
		return new Launch(Files.createDirectories(this.directory.resolve("journals")), classPath, classPath, 0, 0, 1,
				accounts.properties());
	}

	private Map<Fate, Long> twoDays(String classPath, boolean faults) throws Exception {
		try (Standalone redis = new Standalone(MACHINES); Accounts accounts = Accounts.open(Accounts.Database.H2)) {
			Launch launch = launch(classPath, accounts);
			try (Fleet fleet = fleet(MACHINES, redis, launch, Duration.ZERO)) {
				live(fleet, faults);
			}
			try (Fleet fleet = fleet(MACHINES, redis, launch, GAP)) {
				live(fleet, faults);
				fleet.drain();
			}
		}
		return this.checker.checkOutcomes();
	}

	private Fleet fleet(int machines, Standalone redis, Launch launch, Duration later) throws InterruptedException {
		return new Fleet(machines, launch,
				(machine) -> Stream
					.concat(Stream.of(redis.properties(machine)),
							Stream.of("campaign.clock=" + later.plusSeconds(machine)))
					.toArray(String[]::new),
				this.checker, SEEDS.nextLong());
	}

	private void live(Fleet fleet, boolean faults) throws InterruptedException {
		long before = count(fleet, Count.RUNS);
		long repeated = count(fleet, Count.REPEATED_RUNS);
		fleet.open();
		if (faults) {
			fleet.stop(0, PAUSE);
			fleet.killAndReplace(1, Duration.ZERO);
			fleet.stop(2, PAUSE);
		}
		await().atMost(PATIENCE)
			.until(() -> fleet.asking((checker) -> !violations().isEmpty())
					|| (count(fleet, Count.RUNS) - before >= RUNS_OF_A_DAY
							&& count(fleet, Count.REPEATED_RUNS) > repeated));
	}

	private static long count(Fleet fleet, Count count) {
		return fleet.asking((checker) -> checker.tally().get(count));
	}

}
