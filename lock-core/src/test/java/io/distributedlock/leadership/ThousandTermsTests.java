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

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
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
		leader.link = Link.CUT;
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
		leader.link = Link.CUT;
		leader.paused = true;
		awaitSuccessor(leader, SUCCESSION);
		assertThat(leader.leadership.isLeader()).isFalse();
		leader.link = Link.WHOLE;
		leader.paused = false;
		pass(Duration.ofSeconds(2));
		assertThat(leader.leadership.isLeader()).isFalse();
	}

	private void cut(Member leader) {
		leader.link = Link.CUT;
		awaitSuccessor(leader, SUCCESSION);
		leader.link = Link.WHOLE;
		pass(Duration.ofSeconds(2));
	}

	/**
	 * The store carries out what the leader asks for, which learns nothing of it.
	 */
	private void deafen(Member leader) {
		leader.link = Link.DEAF;
		pass(LEASE);
		assertThat(leader.leadership.isLeader()).isFalse();
		leader.link = Link.WHOLE;
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

	private enum Link {

		WHOLE,

		/** Commands do not arrive. */
		CUT,

		/** Commands are carried out, their answers do not arrive. */
		DEAF

	}

	/**
	 * An instance of an application.
	 */
	private final class Member implements AutoCloseable {

		private final LockStore store = (LockStore) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { LockStore.class }, (proxy, method, arguments) -> call(method, arguments));

		private final LockStore connected = ThousandTermsTests.this.table.connect();

		private final DefaultLockService locks = new DefaultLockService(this.store,
				EngineSettings.of("instance-" + ThousandTermsTests.this.started++), List.of(),
				ThousandTermsTests.this.ticker::nanos);

		private final LeaderElection election = new LeaderElection(this.locks);

		private volatile Link link = Link.WHOLE;

		private boolean paused;

		private Leadership leadership;

		Member() {
			stand();
		}

		private void stand() {
			this.leadership = this.election.campaign("thousand", LockOptions.ofLease(LEASE));
		}

		private Object call(Method method, Object[] arguments) throws Throwable {
			boolean command = method.getReturnType() == CompletableFuture.class || method.getReturnType() == List.class;
			if (method.getName().equals("listen")) {
				arguments[1] = new Inbox((GrantListener) arguments[1]);
			}
			Object answer = (command && this.link == Link.CUT) ? null : invoke(method, arguments);
			if (!command || this.link == Link.WHOLE) {
				return answer;
			}
			CompletableFuture<AcquireOutcome> failed = CompletableFuture
				.failedFuture(new LockUnavailableException("thousand", "The network is " + this.link + ".", null));
			return (method.getReturnType() == List.class)
					? ((List<?>) arguments[0]).stream().map((each) -> failed).toList() : failed;
		}

		private Object invoke(Method method, Object[] arguments) throws Throwable {
			try {
				return method.invoke(this.connected, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getCause();
			}
		}

		@Override
		public void close() {
			this.link = Link.WHOLE;
			this.election.close();
			this.locks.close();
		}

		/**
		 * Loses the messages that arrive while the network is not whole.
		 */
		private final class Inbox implements GrantListener {

			private final GrantListener listener;

			Inbox(GrantListener listener) {
				this.listener = listener;
			}

			@Override
			public void granted(Grant grant) {
				if (Member.this.link == Link.WHOLE) {
					this.listener.granted(grant);
				}
			}

			@Override
			public void revoked(String name, LockToken token) {
				if (Member.this.link == Link.WHOLE) {
					this.listener.revoked(name, token);
				}
			}

			@Override
			public void subscribed() {
				this.listener.subscribed();
			}

		}

	}

}
