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

package io.distributedlock.engine.schedules;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

import kotlin.Unit;
import org.jspecify.annotations.Nullable;
import org.pastalab.fray.core.TestRunner;
import org.pastalab.fray.core.ThreadContext;
import org.pastalab.fray.core.command.Configuration;
import org.pastalab.fray.core.command.ExecutionInfo;
import org.pastalab.fray.core.command.LambdaExecutor;
import org.pastalab.fray.core.command.NetworkDelegateType;
import org.pastalab.fray.core.command.SystemTimeDelegateType;
import org.pastalab.fray.core.randomness.ControlledRandom;
import org.pastalab.fray.core.randomness.Randomness;
import org.pastalab.fray.core.randomness.RandomnessProvider;
import org.pastalab.fray.core.scheduler.PCTScheduler;
import org.pastalab.fray.core.scheduler.POSScheduler;
import org.pastalab.fray.core.scheduler.Scheduler;

/**
 * Plays a scenario in many schedules: Fray runs one thread at a time, and its random
 * numbers decide at each lock, volatile field, park and interrupt which one goes on. A
 * seed and the number of a schedule give the same schedule again.
 *
 * <p>
 * A thread that waits for some time goes on only when no other thread can, and the clock
 * of the JVM follows the number of its readings.
 */
final class Schedules {

	/** No scenario takes a tenth of it, unless its threads wake each other for ever. */
	private static final int MOST_STEPS = 200_000;

	private static final int MOST_SECONDS = 1200;

	private static final long NANOS_PER_READING = 100_000;

	private Schedules() {
	}

	/**
	 * Play schedules until one fails.
	 * @param first the number of the first schedule
	 * @param count how many schedules to play at most
	 */
	static Outcome play(Runnable scenario, long seed, int first, int count) {
		// Initializes classes, which would be steps of the first schedule only
		run(scenario, seed, -1, 1);
		return run(scenario, seed, first, count);
	}

	private static Outcome run(Runnable scenario, long seed, int first, int count) {
		AtomicLong number = new AtomicLong(first);
		RandomnessProvider chance = () -> new ControlledRandom(new ArrayList<>(), new ArrayList<>(),
				new Random(seed * 1_000_003 + number.getAndIncrement()));
		List<Boolean> ended = new ArrayList<>();
		LambdaExecutor executor = new LambdaExecutor(() -> {
			scenario.run();
			ended.add(true);
			return Unit.INSTANCE;
		});
		PrintStream out = System.out;
		System.setOut(new PrintStream(OutputStream.nullOutputStream()));
		try {
			Configuration configuration = new Configuration(new ExecutionInfo(executor, false, false, MOST_STEPS),
					Path.of("target/schedules"), count, MOST_SECONDS, new Mixed(chance.getRandomness()), chance, false,
					false, true, false, false, false, NetworkDelegateType.NONE, SystemTimeDelegateType.MOCK,
					NANOS_PER_READING, true, true, false, false, false, false, null);
			Throwable failure = new TestRunner(configuration).run();
			int played = configuration.getCurrentIteration();
			if (failure == null && ended.size() < played) {
				failure = new AssertionError("A schedule does not end within " + MOST_STEPS + " steps");
			}
			return new Outcome(first + played, failure);
		}
		finally {
			System.setOut(out);
		}
	}

	/**
	 * Half of the schedules draw the priority of a thread again when it comes across
	 * another one. The others keep priorities but at two steps, so that a thread may stop
	 * where others do a lot meanwhile.
	 */
	private static final class Mixed extends Scheduler {

		private static final int SWITCHES = 2;

		private static final int STEPS = 256;

		private static final int MOST_IN_A_ROW = 500;

		private final Scheduler chosen;

		private @Nullable ThreadContext latest;

		private int inARow;

		Mixed(Randomness chance) {
			super(chance);
			this.chosen = (chance.nextInt() % 2 == 0) ? new POSScheduler(chance)
					: new PCTScheduler(chance, SWITCHES, STEPS);
		}

		@Override
		public ThreadContext scheduleNextOperation(List<ThreadContext> threads, Collection<ThreadContext> all) {
			ThreadContext next = this.chosen.scheduleNextOperation(threads, all);
			this.inARow = (next == this.latest) ? this.inARow + 1 : 0;
			if (this.inARow > MOST_IN_A_ROW) {
				// It waits for another one in a loop
				this.inARow = 0;
				next = threads.get(nextInt() % threads.size());
			}
			this.latest = next;
			return next;
		}

		@Override
		public Scheduler nextIteration(Randomness chance) {
			return new Mixed(chance);
		}

	}

	/**
	 * What came of it.
	 *
	 * @param number the number of the schedule that failed, or of the next one
	 */
	record Outcome(int number, @Nullable Throwable failure) {

	}

}
