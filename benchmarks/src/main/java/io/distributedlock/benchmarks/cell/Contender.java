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
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.benchmarks.contestant.LockClient;
import io.distributedlock.benchmarks.contestant.LockClient.Hold;

/**
 * One thread that takes the lock as often as it can.
 */
final class Contender implements Callable<Turns.Count> {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration WAIT = Duration.ofSeconds(60);

	private final LockClient client;

	private final Contend contend;

	private final Board board;

	private final int limit;

	Contender(LockClient client, Contend contend, Board board, int limit) {
		this.client = client;
		this.contend = contend;
		this.board = board;
		this.limit = limit;
	}

	@Override
	public Turns.Count call() {
		Turns turns = Turns.begin(this.contend, this.board, this.limit);
		while (turns.areLeft()) {
			try {
				take(turns);
			}
			catch (Exception ex) {
				turns.failed(ex);
			}
		}
		return turns.count();
	}

	private void take(Turns turns) throws Exception {
		long asked = System.nanoTime();
		Hold hold = acquire();
		long got = System.nanoTime();
		try {
			long seen = turns.enter();
			if (!this.contend.section().isZero()) {
				LockSupport.parkNanos(this.contend.section().toNanos());
			}
			turns.leave(seen);
		}
		finally {
			hold.close();
		}
		turns.took(asked, got);
	}

	private Hold acquire() throws Exception {
		return (this.contend.company() == Company.NONE) ? this.client.acquire(this.contend.lock(), LEASE, WAIT)
				: this.client.join(this.contend.lock(), this.limit, LEASE, WAIT);
	}

}
