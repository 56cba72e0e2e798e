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

package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.LeaseExtension;

/**
 * Sends renewals in batches. A lease that is due waits for others, a twentieth of its
 * renewal interval at most, until a batch is full; so many leases cost few commands and a
 * single one is still renewed in time.
 */
final class Renewals extends Timed {

	static final int BATCH = 100;

	private static final int SLACK = 20;

	private static final long LONGEST_SLACK = Duration.ofMillis(500).toNanos();

	private static final long ADJUSTMENT_SLACK = Duration.ofMillis(20).toNanos();

	private final Core core;

	private final Extensions extensions;

	private final ReentrantLock lock = new ReentrantLock();

	private List<Lease> waiting = new ArrayList<>();

	private long flushAt;

	Renewals(Core core, Extensions extensions) {
		this.core = core;
		this.extensions = extensions;
	}

	/**
	 * Renew a lease soon; one that is short, or was not confirmed yet, sooner.
	 */
	void add(Lease lease, long interval) {
		long slack = Math.min(interval / SLACK, LONGEST_SLACK);
		long flush = this.core.now() + (lease.isAdjusting() ? Math.min(slack, ADJUSTMENT_SLACK) : slack);
		this.lock.lock();
		try {
			this.waiting.add(lease);
			if (this.waiting.size() >= BATCH) {
				flush();
			}
			else if (this.waiting.size() == 1 || flush < this.flushAt) {
				this.flushAt = flush;
				this.core.timer().schedule(this, flush);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	void fire(long now) {
		this.lock.lock();
		try {
			if (!this.waiting.isEmpty()) {
				flush();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void flush() {
		List<Lease> batch = this.waiting;
		this.waiting = new ArrayList<>();
		this.core.timer().cancel(this);
		this.core.threads().io(() -> send(batch));
	}

	private void send(List<Lease> batch) {
		long sentAt = this.core.now();
		List<Lease> leases = new ArrayList<>(batch.size());
		List<LeaseExtension> requests = new ArrayList<>(batch.size());
		for (Lease lease : batch) {
			LeaseExtension request = this.extensions.prepare(lease, sentAt);
			if (request != null) {
				leases.add(lease);
				requests.add(request);
			}
		}
		if (requests.isEmpty()) {
			return;
		}
		List<CompletableFuture<ExtendOutcome>> answers = this.core.store().extend(requests);
		for (int i = 0; i < leases.size(); i++) {
			Lease lease = leases.get(i);
			LeaseExtension request = requests.get(i);
			answers.get(i)
				.whenComplete((outcome, failure) -> this.extensions.answered(lease, sentAt, request, outcome, failure));
		}
	}

}
