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

package io.distributedlock.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.distributedlock.LockEvent;
import io.distributedlock.LockOptions;
import io.distributedlock.LossCause;
import io.distributedlock.kinds.Shows;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.LeadershipEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Leaders in JVMs of their own resign, are killed, and stand still. All read the one
 * monotonic clock of this machine.
 */
@Timeout(300)
class LeaderTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	/**
	 * A lock is handed off for three seconds, until its holder has asked for its lease.
	 */
	private static final Duration EARLIEST = Duration.ofSeconds(1);

	private static final int ROUNDS = 2;

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	private final List<RemoteInstance> candidates = new ArrayList<>();

	private Path file;

	private LeaderWitness witness;

	@Test
	@Shows("Leader killed, paused, or cut off (exclusive lock)")
	void thereIsOneLeaderAndSoonAnother(@TempDir Path directory) {
		this.file = directory.resolve("witness");
		this.witness = LeaderWitness.open(this.file);
		IntStream.range(0, 3).mapToObj((i) -> candidate()).forEach(this.candidates::add);
		this.candidates.forEach(this::stand);
		awaitNext(0);
		for (int round = 0; round < ROUNDS; round++) {
			RemoteInstance leader = leader();
			long token = this.witness.token();
			long before = System.nanoTime();
			leader.send("resign", "leader");
			leader.answer("resign leader");
			// Two thirds of the lease are left
			assertThat(awaitNext(token, before)).as("resigned").isLessThan(LEASE.dividedBy(2));
			lead(leader);

			leader = leader();
			token = this.witness.token();
			before = System.nanoTime();
			leader.freeze();
			assertThat(awaitNext(token, before)).as("stands still").isBetween(EARLIEST, succession());
			leader.thaw();

			leader = leader();
			token = this.witness.token();
			before = System.nanoTime();
			leader.kill();
			this.candidates.remove(leader);
			assertThat(awaitNext(token, before)).as("killed").isBetween(EARLIEST, succession());
			RemoteInstance next = candidate();
			this.candidates.add(next);
			stand(next);
		}
		assertThat(this.witness.violations()).isZero();
		assertThat(this.witness.observations()).isGreaterThan(1_000);
	}

	@Test
	void leaderLearnsOfARestartWithoutDataBeforeItsNextRenewal() {
		Instance here = bed.instance("here");
		List<LeadershipEvent.Revoked> revoked = new CopyOnWriteArrayList<>();
		// The next renewal is minutes away
		Leadership leadership = new LeaderElection(here.locks).campaign("restart",
				LockOptions.ofLease(Duration.ofMinutes(10)));
		leadership.onRevoked(revoked::add);
		await().until(leadership::isLeader);
		long first = leadership.handle().orElseThrow().fencingToken();
		bed.awaitInbox(here);
		bed.server().restart();
		await().until(() -> revoked.size() == 1);
		assertThat(revoked.get(0).fencingToken()).isEqualTo(first);
		assertThat(revoked.get(0).loss()).extracting(LockEvent.Lost::cause).isEqualTo(LossCause.KEY_VANISHED);
		await().until(leadership::isLeader);
		assertThat(leadership.handle().orElseThrow().fencingToken()).isGreaterThan(first);
		leadership.close();
	}

	@AfterEach
	void end() {
		this.candidates.forEach(RemoteInstance::close);
	}

	/** A candidate looks once a second; the rest is for a busy machine. */
	private static Duration succession() {
		return LEASE.plusSeconds(1).plus(TestBed.SOON);
	}

	private static RemoteInstance candidate() {
		return RemoteInstance.start(bed.server(), "candidate", RemoteCandidateMain.class);
	}

	private void stand(RemoteInstance candidate) {
		lead(candidate.awaitReady());
	}

	private void lead(RemoteInstance candidate) {
		candidate.send("lead", "leader", LEASE.toMillis(), this.file);
		candidate.answer("lead leader");
	}

	private RemoteInstance leader() {
		this.witness.forgetLeader();
		await().until(() -> this.witness.leader() != 0);
		long pid = this.witness.leader();
		return this.candidates.stream().filter((candidate) -> candidate.pid() == pid).findFirst().orElseThrow();
	}

	private void awaitNext(long token) {
		await().until(() -> this.witness.token() > token);
	}

	private Duration awaitNext(long token, long since) {
		await().atMost(succession())
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.until(() -> this.witness.token() > token);
		return Duration.ofNanos(System.nanoTime() - since);
	}

}
