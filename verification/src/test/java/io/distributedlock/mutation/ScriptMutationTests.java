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

package io.distributedlock.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every mutant of every script: found by a test, or explained in {@code survivors.md}.
 * The system property {@code mutation.scripts} chooses some scripts, by file name and
 * separated by commas, and {@code mutation.sample} how many of their mutants, drawn with
 * {@code mutation.seed}; {@code target/mutation.log} says what found each mutant.
 */
@Tag("mutation")
class ScriptMutationTests {

	private static final List<String> SCRIPTS = scripts();

	/** All if it is 0. */
	private static final int SAMPLE = Integer.getInteger("mutation.sample", 0);

	private static final long SEED = Long.getLong("mutation.seed", 1);

	private static final Path LOG = Path.of("target/mutation.log");

	private final SentScripts scripts = new SentScripts();

	private final Killers killers = new Killers(this.scripts);

	@AfterEach
	void stop() {
		this.killers.close();
	}

	@Test
	void eachMutantIsFoundOrExplained() throws Exception {
		Survivors survivors = Survivors.read();
		// Twice, as for the mutants
		assertThat(this.killers.firstFailure("inspect.lua")).as("without a mutant").isNull();
		assertThat(this.killers.firstFailure("inspect.lua")).as("without a mutant, again").isNull();
		List<Survivors.Key> survived = new ArrayList<>();
		List<Survivors.Key> unexplained = new ArrayList<>();
		Map<String, int[]> figures = new TreeMap<>();
		for (ScriptMutant mutant : mutants()) {
			long begin = System.nanoTime();
			try {
				if (!this.scripts.plant(mutant)) {
					continue;
				}
				String failure = this.killers.firstFailure(mutant.script());
				int[] figure = figures.computeIfAbsent(mutant.script(), (script) -> new int[3]);
				if (failure != null) {
					figure[0]++;
				}
				else {
					survived.add(mutant.key());
					figure[survivors.explains(mutant.key()) ? 1 : 2]++;
					if (!survivors.explains(mutant.key())) {
						unexplained.add(mutant.key());
					}
				}
				log(String.format(Locale.ROOT, "%s %.1f s: %s", mutant, (System.nanoTime() - begin) / 1e9,
						(failure != null) ? failure : "SURVIVED"));
			}
			finally {
				this.scripts.restore();
			}
		}
		figures.forEach((script, figure) -> log(
				"%s: %d found, %d explained, %d unexplained".formatted(script, figure[0], figure[1], figure[2])));
		assertThat(unexplained).as("mutants that no test finds, and no row of survivors.md explains").isEmpty();
		if (SAMPLE == 0) {
			assertThat(survivors.wrong(survived, figures.keySet())).as("rows of survivors.md whose mutants are found")
				.isEmpty();
		}
	}

	private static List<ScriptMutant> mutants() {
		List<ScriptMutant> mutants = SentScripts.mutants(SCRIPTS);
		if (SAMPLE == 0) {
			return mutants;
		}
		log("%d of %d mutants, with seed %d".formatted(Math.min(SAMPLE, mutants.size()), mutants.size(), SEED));
		Collections.shuffle(mutants, new Random(SEED));
		return mutants.subList(0, Math.min(SAMPLE, mutants.size()));
	}

	private static List<String> scripts() {
		String names = System.getProperty("mutation.scripts", "");
		return names.isEmpty() ? List.of() : List.of(names.split(","));
	}

	private static void log(String line) {
		try {
			Files.writeString(LOG, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
