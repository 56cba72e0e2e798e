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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.distributedlock.benchmarks.RunOptions.Part;
import io.distributedlock.benchmarks.cell.Cell;
import io.distributedlock.benchmarks.cell.ContendedCell;
import io.distributedlock.benchmarks.cell.ContendedShape;
import io.distributedlock.benchmarks.cell.CrowdCell;
import io.distributedlock.benchmarks.cell.Fleets;
import io.distributedlock.benchmarks.cell.HandOffCell;
import io.distributedlock.benchmarks.cell.HeapCell;
import io.distributedlock.benchmarks.cell.PairCell;
import io.distributedlock.benchmarks.cell.Rig;
import io.distributedlock.benchmarks.cell.Rounds;
import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.jmh.LocalGate;
import io.distributedlock.testsupport.RedisServer;

/**
 * Measures the contestants in the cells, and prints a table of each. The tables are also
 * written to the file {@code tables.md}.
 */
final class BenchmarkRun {

	private static final Logger logger = LoggerFactory.getLogger(BenchmarkRun.class);

	private final Rig rig;

	private final RunOptions options;

	private final Effort effort;

	private final StringBuilder text = new StringBuilder();

	private final List<String> violations = new ArrayList<>();

	private BenchmarkRun(Rig rig, RunOptions options) {
		this.rig = rig;
		this.options = options;
		this.effort = options.effort();
	}

	public static void main(String[] args) throws Exception {
		RunOptions options = RunOptions.parse(args);
		Path directory = Files.createDirectories(options.directory());
		try (RedisServer redis = RedisServer.start()) {
			new BenchmarkRun(new Rig(redis, directory), options).run();
		}
		catch (Exception | Error ex) {
			// What is measured here may have replaced the error stream
			logger.error("The run failed", ex);
			throw ex;
		}
	}

	private void run() throws IOException, RunnerException {
		long began = System.nanoTime();
		print("%s; %d x %s; Java %s; %s\n".formatted(LocalDate.now(), Runtime.getRuntime().availableProcessors(),
				System.getProperty("os.arch"), Runtime.version(), this.rig.version()));
		for (Part part : this.options.parts()) {
			measure(part);
		}
		logger.info("The run took {} s", Duration.ofNanos(System.nanoTime() - began).toSeconds());
		if (!this.violations.isEmpty()) {
			throw new IllegalStateException(String.join("\n", this.violations));
		}
	}

	private void measure(Part part) throws IOException, RunnerException {
		switch (part) {
			case CONTENDED -> contended(ContendedShape.ALONE);
			case COMPANY -> {
				contended(ContendedShape.IN_COMPANY);
				pair(3);
				pair(Integer.MAX_VALUE);
			}
			case UNCONTENDED -> pair(1);
			case HAND_OFF -> handOff();
			case CROWD -> crowd();
			case HEAP -> heap();
			case OWN_COSTS -> ownCosts();
		}
	}

	private void contended(List<ContendedShape> shapes) throws IOException {
		try (Fleets fleets = new Fleets(this.rig, ContendedCell.JVMS,
				ContendedCell.warmUp(this.rig, shapes, this.effort.warmUp()))) {
			for (ContendedShape shape : shapes) {
				table(new ContendedCell(this.rig, shape, shape.length(this.effort.contended())), this.effort.rounds(),
						fleets);
			}
		}
	}

	private void pair(int holders) throws IOException {
		PairCell cell = new PairCell(this.rig, holders, this.effort.pair());
		try (Fleets fleets = new Fleets(this.rig, 1, cell::warmUp)) {
			table(cell, this.effort.pairRounds(), fleets);
		}
	}

	private void handOff() throws IOException {
		HandOffCell cell = new HandOffCell(this.rig, this.effort.handOff());
		try (Fleets fleets = new Fleets(this.rig, HandOffCell.JVMS, cell::warmUp)) {
			table(cell, this.effort.handOffRounds(), fleets);
		}
	}

	private <F> void table(Cell<F> cell, int rounds, Fleets fleets) throws IOException {
		List<Contestant> contestants = contestants(cell);
		fleets.warmUp(contestants);
		table(Rounds.interleaved(cell, rounds, contestants, (contestant) -> fleets.measure(cell, contestant)));
	}

	/** Threads that were never served must disturb nobody else. */
	private void crowd() throws IOException {
		CrowdCell cell = new CrowdCell(this.rig, this.effort.crowd());
		once(cell, new Fleets(this.rig, CrowdCell.JVMS, cell::warmUp));
	}

	private void heap() throws IOException {
		once(new HeapCell(this.rig, this.effort.heldLocks()), new Fleets(this.rig, 1, (contestant, fleet) -> {
		}));
	}

	private <F> void once(Cell<F> cell, Fleets fleets) throws IOException {
		table(Rounds.interleaved(cell, 1, contestants(cell), (contestant) -> fleets.measureOnce(cell, contestant)));
	}

	private List<Contestant> contestants(Cell<?> cell) {
		return this.options.contestants().stream().filter(cell.contestants()::contains).toList();
	}

	private void table(Rounds<?> rounds) throws IOException {
		print(rounds.table());
		this.violations.addAll(rounds.violations());
	}

	private void print(String table) throws IOException {
		System.out.println(table);
		this.text.append(table).append('\n');
		Files.writeString(this.options.directory().resolve("tables.md"), this.text);
	}

	/** JMH prints its own table. */
	private void ownCosts() throws RunnerException {
		TimeValue time = TimeValue.milliseconds(this.effort.jmh().toMillis());
		new Runner(new OptionsBuilder().include(LocalGate.class.getPackageName())
			.forks(1)
			.warmupIterations(2)
			.warmupTime(time)
			.measurementIterations(3)
			.measurementTime(time)
			.addProfiler(GCProfiler.class)
			.shouldFailOnError(true)
			.build()).run();
	}

}
