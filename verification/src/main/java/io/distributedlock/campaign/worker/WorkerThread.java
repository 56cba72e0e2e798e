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

package io.distributedlock.campaign.worker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * Makes one attempt after the other while it may.
 */
final class WorkerThread implements Runnable {

	private final Bench bench;

	private final Traffic traffic;

	private final Workloads.Pace pace;

	private final RandomGenerator random;

	WorkerThread(Bench bench, Traffic traffic, Workloads.Pace pace, RandomGenerator random) {
		this.bench = bench;
		this.traffic = traffic;
		this.pace = pace;
		this.random = random;
	}

	@Override
	public void run() {
		while (this.traffic.enter()) {
			try {
				makeAttempt();
			}
			finally {
				this.traffic.leave();
			}
			LockSupport.parkNanos(this.random.nextLong(TimeUnit.MILLISECONDS.toNanos(4)));
		}
	}

	private void makeAttempt() {
		int kind = Workloads.draw(this.pace, this.random);
		Attempt attempt = new Attempt(this.bench.journal(), this.bench.ids(), kind, Workloads.label(kind), this.random);
		attempt.make(() -> Workloads.ALL.get(kind).workload().run(this.bench, attempt));
	}

}
