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

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.distributedlock.campaign.fleet.Accounts;
import io.distributedlock.campaign.fleet.Fleet;
import io.distributedlock.campaign.fleet.WorkerProcess.Launch;
import io.distributedlock.campaign.history.Checker;
import io.distributedlock.campaign.history.Cost;
import io.distributedlock.campaign.history.HistoryFile;
import io.distributedlock.campaign.history.Rule;
import io.distributedlock.campaign.history.Span;
import io.distributedlock.campaign.history.Tally;
import io.distributedlock.campaign.history.Tally.Count;
import io.distributedlock.campaign.history.Violation;
import io.distributedlock.campaign.nemesis.Nemesis;
import io.distributedlock.campaign.nemesis.Storm;
import io.distributedlock.campaign.nemesis.Topology;
import io.distributedlock.campaign.worker.Workloads;
import org.jspecify.annotations.Nullable;

/**
 * Calm and storm in turn on one set of servers. A calm ends with a look at what is left:
 * all attempts end, and nothing of them stays in the store.
 */
final class Phase {

	/** A command without an answer, connecting, cleaning up, and a busy machine. */
	private static final Duration PATIENCE = Duration.ofMillis(500 + 1000 + 250 + 4000);

	/** After a storm the longest lease of a killed holder has to end. */
	private static final Duration SETTLE = Duration.ofMillis(4500);

	/** Clients connect again, and look for the servers that are there now. */
	private static final Duration MENDED = Duration.ofSeconds(3);

	/** Longer than the lease of any leadership. */
	private static final Duration STOP = Duration.ofMillis(2500);

	private static final Duration COUNT_AFTER = Duration.ofMillis(1500);

	/** As many as it takes until no worker is slow meanwhile. */
	private static final int MOST_COUNTS = 4;

	private static final Duration NEWS = Duration.ofMillis(500);

	private static final Duration COUNT = Duration.ofSeconds(3);

	private static final Duration DEAD_PLACES = Duration.ofSeconds(20);

	private final String label;

	private final Rhythm rhythm;

	private final Accounts.Database database;

	private final Progress progress;

	Phase(String label, Rhythm rhythm, Accounts.Database database, Progress progress) {
		this.label = label;
		this.rhythm = rhythm;
		this.database = database;
		this.progress = progress;
	}

	/**
	 * Run rounds until there is enough, or something is violated.
	 * @param topology the servers, which this closes
	 * @param history what else is told what happens
	 */
	Outcome run(Topology topology, Launch launch, int size, long seed, HistoryFile history)
			throws InterruptedException {
		long begin = System.nanoTime();
		Checker checker = new Checker(PATIENCE, Workloads::label, history);
		Map<String, Long> faults = new TreeMap<>();
		long struck = 0;
		long[] interruptsAndCancels;
		Duration found = Duration.ZERO;
		String version = topology.version();
		try (topology;
				Accounts accounts = Accounts.open(this.database);
				Fleet fleet = new Fleet(size, launch.with(accounts.properties()), topology::properties, checker,
						seed)) {
			try (Storm storm = new Storm(fleet, nemeses(topology, fleet), this.rhythm.meanFault(), seed)) {
				Duration elapsed = Duration.ZERO;
				fleet.open();
				// Cold JVMs on a busy machine take their time to connect
				pause(fleet, SETTLE);
				calm(fleet, topology, accounts, System.nanoTime());
				boolean counted = false;
				do {
					storm(fleet, storm);
					long resigning = System.nanoTime();
					retireLeader(fleet);
					long mended = System.nanoTime();
					breakLeaders(fleet);
					calm(fleet, topology, accounts, mended);
					checkFarewells(fleet, resigning);
					if (!counted && !fleet.isViolated()) {
						countScripts(fleet, topology);
						counted = fleet.asking((each) -> each.tally().get(Count.COSTS)) > 1;
					}
					elapsed = Duration.ofNanos(fleet.activeNanos());
					report(checker, fleet, storm, elapsed);
				}
				while (!fleet.isViolated() && !this.rhythm.goal().isReached(grants(fleet), storm.faults(), elapsed));
				faults.putAll(storm.counts());
				struck = storm.faults();
			}
			if (!fleet.isViolated()) {
				end(fleet, topology);
			}
			found = Duration.ofNanos(fleet.violatedAfterNanos());
			interruptsAndCancels = fleet.interruptsAndCancels();
		}
		return new Outcome(this.label, version, checker.tally(), List.copyOf(checker.violations()), faults, struck,
				interruptsAndCancels[0], interruptsAndCancels[1], found, Duration.ofNanos(System.nanoTime() - begin));
	}

	private List<Nemesis> nemeses(Topology topology, Fleet fleet) {
		List<Nemesis> nemeses = topology.nemeses(fleet);
		int total = nemeses.stream().mapToInt(Nemesis::weight).sum();
		nemeses.replaceAll(
				(nemesis) -> nemesis.label().equals(this.rhythm.favourite()) ? nemesis.withWeight(total) : nemesis);
		return nemeses;
	}

	private void storm(Fleet fleet, Storm storm) throws InterruptedException {
		if (!fleet.isViolated()) {
			fleet.open();
			storm.rage(this.rhythm.storm());
			pause(fleet, MENDED);
		}
	}

	/** Nothing is broken, so that the next ones must not begin before it is done. */
	private static void retireLeader(Fleet fleet) throws InterruptedException {
		OptionalInt retiring = fleet.slotOfLeader();
		if (!fleet.isViolated() && retiring.isPresent()) {
			note(fleet, "application closed while its leaders resign");
			fleet.retireAndReplace(retiring.getAsInt());
		}
	}

	private static void checkFarewells(Fleet fleet, long since) {
		Span span = new Span(since, System.nanoTime());
		fleet.checking((checker) -> checker.checkFarewells(span));
	}

	/** Nothing else is broken, so that the next ones must lead in time. */
	private static void breakLeaders(Fleet fleet) throws InterruptedException {
		if (fleet.isViolated()) {
			return;
		}
		OptionalInt stopped = fleet.slotOfLeader();
		if (stopped.isPresent()) {
			note(fleet, "worker stopped that leads");
			fleet.stop(stopped.getAsInt(), STOP);
		}
		OptionalInt killed = fleet.slotOfLeader();
		if (killed.isPresent()) {
			note(fleet, "worker killed that leads");
			fleet.killAndReplace(killed.getAsInt(), Duration.ZERO);
		}
		pause(fleet, SETTLE);
	}

	private static void note(Fleet fleet, String text) {
		fleet.checking((checker) -> checker.note(System.nanoTime(), text));
	}

	private void calm(Fleet fleet, Topology topology, Accounts accounts, long mended) throws InterruptedException {
		if (fleet.isViolated()) {
			return;
		}
		fleet.checking((checker) -> checker.calm(System.nanoTime()));
		pause(fleet, this.rhythm.calm());
		Span mendedSpan = new Span(mended, System.nanoTime());
		fleet.drain();
		List<String> wrong = accounts.wrong();
		fleet.checking((checker) -> {
			checker.checkSuccession(mendedSpan);
			if (!wrong.isEmpty()) {
				checker.violated(Rule.LOST_UPDATE, "All transactions have ended, and " + wrong);
			}
			checker.endCalm();
			if (checker.isAnythingOpen()) {
				checker.violated(Rule.PROGRESS, "All workers are drained, and some of their attempts never ended");
			}
		});
		checkNothingIsLeft(fleet, topology);
	}

	private static void checkNothingIsLeft(Fleet fleet, Topology topology) throws InterruptedException {
		List<String> left = await(topology::leftByLiving, Duration.ofMillis(2500));
		if (!left.isEmpty()) {
			fleet.violated(Rule.LEFTOVER, "No instance holds or wants a lock, and Redis still has: " + left);
		}
	}

	/** Once is enough: the load is always the same. */
	private static void countScripts(Fleet fleet, Topology topology) throws InterruptedException {
		int places = fleet.queue();
		countScripts(fleet, topology, Rule.WAITING_COST, places);
		int renewed = fleet.keep();
		countScripts(fleet, topology, Rule.RENEWAL_COST, renewed / topology.renewedTogether());
		checkNothingIsLeft(fleet, topology);
	}

	private static void countScripts(Fleet fleet, Topology topology, Rule rule, int perSecond)
			throws InterruptedException {
		// Until what begins at the same time has spread
		pause(fleet, COUNT_AFTER);
		boolean counted = false;
		for (int i = 0; i < MOST_COUNTS && !counted; i++) {
			long from = System.nanoTime();
			long before = topology.scripts();
			pause(fleet, COUNT);
			long scripts = topology.scripts() - before;
			Cost cost = new Cost(rule, new Span(from, System.nanoTime()), scripts, perSecond);
			// Until it is known who was slow
			pause(fleet, NEWS);
			counted = fleet.asking((checker) -> checker.cost(cost));
		}
		fleet.drop();
	}

	private void end(Fleet fleet, Topology topology) throws InterruptedException {
		fleet.shutDown();
		List<String> left = await(topology::left, DEAD_PLACES);
		if (!left.isEmpty()) {
			fleet.violated(Rule.LEFTOVER, "All applications are closed, and Redis still has: " + left);
		}
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(3);
		while (topology.connections() > 0 && System.nanoTime() < deadline) {
			Thread.sleep(50);
		}
		if (topology.connections() > 0) {
			fleet.violated(Rule.LEFTOVER, "All applications are closed, and %d of their connections are open"
				.formatted(topology.connections()));
		}
	}

	private static List<String> await(Supplier<List<String>> leftovers, Duration limit) throws InterruptedException {
		long deadline = System.nanoTime() + limit.toNanos();
		List<String> left = leftovers.get();
		while (!left.isEmpty() && System.nanoTime() < deadline) {
			Thread.sleep(100);
			left = leftovers.get();
		}
		return left;
	}

	private static void pause(Fleet fleet, Duration length) throws InterruptedException {
		long end = fleet.activeNanos() + length.toNanos();
		while (fleet.activeNanos() < end && !fleet.isViolated()) {
			Thread.sleep(20);
		}
	}

	private static long grants(Fleet fleet) {
		return fleet.asking((checker) -> checker.tally().get(Count.GRANTS));
	}

	private void report(Checker checker, Fleet fleet, Storm storm, Duration elapsed) {
		fleet.checking((ignored) -> this.progress.say(
				"%s: %d s, %,d acquisitions, %,d faults, %d losses told, %d pairs excused, %d violations", this.label,
				elapsed.toSeconds(), checker.tally().get(Count.GRANTS), storm.faults(),
				checker.tally().get(Count.LOSSES_TOLD), checker.tally().get(Count.EXCUSED),
				checker.violations().size()));
	}

	interface Goal {

		boolean isReached(long acquisitions, long faults, Duration elapsed);

	}

	/**
	 * How calm and storm alternate.
	 *
	 * @param favourite the label of a fault that is to come as often as all others
	 * together, {@code null} for none
	 */
	record Rhythm(Duration storm, Duration calm, Duration meanFault, @Nullable String favourite, Goal goal) {
	}

	/**
	 * What was seen in a phase.
	 *
	 * @param ran how long the workers ran
	 */
	record Outcome(String label, String version, Tally tally, List<Violation> violations, Map<String, Long> faults,
			long struck, long interrupts, long cancels, Duration ran, Duration took) {
	}

}
