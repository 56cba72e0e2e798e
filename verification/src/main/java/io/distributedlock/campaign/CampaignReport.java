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
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.distributedlock.campaign.history.Checker.Tally;
import io.distributedlock.campaign.history.Event;
import io.distributedlock.campaign.history.Rule;
import io.distributedlock.campaign.mutant.PlantedBug;

/**
 * What a campaign saw, as Markdown.
 */
final class CampaignReport {

	private final CampaignSettings settings;

	private final List<Phase.Outcome> phases;

	private final List<PlantedBug> bugs;

	private final StringBuilder text = new StringBuilder();

	CampaignReport(CampaignSettings settings, List<Phase.Outcome> phases, List<PlantedBug> bugs) {
		this.settings = settings;
		this.phases = phases;
		this.bugs = bugs;
	}

	String markdown() {
		heading();
		phases();
		workloads();
		faults();
		rules();
		if (!this.bugs.isEmpty()) {
			bugs();
		}
		return this.text.toString();
	}

	private void heading() {
		line("Seed %d, %s, Java %s on %s with %d processors, %d workers with %d threads each, %s.",
				this.settings.seed(), LocalDate.now(), System.getProperty("java.version"),
				System.getProperty("os.name"), Runtime.getRuntime().availableProcessors(), this.settings.workers(),
				this.settings.threads(), this.phases.stream().map(Phase.Outcome::version).findFirst().orElse(""));
		line("");
	}

	private void phases() {
		List<String> head = new ArrayList<>(List.of("| |"));
		this.phases.forEach((phase) -> head.add(" " + phase.label() + " |"));
		line("%s all |", String.join("", head));
		line("|---|%s--:|", "--:|".repeat(this.phases.size()));
		row("acquisitions", (phase) -> phase.tally().grants);
		row("attempts", (phase) -> phase.tally().attempts);
		for (Event.Outcome outcome : Event.Outcome.values()) {
			if (outcome != Event.Outcome.GRANTED) {
				row("… that ended: " + outcome.name().toLowerCase(Locale.ROOT),
						(phase) -> phase.tally().outcomes.getOrDefault(outcome, 0L));
			}
		}
		row("faults", Phase.Outcome::struck);
		row("threads interrupted", Phase.Outcome::interrupts);
		row("calls cancelled", Phase.Outcome::cancels);
		row("answers of handles checked", (phase) -> phase.tally().checks);
		row("losses told", (phase) -> phase.tally().lossesTold);
		row("holders killed", (phase) -> phase.tally().killedHolders);
		row("waiters killed", (phase) -> phase.tally().killedWaiters);
		row("granted too late to be of use", (phase) -> phase.tally().grantedTooLate);
		row("pairs of holders excused", (phase) -> phase.tally().excused);
		row("terms of leaders", (phase) -> phase.tally().terms);
		row("successions checked", (phase) -> phase.tally().successions);
		row("leaders that resigned while nothing was broken", (phase) -> phase.tally().resignations);
		row("fenced transactions", (phase) -> phase.tally().committed);
		row("… that began in others, or in their callbacks", (phase) -> phase.tally().committedInside);
		row("… that were refused", (phase) -> phase.tally().refused);
		row("… whose connection the database ended", (phase) -> phase.tally().cut);
		row("… out of order and excused", (phase) -> phase.tally().admitted);
		row("times that the machine stood still", (phase) -> phase.tally().suspensions);
		row("calms that do not count because a worker was slow", (phase) -> phase.tally().stalledCalms);
		row("attempts in calm", (phase) -> phase.tally().calmAttempts);
		row("… that waited", (phase) -> phase.tally().calmContended);
		row("… and got a free lock late", (phase) -> phase.tally().calmLate);
		row("violations", (phase) -> phase.tally().violations.values().stream().mapToLong(Long::longValue).sum());
		row("seconds", (phase) -> phase.took().toSeconds());
		line("");
		line("Longest time without a leader after a stop or a kill: %s.",
				this.phases.stream()
					.map((phase) -> phase.tally().longestAbsence / 1_000_000 + " ms (" + phase.label() + ")")
					.collect(Collectors.joining(", ")));
		line("");
	}

	private void row(String label, Count count) {
		StringBuilder row = new StringBuilder("| " + label + " |");
		long sum = 0;
		for (Phase.Outcome phase : this.phases) {
			sum += count.of(phase);
			row.append(String.format(Locale.ROOT, " %,d |", count.of(phase)));
		}
		line("%s %,d |", row, sum);
	}

	private void workloads() {
		Tally all = new Tally();
		this.phases.forEach((phase) -> all.add(phase.tally()));
		table("Workload", "acquisitions", all.grantsByWorkload);
	}

	private void faults() {
		Map<String, Long> all = new TreeMap<>();
		this.phases.forEach((phase) -> phase.faults().forEach((key, value) -> all.merge(key, value, Long::sum)));
		table("Fault", "times", all);
	}

	private void table(String head, String number, Map<String, Long> values) {
		line("| %s | %s |", head, number);
		line("|---|--:|");
		values.forEach((key, value) -> line("| %s | %,d |", key, value));
		line("");
	}

	private void rules() {
		line("| Rule | violated |");
		line("|---|--:|");
		for (Rule rule : Rule.values()) {
			line("| %s | %d |", rule.text(),
					this.phases.stream().mapToLong((phase) -> phase.tally().violations.getOrDefault(rule, 0L)).sum());
		}
		line("");
	}

	private void bugs() {
		long found = this.bugs.stream().filter((bug) -> bug.found() != null).count();
		line("%d of %d planted bugs found.", found, this.bugs.size());
		line("");
		line("| Planted bug | what it does | found after | by the rule |");
		line("|---|---|--:|---|");
		this.bugs.stream().sorted(Comparator.comparing(PlantedBug::after)).forEach((bug) -> {
			Rule rule = bug.found();
			line("| %s | %s | %s | %s |", bug.mutant().name(), bug.mutant().why(),
					(rule != null) ? seconds(bug.after()) : "**not found** in " + seconds(bug.after()),
					(rule != null) ? rule.text() : "");
		});
		line("");
	}

	private static String seconds(Duration duration) {
		return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
	}

	private void line(String line, Object... arguments) {
		this.text.append(String.format(Locale.ROOT, line, arguments)).append('\n');
	}

	private interface Count {

		long of(Phase.Outcome phase);

	}

}
