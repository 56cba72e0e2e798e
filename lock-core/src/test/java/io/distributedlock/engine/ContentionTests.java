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

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.engine.Waiter.Outcome;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.Grant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Contention}: events in, effects out, without threads, store or time.
 */
class ContentionTests extends EngineFixture {

	private static final LockOptions WAITING = LockOptions.ofLease(Duration.ofSeconds(30))
		.withWaitTime(Duration.ofMinutes(1));

	private static final LockOptions ONE_ATTEMPT = WAITING.withWaitTime(Duration.ZERO);

	private static final AcquireOutcome.Granted GRANTED = new AcquireOutcome.Granted(1, 1);

	private final GateMap.Stripe stripe = this.here.engine().gates().stripe("a");

	private final Gate gate = this.stripe.findOrCreate("a", 1);

	private final Contention contention = new Contention(this.here.engine().instance(), "here", 32,
			Duration.ofMillis(20));

	/** The effects that were asked for, by name. */
	private final List<String> asked = new ArrayList<>();

	private final Effects effects = (Effects) Proxy.newProxyInstance(getClass().getClassLoader(),
			new Class<?>[] { Effects.class }, (proxy, effect, arguments) -> {
				this.asked.add(effect.getName());
				return null;
			});

	@BeforeEach
	void lock() {
		this.stripe.lock.lock();
	}

	@AfterEach
	void unlock() {
		this.stripe.lock.unlock();
	}

	@Test
	void theFirstWaiterAsksTheStoreAndTheSecondStandsInLine() {
		Contender contender = arrive(new TestWaiter());
		arrive(new TestWaiter());
		assertThat(this.gate.contenders()).containsExactly(contender);
		assertThat(this.asked).containsExactly("send");
	}

	@Test
	void aGrantGoesToTheFirstInLineAndTheLeaseIsLookedAt() {
		TestWaiter waiter = new TestWaiter();
		Contender contender = arrive(waiter);
		this.asked.clear();
		this.contention.answered(contender, GRANTED, null, 1, this.effects);
		assertThat(waiter.outcome()).isInstanceOf(Handle.class);
		assertThat(this.gate.contenders()).isEmpty();
		assertThat(this.asked).containsExactly("schedule", "wake");
	}

	@Test
	void grantWithoutAWaiterIsCleanedUp() {
		TestWaiter waiter = new TestWaiter();
		Contender contender = arrive(waiter);
		assertThat(Contention.sent(contender, 1)).isFalse();
		this.contention.leave(this.gate, waiter, Outcome.GivenUp.INTERRUPTED, 1, this.effects);
		this.contention.answered(contender, GRANTED, null, 1, this.effects);
		assertThat(this.asked).containsExactly("send", "cleanUp", "wake", "cleanUp");
	}

	@Test
	@DisplayName("A caller that abandons a request that is not on its way leaves the clean-up to its sender")
	void senderCleansUpAnAbandonedRequest() {
		TestWaiter waiter = new TestWaiter();
		Contender contender = arrive(waiter);
		this.contention.leave(this.gate, waiter, Outcome.GivenUp.INTERRUPTED, 1, this.effects);
		assertThat(this.asked).containsExactly("send", "wake");
		assertThat(Contention.sent(contender, 1)).isTrue();
	}

	@Test
	void lateSenderDoesNotSendTheNextRequest() {
		TestWaiter waiter = new TestWaiter();
		Contender contender = arrive(waiter);
		this.contention.answered(contender, null, new LockUnavailableException("a", "no answer", null), 1,
				this.effects);
		this.contention.due(contender, 2, this.effects);
		assertThat(Contention.sent(contender, 1)).isFalse();
		assertThat(contender.isUnsent()).isTrue();
		// Abandoned now, it is left to its own sender to clean up
		this.contention.leave(this.gate, waiter, Outcome.GivenUp.INTERRUPTED, 3, this.effects);
		assertThat(Contention.sent(contender, 1)).isFalse();
		assertThat(this.asked).containsExactly("send", "schedule", "sendLater", "cancel", "wake");
		assertThat(Contention.sent(contender, 2)).isTrue();
	}

	@Test
	void timedOutWaiterAwaitsTheFirstAnswer() {
		TestWaiter waiter = new TestWaiter();
		Contender contender = arrive(waiter);
		assertThat(this.contention.leave(this.gate, waiter, Outcome.GivenUp.TIMED_OUT, 1, this.effects)).isNull();
		LockUnavailableException failure = new LockUnavailableException("a", "no answer", null);
		this.contention.answered(contender, null, failure, 2, this.effects);
		assertThat(waiter.outcome()).isEqualTo(new Outcome.Failed(failure));
	}

	@Test
	void refusalSettlesSingleAttemptsButNotWaiters() {
		TestWaiter waiting = new TestWaiter();
		Contender contender = arrive(waiting);
		List<Waiter> attempts = List.of(new TestWaiter(ONE_ATTEMPT), new TestWaiter(ONE_ATTEMPT));
		attempts.forEach(this::arrive);
		this.contention.answered(contender, new AcquireOutcome.Busy("other", null), null, 1, this.effects);
		assertThat(attempts).extracting(Waiter::outcome).hasOnlyElementsOfType(Outcome.Busy.class);
		assertThat(this.gate.waiters()).containsExactly(waiting);
		Outcome closed = new Outcome.Failed(new IllegalStateException("closed"));
		this.contention.dismiss(this.gate, closed, this.effects);
		assertThat(waiting.outcome()).isSameAs(closed);
		assertThat(this.asked.stream().filter("wake"::equals)).hasSize(3);
		assertThat(this.gate.isIdle()).isTrue();
	}

	@Test
	void refusalOfOneOfSeveralSettlesSingleAttempts() {
		Gate permits = this.stripe.findOrCreate("a", 2);
		Contender contender = fill(permits);
		TestWaiter leaving = new TestWaiter();
		TestWaiter attempt = new TestWaiter(ONE_ATTEMPT);
		List.of(leaving, attempt).forEach((waiter) -> arrive(permits, waiter));
		this.contention.leave(permits, leaving, Outcome.GivenUp.INTERRUPTED, 1, this.effects);
		askAgain(contender);
		assertThat(attempt.outcome()).isInstanceOf(Outcome.Busy.class);
		TestWaiter alone = new TestWaiter(ONE_ATTEMPT);
		arrive(permits, alone);
		askAgain(contender);
		assertThat(alone.outcome()).isInstanceOf(Outcome.Busy.class);
	}

	@Test
	void refusalOfOneOfSeveralSettlesThoseWhoseTimeIsUp() {
		Gate permits = this.stripe.findOrCreate("a", 2);
		Contender contender = fill(permits);
		List<TestWaiter> late = List.of(new TestWaiter(), new TestWaiter(ONE_ATTEMPT));
		late.forEach((waiter) -> arrive(permits, waiter));
		assertThat(this.contention.leave(permits, late.get(0), Outcome.GivenUp.TIMED_OUT, 1, this.effects)).isNull();
		askAgain(contender);
		assertThat(late).extracting(Waiter::outcome).hasOnlyElementsOfType(Outcome.Busy.class);
	}

	/** Two requests for two permits are under way. */
	private Contender fill(Gate permits) {
		List.of(new TestWaiter(), new TestWaiter()).forEach((waiter) -> arrive(permits, waiter));
		assertThat(permits.contenders()).hasSize(2);
		return permits.contenders().get(0);
	}

	@Test
	void aSingleAttemptGetsTheLastAnswerWhileTheContenderRests() {
		Contender contender = arrive(new TestWaiter());
		this.contention.answered(contender, new AcquireOutcome.Busy("other", null), null, 1, this.effects);
		TestWaiter refused = new TestWaiter(ONE_ATTEMPT);
		arrive(refused);
		assertThat(contender.holder()).isNotNull();
		assertThat(refused.outcome()).isEqualTo(new Outcome.Busy(contender.holder()));
		this.contention.due(contender, 2, this.effects);
		LockUnavailableException failure = new LockUnavailableException("a", "no answer", null);
		this.contention.answered(contender, null, failure, 3, this.effects);
		TestWaiter failed = new TestWaiter(ONE_ATTEMPT);
		arrive(failed);
		assertThat(failed.outcome()).isEqualTo(new Outcome.Failed(failure));
	}

	@Test
	void unansweredRequestMayHaveLengthenedAPushedLease() {
		this.contention.listening();
		Contender contender = arrive(new TestWaiter());
		AcquireRequest request = contender.request(new Random(1));
		assertThat(request.waiting()).isNotNull();
		this.contention.answered(contender, new AcquireOutcome.Busy("other", null), null, 1, this.effects);
		this.contention.due(contender, 2, this.effects);
		this.contention.pushed(this.gate,
				new Grant("a", contender.token, 5, 1, Duration.ofSeconds(3), request.waiting().nonce()), 3,
				this.effects);
		Hold hold = this.gate.holder();
		assertThat(hold).isNotNull();
		assertThat(hold.lease.endsAtLatest()).isLessThan(Duration.ofSeconds(4).toNanos());
		this.contention.answered(contender, null, new LockUnavailableException("a", "no answer", null), 4,
				this.effects);
		assertThat(hold.lease.endsAtLatest()).isEqualTo(4 + Duration.ofSeconds(30).toNanos());
	}

	@Test
	void aGrantThatTheLastRefusalShowsToBeOlderIsNotTaken() {
		this.contention.listening();
		Contender contender = arrive(new TestWaiter());
		long nonce = nonce(contender);
		AcquireOutcome.Busy busy = new AcquireOutcome.Busy("other", null, 1, 1, false, 5);
		this.contention.answered(contender, busy, null, 1, this.effects);
		this.contention.pushed(this.gate, grant(contender, 5, nonce), 2, this.effects);
		assertThat(this.gate.holder()).isNull();
		this.contention.answered(contender, busy, null, 3, this.effects);
		this.contention.pushed(this.gate, grant(contender, 6, nonce), 4, this.effects);
		assertThat(this.gate.holder()).isNotNull();
	}

	@Test
	void aGrantForTheShortLeaseOfAnEarlierWaiterIsNotTaken() {
		this.contention.listening();
		TestWaiter brief = new TestWaiter(WAITING.withLease(Duration.ofSeconds(3)));
		Contender contender = arrive(brief);
		long nonce = nonce(contender);
		arrive(new TestWaiter());
		askAgain(contender);
		this.contention.leave(this.gate, brief, Outcome.GivenUp.INTERRUPTED, 3, this.effects);
		askAgain(contender);
		askAgain(contender);
		this.contention.answered(contender, new AcquireOutcome.Busy("other", null), null, 3, this.effects);
		this.contention.pushed(this.gate, grant(contender, 5, nonce), 4, this.effects);
		assertThat(contender.leaseNanos()).isEqualTo(WAITING.lease().toNanos());
		assertThat(this.gate.holder()).isNull();
	}

	@Test
	void anAbandonedContenderCleansUpOnlyWhatItMayHaveLeft() {
		TestWaiter refused = new TestWaiter();
		this.contention.answered(arrive(refused), new AcquireOutcome.Busy("other", null), null, 1, this.effects);
		this.contention.leave(this.gate, refused, Outcome.GivenUp.INTERRUPTED, 2, this.effects);
		TestWaiter forbidden = new TestWaiter();
		this.contention.answered(arrive(forbidden), null, new LockConfigurationException("a", "no right", null), 3,
				this.effects);
		assertThat(this.asked).doesNotContain("cleanUp");
		TestWaiter unanswered = new TestWaiter();
		this.contention.answered(arrive(unanswered), null, new LockUnavailableException("a", "no answer", null), 4,
				this.effects);
		this.contention.leave(this.gate, unanswered, Outcome.GivenUp.INTERRUPTED, 5, this.effects);
		assertThat(this.asked).contains("cleanUp");
	}

	@Test
	void waiterEntersTheQueueOnceGrantsCanArrive() {
		Contender contender = arrive(new TestWaiter());
		askAgain(contender);
		assertThat(contender.isQueued()).isFalse();
		this.contention.listening();
		askAgain(contender);
		assertThat(contender.isQueued()).isTrue();
	}

	@Test
	void waiterEntersTheQueueAfterASecondIfGrantsCannotArrive() {
		Contender contender = arrive(new TestWaiter());
		for (int request = 1; request < 20; request++) {
			assertThat(contender.isQueued()).isFalse();
			askAgain(contender);
		}
		askAgain(contender);
		assertThat(contender.isQueued()).isTrue();
	}

	private static long nonce(Contender contender) {
		AcquireRequest.Waiting waiting = contender.request(new Random(1)).waiting();
		assertThat(waiting).isNotNull();
		return waiting.nonce();
	}

	private static Grant grant(Contender contender, long fencingToken, long nonce) {
		return new Grant("a", contender.token, fencingToken, 1, Duration.ofSeconds(3), nonce);
	}

	private void askAgain(Contender contender) {
		this.contention.answered(contender, new AcquireOutcome.Busy("other", null), null, 1, this.effects);
		this.contention.due(contender, 2, this.effects);
	}

	private void arrive(Gate gate, Waiter waiter) {
		this.contention.arrive(gate, waiter, null, 0, this.effects);
	}

	private Contender arrive(Waiter waiter) {
		arrive(this.gate, waiter);
		Contender contender = this.gate.contenders().get(0);
		assertThat(contender).isNotNull();
		return contender;
	}

	private static final class TestWaiter extends Waiter {

		TestWaiter() {
			this(WAITING);
		}

		TestWaiter(LockOptions options) {
			super("a", options, null, 0);
		}

		@Override
		void wake() {
		}

	}

}
