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

package io.distributedlock.benchmarks.cell;

import java.time.Duration;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;
import io.distributedlock.benchmarks.fleet.OpenClient;
import io.distributedlock.benchmarks.fleet.WorkerJvm;
import io.distributedlock.benchmarks.redis.CommandCounts;

/**
 * Measures what many waiters of one JVM cost while another JVM holds the lock, and how
 * long it takes to serve them.
 */
public record CrowdCell(Rig rig, Fleets fleets, ThreadKind kind, Plan plan) implements Measurement<CrowdCell.Figures> {

	private static final String LOCK = "crowd";

	/**
	 * Time for Redis to notice that a JVM is gone.
	 */
	private static final Duration DISCONNECT = Duration.ofMillis(200);

	/**
	 * The JVMs are new, so that threads that were never served disturb nobody else.
	 */
	@Override
	public Figures measure(Contestant contestant) {
		this.rig.probe().flush();
		try (Fleet fleet = this.rig.fork(contestant, 2)) {
			WorkerJvm holder = fleet.worker(0);
			WorkerJvm waiters = fleet.worker(1);
			holder.run(new OpenClient(contestant, this.rig.redis()));
			waiters.run(new OpenClient(contestant, this.rig.redis()));
			warmUp(fleet);
			holder.run(new TakeLock(LOCK));
			waiters.run(new GatherCrowd(LOCK, this.plan.size(), this.kind));
			Pause.until(System.nanoTime() + this.plan.settle().toNanos());
			int connections = this.rig.probe().connections();
			double sent = watch().sent(this.fleets.origins(contestant));
			long releasedAt = holder.run(new ReleaseLock());
			Crowd.Served served = waiters.run(new ServeCrowd(this.plan.limit()));
			waiters.close();
			Pause.until(System.nanoTime() + DISCONNECT.toNanos());
			connections -= this.rig.probe().connections();
			return new Figures(sent * 1e9 / this.plan.watch().toNanos(), connections, served.count(),
					(served.count() > 0) ? (served.lastAt() - releasedAt) / 1e6 : Double.NaN);
		}
	}

	// A new JVM is cold: without this, class loading would be measured.
	private void warmUp(Fleet fleet) {
		ContendedShape shape = new ContendedShape(2, ContendedShape.THREADS, Duration.ZERO);
		new ContentionStart(this.rig, shape, this.plan.warmUp()).run(fleet);
	}

	private CommandCounts watch() {
		CommandCounts before = this.rig.probe().commandCounts();
		Pause.until(System.nanoTime() + this.plan.watch().toNanos());
		return this.rig.probe().commandCounts().since(before);
	}

	/**
	 * How many wait, and for how long they are watched.
	 *
	 * @param warmUp how long the JVMs contend before
	 */
	public record Plan(int size, Duration warmUp, Duration settle, Duration watch, Duration limit) {

	}

	/**
	 * The figures of one contestant.
	 *
	 * @param millis from the release to the last of them, in milliseconds, NaN if there
	 * was none
	 */
	public record Figures(double sentPerSecond, int connections, int served, double millis) {

	}

}
