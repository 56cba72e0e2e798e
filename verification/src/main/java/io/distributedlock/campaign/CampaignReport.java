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
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

import io.distributedlock.campaign.history.Event;
import io.distributedlock.campaign.history.Rule;
import io.distributedlock.campaign.history.Tally.Count;
import io.distributedlock.testsupport.mutation.Mutant;
import org.jspecify.annotations.Nullable;

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
		table("Workload", "acquisitions", (phase) -> phase.tally().grantsByWorkload());
		table("Fault", "times", Phase.Outcome::faults);
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
		row(Count.GRANTS);
		row(Count.ATTEMPTS);
		for (Event.Outcome outcome : Event.Outcome.values()) {
			if (outcome != Event.Outcome.GRANTED) {
				row("… that ended: " + outcome.name().toLowerCase(Locale.ROOT),
						(phase) -> phase.tally().outcomes().getOrDefault(outcome, 0L));
			}
		}
		row("faults", Phase.Outcome::struck);
		row("threads interrupted", Phase.Outcome::interrupts);
		row("calls cancelled", Phase.Outcome::cancels);
		EnumSet.range(Count.CHECKS, Count.CALM_LATE).forEach(this::row);
		row("violations", (phase) -> phase.tally().violations().values().stream().mapToLong(Long::longValue).sum());
		row("seconds", (phase) -> phase.took().toSeconds());
		line("");
		line("Longest time until a loss was told after the store could be reached again: %s.",
				this.phases.stream()
					.map((phase) -> phase.tally().longestUntold() / 1_000_000 + " ms (" + phase.label() + ")")
					.collect(Collectors.joining(", ")));
		line("");
		line("Longest time without a leader after a stop or a kill: %s.",
				this.phases.stream()
					.map((phase) -> phase.tally().longestAbsence() / 1_000_000 + " ms (" + phase.label() + ")")
					.collect(Collectors.joining(", ")));
		line("");
	}

	private void row(Count count) {
		row(count.text(), (phase) -> phase.tally().get(count));
	}

	private void row(String label, ToLongFunction<Phase.Outcome> count) {
		StringBuilder row = new StringBuilder("| " + label + " |");
		long sum = 0;
		for (Phase.Outcome phase : this.phases) {
			sum += count.applyAsLong(phase);
			row.append(String.format(Locale.ROOT, " %,d |", count.applyAsLong(phase)));
		}
		line("%s %,d |", row, sum);
	}

	/** Counts of all phases, by what they are of. */
	private void table(String head, String number, Function<Phase.Outcome, Map<String, Long>> values) {
		Map<String, Long> all = new TreeMap<>();
		this.phases.forEach((phase) -> values.apply(phase).forEach((key, value) -> all.merge(key, value, Long::sum)));
		line("| %s | %s |", head, number);
		line("|---|--:|");
		all.forEach((key, value) -> line("| %s | %,d |", key, value));
		line("");
	}

	private void rules() {
		line("| Rule | violated |");
		line("|---|--:|");
		for (Rule rule : Rule.values()) {
			line("| %s | %d |", rule.text(),
					this.phases.stream().mapToLong((phase) -> phase.tally().violations().getOrDefault(rule, 0L)).sum());
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

	/**
	 * What became of a planted bug.
	 *
	 * @param found the rule that it violated first, or {@code null} if it was not found
	 * @param after how long the workers had run by then
	 */
	record PlantedBug(Mutant mutant, @Nullable Rule found, Duration after, String summary) {
	}

}
