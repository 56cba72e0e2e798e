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
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
import io.distributedlock.benchmarks.cell.PairCell;
import io.distributedlock.benchmarks.cell.Rig;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.cell.SignCell;
import io.distributedlock.benchmarks.cell.ThreadKind;
import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.jmh.MicroBenchmark;
import io.distributedlock.benchmarks.jmh.OwnCosts;
import io.distributedlock.benchmarks.redis.RedisProbe;
import io.distributedlock.benchmarks.report.FloorCheck;
import io.distributedlock.benchmarks.report.Machine;
import io.distributedlock.benchmarks.report.Report;
import io.distributedlock.benchmarks.report.Results;
import io.distributedlock.benchmarks.report.ServerFigures;
import io.distributedlock.benchmarks.scale.ScaleFigures;
import io.distributedlock.benchmarks.startup.StartUps;
import io.distributedlock.testsupport.RedisServer;

/**
 * Measures every contestant in every cell and writes the report.
 */
final class BenchmarkRun {

	private static final Logger logger = LoggerFactory.getLogger(BenchmarkRun.class);

	/** Which executable the test support starts. */
	private static final String SERVER = "lock.test.redis.server";

	private final Rig rig;

	private final Effort effort;

	private final RunOptions options;

	private BenchmarkRun(Rig rig, Effort effort, RunOptions options) {
		this.rig = rig;
		this.effort = effort;
		this.options = options;
	}

	public static void main(String[] args) throws Exception {
		try {
			run(RunOptions.parse(args));
		}
		catch (Exception | Error ex) {
			// What is measured here may have replaced the error stream
			logger.error("The run failed", ex);
			throw ex;
		}
	}

	private static void run(RunOptions options) throws Exception {
		Effort effort = Effort.named(options.mode());
		Path directory = Files.createDirectories(options.directory());
		long began = System.nanoTime();
		Results results;
		try (RedisServer redis = RedisServer.start(); RedisProbe probe = new RedisProbe(redis)) {
			Machine machine = Machine.observe(probe.version());
			// First, in a heap in which nothing else has been
			ScaleFigures scale = options.measures(Part.SCALE)
					? ScaleFigures.measure(redis, probe, directory, effort.scaleDivisor()) : null;
			StartUps startUps = StartUps.measure(redis.url(), directory,
					options.measures(Part.START_UP) ? effort.startUps() : 0);
			List<ServerFigures> servers = measureServers(options, effort.ofServers(), directory);
			results = new BenchmarkRun(new Rig(URI.create(redis.url()), probe, directory), effort, options)
				.measure(startUps, scale, servers);
			write(options.output(), new Report(machine, options.mode()).markdown(results));
		}
		logger.info("The run took {} s", (System.nanoTime() - began) / 1_000_000_000);
		List<String> violations = new FloorCheck(results.handOff()).violations();
		if (!violations.isEmpty()) {
			throw new IllegalStateException(String.join("\n", violations));
		}
	}

	private static List<ServerFigures> measureServers(RunOptions options, Effort effort, Path directory)
			throws InterruptedException {
		Set<Contestant> measured = EnumSet.copyOf(ServerFigures.MEASURED);
		measured.retainAll(options.contestants());
		RunOptions few = options.withContestants(measured);
		List<ServerFigures> figures = new ArrayList<>();
		for (Path executable : options.servers()) {
			try (RedisServer server = start(executable); RedisProbe probe = new RedisProbe(server)) {
				logger.info("On {}", probe.version());
				figures.add(new BenchmarkRun(new Rig(URI.create(server.url()), probe, directory), effort, few)
					.measureServer());
			}
		}
		return figures;
	}

	private static RedisServer start(Path executable) {
		String before = System.getProperty(SERVER);
		System.setProperty(SERVER, executable.toString());
		try {
			return RedisServer.start();
		}
		finally {
			if (before != null) {
				System.setProperty(SERVER, before);
			}
			else {
				System.clearProperty(SERVER);
			}
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

	private Results measure(StartUps startUps, @Nullable ScaleFigures scale, List<ServerFigures> servers)
			throws InterruptedException {
		Fleets fleets = new Fleets(this.rig, this.effort.warmUp(), ContendedShape.CELLS);
		Map<ContendedShape, Rounds<ContendedFigures>> contended;
		Map<ContendedShape, Rounds<ContendedFigures>> company;
		try (fleets) {
			contended = contended(fleets, Part.CONTENDED, ContendedShape.CELLS, Contestant.locks());
		}
		try (Fleets others = new Fleets(this.rig, this.effort.warmUp(), ContendedShape.IN_COMPANY)) {
			company = contended(others, Part.COMPANY, ContendedShape.IN_COMPANY, Contestant.inCompany());
		}
		return new Results(contended, company, companyPairs(), uncontended(), signs(), ownCosts(), handOff(),
				crowds(fleets), heap(), startUps, scale, servers);
	}

	private ServerFigures measureServer() throws InterruptedException {
		Rounds<ContendedFigures> contended;
		ContendedShape shape = ContendedShape.OF_FOUR;
		try (Fleets fleets = new Fleets(this.rig, this.effort.warmUp(), List.of(shape))) {
			contended = contended(fleets, Part.CONTENDED, List.of(shape), Contestant.locks()).getOrDefault(shape,
					Rounds.none());
		}
		return new ServerFigures(this.rig.probe().version(), uncontended(), contended, handOff());
	}

	private Map<ContendedShape, Rounds<ContendedFigures>> contended(Fleets fleets, Part part,
			List<ContendedShape> shapes, List<Contestant> contestants) throws InterruptedException {
		Map<ContendedShape, Rounds<ContendedFigures>> cells = new LinkedHashMap<>();
		if (!this.options.measures(part)) {
			return cells;
		}
		List<Contestant> chosen = chosen(part, contestants);
		fleets.warmUp(chosen);
		for (ContendedShape shape : shapes) {
			cells.put(shape, Rounds.interleaved("Contended, " + shape.label(), this.effort.rounds(), chosen,
					new ContendedCell(this.rig, fleets, shape, shape.length(this.effort.contended()))));
		}
		return cells;
	}

	private Map<Integer, Rounds<PairCell.Figures>> companyPairs() throws InterruptedException {
		Map<Integer, Rounds<PairCell.Figures>> pairs = new LinkedHashMap<>();
		if (this.options.measures(Part.COMPANY)) {
			for (int holders : List.of(3, Integer.MAX_VALUE)) {
				pairs.put(holders, pairs(holders, chosen(Part.COMPANY, Contestant.inCompany())));
			}
		}
		return pairs;
	}

	private Rounds<PairCell.Figures> uncontended() throws InterruptedException {
		return pairs(1, chosen(Part.UNCONTENDED, Contestant.uncontended()));
	}

	private Rounds<PairCell.Figures> pairs(int holders, List<Contestant> contestants) throws InterruptedException {
		try (PairCell cell = new PairCell(this.rig, holders, this.effort.pair())) {
			cell.warmUp(contestants);
			return Rounds.interleaved("Uncontended pair", this.effort.pairRounds(), contestants, cell);
		}
	}

	private Rounds<SignCell.Signs> signs() throws InterruptedException {
		return Rounds.interleaved("Signs of life", 1, chosen(Part.UNCONTENDED, List.of(Contestant.DISTRIBUTED_LOCK)),
				new SignCell(this.rig, this.effort.signs()));
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
