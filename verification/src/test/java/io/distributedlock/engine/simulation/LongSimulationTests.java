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

package io.distributedlock.engine.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.distributedlock.testsupport.mutation.Mutant;
import io.distributedlock.testsupport.mutation.Mutants;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The million: run by the profile {@code simulation}. The system properties
 * {@code simulation.histories}, {@code simulation.seed} and {@code simulation.threads}
 * say how many, which, and in how many threads; {@code simulation.mutant.histories} how
 * soon a planted bug has to be found with each of {@code simulation.mutant.seeds} seeds;
 * {@code simulation.mutants} which of them, all of them without it.
 */
@Tag("simulation")
@ExtendWith(Quiet.class)
class LongSimulationTests {

	private static final long HISTORIES = Long.getLong("simulation.histories", 1_000_000);

	private static final long SEED = Long.getLong("simulation.seed", System.nanoTime() & 0xFFFFFF);

	private static final int THREADS = Integer.getInteger("simulation.threads",
			Math.max(1, Runtime.getRuntime().availableProcessors()));

	private static final long MUTANT_HISTORIES = Long.getLong("simulation.mutant.histories", 100_000);

	private static final int MUTANT_SEEDS = Integer.getInteger("simulation.mutant.seeds", 1);

	private static final List<String> MUTANTS = Stream.of(System.getProperty("simulation.mutants", "").split(","))
		.filter((name) -> !name.isBlank())
		.toList();

	private static final int BLOCK = 1000;

	@TempDir
	private Path directory;

	@Test
	void historiesKeepAllPromises() throws Exception {
		AtomicLong next = new AtomicLong();
		AtomicLong failed = new AtomicLong(Long.MAX_VALUE);
		long begin = System.nanoTime();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			threads.add(new Thread(() -> playBlocks(next, failed)));
		}
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join();
		}
		double seconds = (System.nanoTime() - begin) / 1e9;
		long played = Math.min(next.get(), HISTORIES);
		say(String.format(Locale.ROOT, "%d histories with seed %d in %.0f s on %d threads: %.0f per second", played,
				SEED, seconds, THREADS, played / seconds));
		String report = (failed.get() < HISTORIES) ? Simulation.report(SEED, failed.get()) : null;
		if (report != null) {
			say(report);
			say("When it is mended, add this line to corpus.txt: "
					+ new Corpus("what was wrong", SEED, failed.get()).line());
		}
		assertThat(report).isNull();
	}

	private static void playBlocks(AtomicLong next, AtomicLong failed) {
		long from = next.getAndAdd(BLOCK);
		while (from < Math.min(HISTORIES, failed.get())) {
			long failure = Simulation.firstFailure(SEED, from, Math.min(from + BLOCK, HISTORIES));
			if (failure >= 0) {
				failed.accumulateAndGet(failure, Math::min);
			}
			from = next.getAndAdd(BLOCK);
		}
	}

	@Test
	void allPlantedBugsAreFound() {
		List<String> missed = new ArrayList<>();
		List<String> corpus = new ArrayList<>();
		say("| planted bug | why it is one | histories until it was found with each seed | what was found |");
		say("|---|---|---|---|");
		long most = 0;
		for (Mutant mutant : Stream.concat(Mutants.engine().stream(), StoreMutants.all().stream()).toList()) {
			if (!MUTANTS.isEmpty() && !MUTANTS.contains(mutant.name())) {
				continue;
			}
			long histories = find(mutant, corpus);
			if (histories > 0) {
				most = Math.max(most, histories);
			}
			else {
				missed.add(mutant.name());
			}
		}
		say("%d seeds from %d on: each planted bug, unless it says otherwise, was found within %d histories"
			.formatted(MUTANT_SEEDS, SEED, most));
		corpus.forEach(LongSimulationTests::say);
		assertThat(missed).isEmpty();
		assertThat(corpus).as("lines of corpus.txt that find their bug no more, as histories are drawn otherwise now")
			.isEmpty();
	}

	/**
	 * Return within how many histories a bug is found with each seed, or zero if it is
	 * not.
	 * @param corpus lines to be added if no history of the corpus finds the bug
	 */
	private long find(Mutant mutant, List<String> corpus) {
		SimulatedMutant planted = new SimulatedMutant(mutant, this.directory);
		long[] failed = LongStream.range(SEED, SEED + MUTANT_SEEDS)
			.parallel()
			.map((seed) -> planted.firstFailure(seed, MUTANT_HISTORIES))
			.toArray();
		long last = LongStream.of(failed).max().orElseThrow();
		boolean found = LongStream.of(failed).allMatch((number) -> number >= 0);
		if (failed[0] >= 0) {
			assertThat(Simulation.play(Simulation.seedOf(SEED, failed[0])).violation()).as("without the bug").isNull();
			if (Corpus.named(mutant.name()).filter(planted::isFoundBy).isEmpty()) {
				corpus.add(new Corpus(mutant.name(), SEED, failed[0]).line());
			}
		}
		String finding = (failed[0] >= 0) ? planted.finding(SEED, failed[0]) : "";
		say("| `%s` | %s | %s | %s |".formatted(mutant.name(), mutant.why(),
				found ? String.valueOf(last + 1) : "**not found in " + MUTANT_HISTORIES
						+ " with %d seeds**".formatted(LongStream.of(failed).filter((number) -> number < 0).count()),
				finding));
		return found ? last + 1 : 0;
	}

	/**
	 * Print a line, and keep it in a file.
	 */
	static void say(String line) {
		System.out.println(line);
		try {
			Files.writeString(Path.of("target/simulation.txt"), line + System.lineSeparator(),
					StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
