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
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import io.distributedlock.campaign.CampaignReport.PlantedBug;
import io.distributedlock.campaign.Phase.Outcome;
import io.distributedlock.campaign.Phase.Rhythm;
import io.distributedlock.campaign.fleet.Accounts;
import io.distributedlock.campaign.fleet.WorkerProcess.Launch;
import io.distributedlock.campaign.history.HistoryFile;
import io.distributedlock.campaign.history.Rule;
import io.distributedlock.campaign.history.Tally.Count;
import io.distributedlock.campaign.history.Violation;
import io.distributedlock.campaign.mutant.Bugs;
import io.distributedlock.campaign.nemesis.Clustered;
import io.distributedlock.campaign.nemesis.Sentinels;
import io.distributedlock.campaign.nemesis.Standalone;
import io.distributedlock.campaign.nemesis.Topology;
import io.distributedlock.campaign.worker.Workloads;
import io.distributedlock.testsupport.ClassPath;
import io.distributedlock.testsupport.OptionalPackage;
import io.distributedlock.testsupport.mutation.Mutant;
import io.distributedlock.testsupport.mutation.MutantCompiler;

import org.springframework.util.FileSystemUtils;

/**
 * Runs a fault campaign: several JVMs take and release locks on real Redis servers in
 * every way there is, while processes, connections, servers and messages are broken at
 * random, and every history is checked.
 * <p>
 * <b>Who is who.</b> A <em>worker</em> ({@code WorkerMain}) is an application with the
 * starter, as a user has it. Its threads draw
 * {@linkplain io.distributedlock.campaign.worker.Workloads workloads} and write what they
 * asked for, what they got and what their handles said into a
 * {@linkplain io.distributedlock.campaign.history.Journal journal} that survives them.
 * This process draws everything from one seed: it starts the servers (a
 * {@linkplain Topology topology}), the proxies and the workers (a {@code Fleet}), breaks
 * them (a {@code Storm} of {@code Nemesis}), and reads the journals into a
 * {@linkplain io.distributedlock.campaign.history.Checker checker} while they are
 * written.
 * <p>
 * <b>How it goes.</b> A {@link Phase} is one topology, and consists of rounds: a storm, a
 * while to settle, a calm in which also those rules hold that faults may suspend, and an
 * end of all attempts, after which nothing may be left. The first violation ends
 * everything. At the end, bugs are planted in copies of the engine and the scripts, one
 * at a time. Each of them must violate a rule within a limited time.
 * <p>
 * The seed repeats what is drawn, and not the interleaving of threads and processes.
 */
public final class Campaign {

	/**
	 * Times are short, so that many faults fit into little time. Switches are spelled as
	 * some users do: one that is not understood must not unlock anything.
	 */
	private static final List<String> PROPERTIES = List.of("distributed-lock.enabled=on",
			"distributed-lock.annotation.enabled=1", "distributed-lock.redis.command-timeout=500ms",
			"distributed-lock.redis.connect-timeout=1s", "distributed-lock.check=off",
			"distributed-lock.shutdown.grace-period=250ms");

	private static final Duration STORM = Duration.ofSeconds(60);

	private static final Duration CALM = Duration.ofSeconds(6);

	private static final Duration MEAN_FAULT = Duration.ofMillis(900);

	private static final Duration LONG_TOPOLOGY = Duration.ofSeconds(90);

	/** Within this, a planted bug has to be found. */
	private static final Duration MUTANT = Duration.ofMinutes(2);

	/** If goals are not reached by then, something is wrong. */
	private static final Duration LONGEST = Duration.ofMinutes(45);

	private final CampaignSettings settings;

	private final Progress progress = new Progress();

	private final SplittableRandom seeds;

	private Campaign(CampaignSettings settings) {
		this.settings = settings;
		this.seeds = new SplittableRandom(settings.seed());
	}

	/**
	 * Runs a campaign with the settings in the system properties {@code campaign.*}.
	 */
	public static void main(String[] args) throws Exception {
		boolean passed = new Campaign(CampaignSettings.fromSystemProperties()).run();
		// Threads of proxies may still wait for something
		System.exit(passed ? 0 : 1);
	}

	private boolean run() throws IOException, InterruptedException {
		// A journal of an earlier campaign would be taken for one of this
		FileSystemUtils.deleteRecursively(this.settings.output());
		Files.createDirectories(this.settings.output());
		this.progress.say("Fault campaign. Repeat it with -Dcampaign.seed=%d", this.settings.seed());
		List<Outcome> outcomes = new ArrayList<>();
		boolean passed = runPhases(outcomes);
		List<PlantedBug> bugs = new ArrayList<>();
		if (passed && this.settings.plantsBugs()) {
			plantBugs(bugs);
			List<String> missed = bugs.stream()
				.filter((bug) -> bug.found() == null)
				.map((bug) -> bug.mutant().name())
				.toList();
			if (!missed.isEmpty()) {
				this.progress.say("FAILED: planted bugs that were not found: %s", missed);
				passed = false;
			}
		}
		String markdown = new CampaignReport(this.settings, outcomes, bugs).markdown();
		Path report = this.settings.output().resolve("report.md");
		Files.writeString(report, markdown);
		System.out.println();
		System.out.println(markdown);
		this.progress.say("%s. Seed %d, report in %s", passed ? "PASSED" : "FAILED", this.settings.seed(), report);
		return passed;
	}

	// Phases

	private boolean runPhases(List<Outcome> outcomes) throws IOException, InterruptedException {
		if (this.settings.duration().isZero() && !this.settings.hasGoals()) {
			return true;
		}
		for (String topology : this.settings.topologies()) {
			if (!run(topology, outcomes)) {
				return false;
			}
		}
		return true;
	}

	private boolean run(String label, List<Outcome> outcomes) throws IOException, InterruptedException {
		long acquisitions = outcomes.stream().mapToLong((outcome) -> outcome.tally().get(Count.GRANTS)).sum();
		long faults = outcomes.stream().mapToLong(Outcome::struck).sum();
		int left = this.settings.topologies().size() - outcomes.size();
		boolean toGoals = this.settings.hasGoals() && left == 1;
		Duration length = this.settings.hasGoals() ? LONG_TOPOLOGY : share(label);
		Phase.Goal goal = (grants, struck, elapsed) -> toGoals
				? (acquisitions + grants >= this.settings.acquisitions() && faults + struck >= this.settings.faults())
						|| elapsed.compareTo(LONGEST) > 0
				: elapsed.compareTo(length) >= 0;
		Duration storm = (length.compareTo(STORM) < 0) ? length.minus(CALM) : STORM;
		boolean last = left == 1;
		Phase phase = new Phase(label, new Rhythm(storm, CALM, MEAN_FAULT, null, goal), database(label), this.progress);
		String classPath = System.getProperty("java.class.path");
		String baseline = this.settings.baseline();
		Launch launch = new Launch(directory(label), classPath,
				baseline.isEmpty() ? classPath : ClassPath.withBuild(baseline), this.settings.threads(), 3, 32,
				properties(label));
		int workers = last ? this.settings.workers() : Math.min(3, this.settings.workers());
		Outcome outcome;
		try (HistoryFile history = history(label)) {
			outcome = phase.run(topology(label, workers), launch, workers, this.seeds.nextLong(), history);
		}
		outcomes.add(outcome);
		outcome.violations().stream().limit(3).forEach(System.out::println);
		return outcome.violations().isEmpty();
	}

	private List<String> properties(String topology) {
		List<String> properties = new ArrayList<>(PROPERTIES);
		properties.add("spring.data.redis.client-type=" + this.settings.client());
		if (topology.equals("cluster") && this.settings.client().equals("jedis")) {
			// As the documentation says
			properties.add("spring.data.redis.cluster.max-redirects=2");
		}
		return properties;
	}

	private HistoryFile history(String label) throws IOException {
		return this.settings.history() ? HistoryFile.create(directory(label).resolve("history.jsonl"), Workloads::label)
				: HistoryFile.none();
	}

	/** The last phase, on a standalone server, has the most faults, and the most time. */
	private Duration share(String label) {
		int others = this.settings.topologies().size() - 1;
		Duration other = this.settings.duration().dividedBy(5);
		return label.equals(this.settings.topologies().get(others))
				? this.settings.duration().minus(other.multipliedBy(others)) : other;
	}

	/** The last phases have their accounts in PostgreSQL, where it is installed. */
	private Accounts.Database database(String label) {
		if (label.equals("sentinel")) {
			return Accounts.Database.H2;
		}
		if (!OptionalPackage.POSTGRESQL.isInstalled()) {
			this.progress.say("%s: PostgreSQL is not installed, so the accounts are in H2", label);
			return Accounts.Database.H2;
		}
		return Accounts.Database.POSTGRESQL;
	}

	private static Topology topology(String label, int workers) {
		return switch (label) {
			case "sentinel" -> new Sentinels();
			case "cluster" -> new Clustered();
			default -> new Standalone(workers);
		};
	}

	private Path directory(String label) throws IOException {
		return Files.createDirectories(this.settings.output().resolve(label));
	}

	// Planted bugs

	private void plantBugs(List<PlantedBug> bugs) throws IOException, InterruptedException {
		String classPath = System.getProperty("java.class.path");
		MutantCompiler compiler = MutantCompiler.ofProject(this.settings.project(), classPath);
		for (Mutant mutant : Bugs.of(this.settings.mutants())) {
			Path classes = compiler.compile(mutant, this.settings.output().resolve("mutants").resolve(mutant.name()));
			PlantedBug bug = hunt(mutant, classes + File.pathSeparator + classPath);
			bugs.add(bug);
			this.progress.say("planted bug %s: %s", mutant.name(), (bug.found() != null)
					? "found after %.1f s: %s".formatted(bug.after().toMillis() / 1000.0, bug.summary()) : "NOT FOUND");
		}
	}

	/** Faults come in quick succession, the calm is short, and many want few locks. */
	private PlantedBug hunt(Mutant mutant, String classPath) throws IOException, InterruptedException {
		Phase phase = new Phase(mutant.name(),
				new Rhythm(Duration.ofSeconds(10), Duration.ofSeconds(5), Duration.ofMillis(500), Bugs.shownBy(mutant),
						(grants, struck, elapsed) -> elapsed.compareTo(MUTANT) >= 0),
				Accounts.Database.H2, Progress.silent());
		Launch launch = new Launch(directory("mutant"), classPath, classPath, 10, 6, 4,
				properties(Bugs.phaseOf(mutant)));
		Outcome outcome = phase.run(topology(Bugs.phaseOf(mutant), 3), launch, 3, this.seeds.nextLong(),
				HistoryFile.none());
		Violation first = outcome.violations()
			.stream()
			.filter((violation) -> violation.rule() != Rule.CAMPAIGN)
			.findFirst()
			.orElse(null);
		return new PlantedBug(mutant, (first != null) ? first.rule() : null, outcome.ran(),
				(first != null) ? first.summary() : "");
	}

}
