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

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.campaign.history.Event;
import io.distributedlock.internal.DaemonThread;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.LeadershipEvent;
import org.jspecify.annotations.Nullable;

/**
 * Stands for all leaderships. One thread asks {@code isLeader()} again and again, and
 * writes down the terms: from after the first answer that was true to before the last. So
 * it does with the callbacks for their ends.
 */
final class Candidates {

	private static final long LOOK = TimeUnit.MICROSECONDS.toNanos(500);

	/** Not every look is written down. */
	private static final long WRITE = TimeUnit.MILLISECONDS.toNanos(5);

	/** A leader steps down every ten seconds or so. */
	private static final int LOOKS_OF_A_TERM = 20_000;

	/** Longer than the locks are kept at a shutdown. */
	private static final Duration FAREWELL = Duration.ofMillis(1200);

	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private final Bench bench;

	private final LeaderElection election;

	/** How many callbacks for the end of a term were called. */
	private final Semaphore farewells = new Semaphore(0);

	private volatile Duration farewell = Duration.ofMillis(1);

	private final RandomGenerator random;

	private List<Candidate> standing = List.of();

	private @Nullable Thread looker;

	private volatile boolean over;

	Candidates(Bench bench, LeaderElection election, RandomGenerator random) {
		this.bench = bench;
		this.election = election;
		this.random = random;
	}

	/**
	 * Stand, unless this does so already.
	 */
	void stand() {
		if (this.looker != null) {
			return;
		}
		this.over = false;
		this.standing = LockNames.leaderships().mapToObj(Candidate::new).toList();
		Thread looker = new DaemonThread(this::look, "campaign-leadership");
		looker.start();
		this.looker = looker;
	}

	/**
	 * Resign, and return when somebody else may lead.
	 */
	void resign() throws InterruptedException {
		Thread looker = this.looker;
		if (looker != null) {
			this.over = true;
			looker.join();
			this.standing.forEach(Candidate::resign);
			this.looker = null;
		}
	}

	/**
	 * Have the leaders of this worker step down, and do something while their callbacks
	 * have not returned.
	 */
	void resignBeside(Runnable closing) throws InterruptedException {
		Thread looker = this.looker;
		if (looker == null) {
			closing.run();
			return;
		}
		this.over = true;
		looker.join();
		this.farewell = FAREWELL;
		this.farewells.drainPermits();
		List<Thread> resigning = this.standing.stream().filter(Candidate::leads).map(Candidate::stepDown).toList();
		this.farewells.tryAcquire(resigning.size(), PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
		closing.run();
		for (Thread thread : resigning) {
			thread.join();
		}
		this.standing.stream().filter(Candidate::leads).forEach(Candidate::finish);
		this.looker = null;
	}

	private void look() {
		while (!this.over) {
			this.standing.forEach(Candidate::look);
			LockSupport.parkNanos(LOOK);
		}
	}

	/**
	 * Stands for one leadership.
	 */
	private final class Candidate {

		private final int name;

		private final Leadership leadership;

		/** Zero if there is no term. */
		private long hold;

		private long token;

		/** The last look that was true. */
		private long seen;

		private long written;

		private Candidate(int name) {
			this.name = name;
			this.leadership = Candidates.this.election.campaign(LockNames.text(name),
					LockOptions.ofLease(LockNames.lease(name)).withDeclaredName("campaign"),
					(leadership) -> leadership.onRevoked(this::revoked));
		}

		private void revoked(LeadershipEvent.Revoked event) {
			write(Event.Type.REVOKING, event.fencingToken(), event.loss());
			Candidates.this.farewells.release();
			try {
				TimeUnit.NANOSECONDS.sleep(Candidates.this.farewell.toNanos());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			write(Event.Type.REVOKED, event.fencingToken(), null);
		}

		private void write(Event.Type type, long token, LockEvent.@Nullable Lost loss) {
			Candidates.this.bench.journal()
				.write(new Event(type, 0, this.name, 0, 0, System.nanoTime(), token, 0, (loss != null) ? 1 : 0,
						Workloads.LEADERSHIP, (loss != null) ? Event.detail(loss.cause()) : 0));
		}

		private boolean leads() {
			return this.hold != 0;
		}

		private Thread stepDown() {
			writeOfTerm(Event.Type.RELEASING, System.nanoTime(), 0);
			Thread thread = new DaemonThread(this.leadership::stepDown, "campaign-resignation");
			thread.start();
			return thread;
		}

		private void look() {
			long before = System.nanoTime();
			if (!this.leadership.isLeader()) {
				end();
				return;
			}
			OptionalLong token = this.leadership.handle().stream().mapToLong(LockHandle::fencingToken).findFirst();
			if (token.isEmpty()) {
				// The clock says that the term has just ended
				end();
				return;
			}
			if (this.hold == 0 || token.getAsLong() != this.token) {
				end();
				begin(token.getAsLong());
				return;
			}
			this.seen = before;
			if (before - this.written >= WRITE) {
				writeSeen();
			}
			if (Candidates.this.random.nextInt(LOOKS_OF_A_TERM) == 0) {
				writeOfTerm(Event.Type.RELEASING, System.nanoTime(), 0);
				this.leadership.stepDown();
				finish();
			}
		}

		private void begin(long token) {
			this.token = token;
			this.hold = Candidates.this.bench.ids().incrementAndGet();
			this.seen = System.nanoTime();
			this.written = this.seen;
			writeOfTerm(Event.Type.ELECTED, this.seen, LockNames.lease(this.name).toNanos());
		}

		private void writeSeen() {
			this.written = this.seen;
			writeOfTerm(Event.Type.CHECKED, this.seen, 0);
		}

		private void end() {
			if (this.hold != 0) {
				writeSeen();
				writeOfTerm(Event.Type.LOST, System.nanoTime(), 0);
				finish();
			}
		}

		private void finish() {
			writeOfTerm(Event.Type.RELEASED, System.nanoTime(), 0);
			this.hold = 0;
		}

		private void resign() {
			if (this.hold != 0) {
				writeOfTerm(Event.Type.RELEASING, System.nanoTime(), 0);
			}
			this.leadership.close();
			if (this.hold != 0) {
				finish();
			}
		}

		/** The handle is not asked how long the term lasts: nothing is promised. */
		private void writeOfTerm(Event.Type type, long at, long amount) {
			long token = (type == Event.Type.ELECTED) ? this.token : 0;
			Candidates.this.bench.journal()
				.write(new Event(type, 0, this.name, 0, this.hold, at, token, at, amount, Workloads.LEADERSHIP, 0));
		}

	}

}
