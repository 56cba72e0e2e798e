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

package io.distributedlock.leadership;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.distributedlock.LockOptions;
import io.distributedlock.engine.ControlledStore;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.testsupport.SettableTicker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A thousand leaders end, each in one of several ways, on one clock that the test moves:
 * at no instant do two candidates say that they lead. While the clock stands still, all
 * of them can be asked at one instant.
 */
@Timeout(300)
class ThousandTermsTests {

	private static final int ROUNDS = 1_000;

	private static final int INSTANCES = 3;

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final Duration STEP = Duration.ofMillis(250);

	/** Candidates look once a second, and the clock moves in steps. */
	private static final Duration SUCCESSION = LEASE.plusSeconds(1).plus(STEP);

	private final SettableTicker ticker = new SettableTicker();

	private final InMemoryLockStore table = new InMemoryLockStore(this.ticker::nanos);

	private final List<Member> members = new ArrayList<>();

	/** Those that were killed: nobody must ask them any more, but we do. */
	private final List<Member> dead = new ArrayList<>();

	private final Random random = new Random(20261122);

	private int started;

	@BeforeEach
	void stand() {
		for (int i = 0; i < INSTANCES; i++) {
			this.members.add(new Member());
		}
	}

	@AfterEach
	void close() {
		Stream.concat(this.members.stream(), this.dead.stream()).forEach(Member::close);
	}

	@Test
	void thereAreNeverTwoLeadersAndSoonAnother() {
		long token = 0;
		awaitSuccessor(null, Duration.ZERO);
		for (int round = 0; round < ROUNDS; round++) {
			Member leader = leader();
			assertThat(leader).as("round " + round).isNotNull();
			assertThat(leader.leadership.fencingToken()).as("round " + round).isGreaterThan(token);
			token = leader.leadership.fencingToken();
			pass(Duration.ofMillis(this.random.nextInt(12_000)));
			assertThat(leader.leadership.isLeader()).as("renewed, round " + round).isTrue();
			switch (round % 5) {
				case 0 -> kill(leader);
				case 1 -> pause(leader);
				case 2 -> cut(leader);
				case 3 -> deafen(leader);
				default -> resign(leader);
			}
		}
	}

	private void kill(Member leader) {
		leader.cut();
		leader.paused = true;
		this.members.remove(leader);
		this.dead.add(leader);
		awaitSuccessor(leader, SUCCESSION);
		if (this.dead.size() > INSTANCES) {
			this.dead.remove(0).close();
		}
		this.members.add(new Member());
	}

	/**
	 * The instance stands still, and goes on when another one leads.
	 */
	private void pause(Member leader) {
		leader.cut();
		leader.paused = true;
		awaitSuccessor(leader, SUCCESSION);
		assertThat(leader.leadership.isLeader()).isFalse();
		leader.reconnect();
		leader.paused = false;
		pass(Duration.ofSeconds(2));
		assertThat(leader.leadership.isLeader()).isFalse();
	}

	private void cut(Member leader) {
		leader.cut();
		awaitSuccessor(leader, SUCCESSION);
		leader.reconnect();
		pass(Duration.ofSeconds(2));
	}

	/**
	 * The store carries out what the leader asks for, which learns nothing of it.
	 */
	private void deafen(Member leader) {
		leader.connect(ControlledStore.Mode.LOSE_ANSWERS, ControlledStore.Grants.LOSE);
		pass(LEASE);
		assertThat(leader.leadership.isLeader()).isFalse();
		leader.reconnect();
		awaitSuccessor(null, SUCCESSION);
	}

	private void resign(Member leader) {
		leader.leadership.close();
		assertThat(leader.leadership.isLeader()).isFalse();
		// The clock stands still
		awaitSuccessor(leader, Duration.ZERO);
		leader.stand();
	}

	/**
	 * Let time pass, but not more than a limit, until another one leads.
	 */
	private void awaitSuccessor(Member former, Duration limit) {
		for (Duration passed = Duration.ZERO; passed.compareTo(limit) < 0
				&& !isSucceeded(former); passed = passed.plus(STEP)) {
			pass(STEP);
		}
		await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> isSucceeded(former));
	}

	private boolean isSucceeded(Member former) {
		Member leader = leader();
		return leader != null && leader != former;
	}

	/**
	 * Return who leads at this instant, and assert that it is only one.
	 */
	private Member leader() {
		List<Member> leaders = Stream.concat(this.members.stream(), this.dead.stream())
			.filter((member) -> member.leadership.isLeader())
			.toList();
		assertThat(leaders).hasSizeLessThan(2);
		return leaders.isEmpty() ? null : leaders.get(0);
	}

	private void pass(Duration time) {
		long end = this.ticker.nanos() + time.toNanos();
		while (this.ticker.nanos() < end) {
			this.ticker.advance(Duration.ofNanos(Math.min(STEP.toNanos(), end - this.ticker.nanos())));
			leader();
			for (Member member : this.members) {
				if (!member.paused) {
					member.locks.catchUp();
				}
			}
			leader();
		}
	}

	/**
	 * An instance of an application.
	 */
	private final class Member implements AutoCloseable {

		private final ControlledStore store = new ControlledStore(ThousandTermsTests.this.table.connect());

		private final DefaultLockService locks = new DefaultLockService(this.store,
				EngineSettings.of("instance-" + ThousandTermsTests.this.started++), List.of(),
				ThousandTermsTests.this.ticker::nanos);

		private final LeaderElection election = new LeaderElection(this.locks);

		private boolean paused;

		private Leadership leadership;

		Member() {
			stand();
		}

		private void stand() {
			this.leadership = this.election.campaign("thousand", LockOptions.ofLease(LEASE));
		}

		private void cut() {
			connect(ControlledStore.Mode.FAIL, ControlledStore.Grants.LOSE);
		}

		private void reconnect() {
			connect(ControlledStore.Mode.ANSWER, ControlledStore.Grants.DELIVER);
		}

		private void connect(ControlledStore.Mode commands, ControlledStore.Grants grants) {
			this.store.mode(commands);
			this.store.grants(grants);
		}

		@Override
		public void close() {
			reconnect();
			this.election.close();
			this.locks.close();
		}

	}

}
