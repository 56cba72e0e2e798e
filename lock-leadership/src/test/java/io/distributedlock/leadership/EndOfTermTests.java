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
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.LockOptions;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A term ends in two ways at the same time, while one of its callbacks blocks. Nobody
 * gives up waiting, so whatever waits for itself never ends.
 */
@Timeout(20)
@ExtendWith(OutputCaptureExtension.class)
class EndOfTermTests extends LeadershipFixture {

	/** A twentieth, for which the end waits for callbacks of the beginning, is short. */
	private static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofSeconds(3));

	private final CountDownLatch goingOn = new CountDownLatch(1);

	private final List<String> calls = new CopyOnWriteArrayList<>();

	EndOfTermTests() {
		super(Duration.ofHours(1));
	}

	@AfterEach
	void goOn() {
		this.goingOn.countDown();
	}

	static Stream<Arguments> pairs() {
		return Arrays.stream(Blocked.values())
			.flatMap((blocked) -> Arrays.stream(End.values())
				.flatMap((one) -> Arrays.stream(End.values()).map((other) -> Arguments.of(blocked, one, other))));
	}

	@ParameterizedTest
	@MethodSource("pairs")
	void endingThreadsWaitAndTheNextLeaderBeginsAfterTheCallbacks(Blocked blocked, End one, End other) {
		Leadership leader = leader(blocked);
		Leadership next = this.second.campaign(NAME, OPTIONS,
				(leadership) -> leadership.onElected((handle) -> this.calls.add("next")));
		await().until(() -> this.there.waiting().size() == 1);
		Thread ending = start(() -> one.accept(this, leader));
		await().until(() -> this.calls.contains("stop"));
		Thread endingAsWell = start(() -> other.accept(this, leader));
		// After a loss, nothing is gained by waiting for what works on
		boolean lost = one == End.LOSS || (other == End.LOSS && blocked == Blocked.START);
		boolean waits = other.closes && !(lost && blocked == Blocked.START);
		await().until(() -> endingAsWell.getState() == Thread.State.TERMINATED
				|| (waits && endingAsWell.getState() == Thread.State.TIMED_WAITING));
		assertThat(endingAsWell.isAlive()).as("waits").isEqualTo(waits);
		assertThat(leader.isLeader()).isFalse();
		if (one == End.LOSS || other == End.LOSS) {
			await().until(next::isLeader);
		}
		else {
			assertThat(this.here.isLocked(NAME)).isTrue();
			assertThat(this.calls).doesNotContain("next", "returned");
		}

		this.goingOn.countDown();
		await().until(() -> !ending.isAlive() && !endingAsWell.isAlive());
		await().until(() -> this.calls.contains("next"));
		await().until(() -> this.calls.contains("returned"));
		if (one != End.LOSS && other != End.LOSS) {
			assertThat(this.calls.indexOf("returned")).isLessThan(this.calls.indexOf("next"));
		}
		assertThat(this.calls).containsOnlyOnce("start", "stop");
		assertThat(this.first.candidacies()).hasSize((one.closes || other.closes) ? 0 : 1);
	}

	/**
	 * Its own thread ends the term, or another one does at the same time.
	 */
	static Stream<Arguments> callbacksThatEndTheTerm() {
		return Arrays.stream(Blocked.values())
			.flatMap((callback) -> Stream.of(End.STEP_DOWN, End.CLOSE, End.CLOSE_ELECTION)
				.flatMap((own) -> Stream.of(End.values()).map((other) -> Arguments.of(callback, own, other))));
	}

	@ParameterizedTest
	@MethodSource("callbacksThatEndTheTerm")
	void aCallbackDoesNotWaitForItself(Blocked callback, End own, End other) {
		CountDownLatch called = new CountDownLatch(1);
		AtomicInteger returned = new AtomicInteger();
		Consumer<Leadership> ending = (leadership) -> {
			called.countDown();
			awaitUninterruptibly(this.goingOn);
			own.accept(this, leadership);
			returned.incrementAndGet();
		};
		Leadership leader = this.first.campaign(NAME, OPTIONS, (leadership) -> {
			leadership.onElected((handle) -> {
				if (callback == Blocked.START) {
					ending.accept(leadership);
				}
				this.calls.add("elected");
			});
			leadership.onRevoked((event) -> {
				if (callback == Blocked.STOP) {
					ending.accept(leadership);
				}
			});
		});
		if (callback == Blocked.STOP) {
			await().until(() -> this.calls.contains("elected"));
		}
		else {
			awaitUninterruptibly(called);
		}
		Thread another = start(() -> other.accept(this, leader));
		awaitUninterruptibly(called);
		this.goingOn.countDown();
		await().until(() -> returned.get() > 0 && !another.isAlive());
		leader.close();
		await().untilAsserted(() -> assertThat(this.here.held()).isEmpty());
	}

	@ParameterizedTest
	@EnumSource(value = End.class, names = "LOSS", mode = EnumSource.Mode.EXCLUDE)
	void endlessWorkKeepsTheLeadershipForALimitedTime(End end, CapturedOutput output) {
		try (LeaderElection election = new LeaderElection(this.here, List.of(), Duration.ofMillis(100))) {
			Leadership leader = election.campaign(NAME, OPTIONS, (leadership) -> leadership.onElected((handle) -> {
				this.calls.add("start");
				awaitUninterruptibly(this.goingOn);
			}));
			await().until(() -> this.calls.contains("start"));
			Leadership next = this.second.campaign(NAME, OPTIONS);
			end.accept(election, leader);
			await().until(next::isLeader);
			assertThat(output)
				.contains("A callback of onElected of the leadership 'scheduler' has not returned within 100ms");
			assertThat(leader.isLeader()).isFalse();
		}
	}

	@Test
	void interruptedThreadWaitsForTheCallbacks() {
		Leadership leader = leader(Blocked.STOP);
		Thread ending = start(leader::stepDown);
		await().until(() -> this.calls.contains("stop"));
		Thread closing = start(() -> {
			Thread.currentThread().interrupt();
			leader.close();
			this.calls.add("closed, interrupted: " + Thread.currentThread().isInterrupted());
		});
		await().until(() -> closing.getState() == Thread.State.TIMED_WAITING || !closing.isAlive());
		this.goingOn.countDown();
		await().until(() -> !closing.isAlive() && !ending.isAlive());
		assertThat(this.calls).containsSubsequence("returned", "closed, interrupted: true");
	}

	/**
	 * Its first term only has a callback that blocks.
	 */
	private Leadership leader(Blocked blocked) {
		CountDownLatch working = new CountDownLatch(1);
		AtomicInteger terms = new AtomicInteger();
		Leadership leader = this.first.campaign(NAME, OPTIONS, (leadership) -> leadership.onElected((handle) -> {
			if (terms.incrementAndGet() == 1) {
				this.calls.add("start");
				working.countDown();
				block(blocked == Blocked.START);
			}
		}, (event) -> {
			if (terms.get() == 1) {
				this.calls.add("stop");
				block(blocked == Blocked.STOP);
			}
		}));
		awaitUninterruptibly(working);
		return leader;
	}

	private void block(boolean blocks) {
		if (blocks) {
			awaitUninterruptibly(this.goingOn);
			this.calls.add("returned");
		}
	}

	private static Thread start(Runnable task) {
		Thread thread = new Thread(task);
		thread.start();
		return thread;
	}

	private void lose() {
		this.store.find(NAME).join().ifPresent((lock) -> this.store.forceRelease(NAME, lock.holder()).join());
		// Until the next renewal, which the holder learns it from
		pass(Duration.ofMillis(1200));
	}

	/** The callback that blocks. */
	enum Blocked {

		START, STOP

	}

	/** A way in which a term ends. */
	enum End {

		STEP_DOWN(false), LOSS(false), CLOSE(true), CLOSE_ELECTION(true);

		private final boolean closes;

		End(boolean closes) {
			this.closes = closes;
		}

		void accept(EndOfTermTests test, Leadership leader) {
			if (this == LOSS) {
				test.lose();
				return;
			}
			accept(test.first, leader);
		}

		void accept(LeaderElection election, Leadership leader) {
			switch (this) {
				case STEP_DOWN -> leader.stepDown();
				case CLOSE -> leader.close();
				case CLOSE_ELECTION -> election.close();
				default -> throw new IllegalStateException();
			}
		}

	}

}
