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

package io.distributedlock.benchmarks;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.benchmarks.RunOptions.Part;
import io.distributedlock.benchmarks.cell.ContendedCell;
import io.distributedlock.benchmarks.cell.ContendedFigures;
import io.distributedlock.benchmarks.cell.ContendedShape;
import io.distributedlock.benchmarks.cell.CrowdCell;
import io.distributedlock.benchmarks.cell.Fleets;
import io.distributedlock.benchmarks.cell.HandOffCell;
import io.distributedlock.benchmarks.cell.HeapCell;
import io.distributedlock.benchmarks.cell.Rig;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.cell.ThreadKind;
import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.jmh.MicroBenchmark;
import io.distributedlock.benchmarks.jmh.OwnCosts;
import io.distributedlock.benchmarks.jmh.UncontendedCell;
import io.distributedlock.benchmarks.redis.RedisProbe;
import io.distributedlock.benchmarks.report.FloorCheck;
import io.distributedlock.benchmarks.report.Machine;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Results;
import io.distributedlock.testsupport.RedisServer;

/**
 * Measures every contestant in every cell and writes the report.
 */
final class BenchmarkRun {

	private static final Logger logger = LoggerFactory.getLogger(BenchmarkRun.class);

	private final Rig rig;

	private final Effort effort;

	private final RunOptions options;

	private BenchmarkRun(Rig rig, Effort effort, RunOptions options) {
		this.rig = rig;
		this.effort = effort;
		this.options = options;
	}

	/**
	 * Runs the benchmarks.
	 * @param args see {@link RunOptions}
	 * @throws Exception if the run failed
	 */
	public static void main(String[] args) throws Exception {
		RunOptions options = RunOptions.parse(args);
		Effort effort = Effort.named(options.mode());
		Path directory = Files.createDirectories(options.directory());
		long began = System.nanoTime();
		Results results;
		try (RedisServer redis = RedisServer.start(); RedisProbe probe = new RedisProbe(redis)) {
			Machine machine = Machine.observe(probe.version());
			results = new BenchmarkRun(new Rig(URI.create(redis.url()), probe, directory), effort, options).measure();
			write(options.output(), new Report(machine, options.mode()).markdown(results));
		}
		logger.info("The run took {} s", (System.nanoTime() - began) / 1_000_000_000);
		List<String> violations = new FloorCheck(results.handOff()).violations();
		if (!violations.isEmpty()) {
			throw new IllegalStateException(String.join("\n", violations));
		}
	}

	private static void write(@Nullable Path output, String text) throws IOException {
		if (output == null) {
			System.out.println(text);
			return;
		}
		Files.createDirectories(output.toAbsolutePath().getParent());
		Files.writeString(output, text);
	}

	private Results measure() throws InterruptedException {
		Fleets fleets = new Fleets(this.rig, this.effort.warmUp());
		Map<ContendedShape, Rounds<ContendedFigures>> contended;
		Rounds<ContendedFigures> alone;
		try (fleets) {
			contended = contended(fleets);
			alone = alone(fleets);
		}
		return new Results(contended, alone, uncontended(), ownCosts(), handOff(), crowds(fleets), heap());
	}

	private Map<ContendedShape, Rounds<ContendedFigures>> contended(Fleets fleets) throws InterruptedException {
		Map<ContendedShape, Rounds<ContendedFigures>> cells = new LinkedHashMap<>();
		if (!this.options.measures(Part.CONTENDED)) {
			return cells;
		}
		for (ContendedShape shape : ContendedShape.CELLS) {
			cells.put(shape,
					Rounds.interleaved("Contended, " + shape.label(), this.effort.rounds(),
							chosen(Part.CONTENDED, Contestant.locks()),
							new ContendedCell(this.rig, fleets, shape, shape.length(this.effort.contended()))));
		}
		return cells;
	}

	private Rounds<ContendedFigures> alone(Fleets fleets) throws InterruptedException {
		return Rounds.interleaved("Commands of an uncontended pair", 1, chosen(Part.UNCONTENDED, Contestant.locks()),
				new ContendedCell(this.rig, fleets, ContendedShape.ALONE, this.effort.contended().dividedBy(2)));
	}

	private Rounds<Double> uncontended() throws InterruptedException {
		return Rounds.interleaved("Uncontended pair", this.effort.jmhRounds(),
				chosen(Part.UNCONTENDED, this.effort.uncontended()),
				new UncontendedCell(microBenchmark(), this.rig.redis()));
	}

	private OwnCosts ownCosts() throws InterruptedException {
		return OwnCosts.measure(this.options.measures(Part.OWN_COSTS) ? this.effort.jmhRounds() : 0, microBenchmark());
	}

	private Rounds<HandOffCell.Latencies> handOff() throws InterruptedException {
		List<Contestant> contestants = chosen(Part.HAND_OFF, Contestant.handedOver());
		try (HandOffCell cell = new HandOffCell(this.rig, this.effort.handOff())) {
			cell.warmUp(contestants);
			return Rounds.interleaved("Hand-off", this.effort.handOffRounds(), contestants, cell);
		}
	}

	private Map<ThreadKind, Rounds<CrowdCell.Figures>> crowds(Fleets fleets) throws InterruptedException {
		Map<ThreadKind, Rounds<CrowdCell.Figures>> crowds = new EnumMap<>(ThreadKind.class);
		if (!this.options.measures(Part.CROWD)) {
			return crowds;
		}
		for (ThreadKind kind : ThreadKind.available()) {
			crowds.put(kind,
					Rounds.interleaved("Crowd of waiters, " + kind.label(), 1, chosen(Part.CROWD, this.effort.forked()),
							new CrowdCell(this.rig, fleets, kind, this.effort.crowd())));
		}
		return crowds;
	}

	private Rounds<Double> heap() throws InterruptedException {
		return Rounds.interleaved("Heap of held locks", 1, chosen(Part.HEAP, this.effort.forked()),
				new HeapCell(this.rig, this.effort.heldLocks()));
	}

	private MicroBenchmark microBenchmark() {
		return new MicroBenchmark(this.effort.jmhWarmUp(), this.effort.jmh(), this.rig.directory().resolve("jmh.log"));
	}

	private List<Contestant> chosen(Part part, List<Contestant> contestants) {
		return contestants.stream()
			.filter((contestant) -> this.options.measures(part))
			.filter(this.options.contestants()::contains)
			.filter(this.effort.contestants()::contains)
			.toList();
	}

}
