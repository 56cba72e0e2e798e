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
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;
import io.distributedlock.OnLost;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.internal.WorkUnderLock;
import io.distributedlock.leadership.LeaderElection.Candidacy;
import io.distributedlock.leadership.LeadershipEvent.Elected;
import io.distributedlock.leadership.LeadershipEvent.Revoked;
import io.distributedlock.leadership.LeadershipEvent.Standing;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LeaderElection}, on a clock that the test moves.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class LeaderElectionTests extends LeadershipFixture {

	private static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofSeconds(10));

	/** Before the end of the lease in the store. */
	private static final Duration DEADLINE = Duration.ofMillis(8_900);

	LeaderElectionTests() {
		super(Duration.ofSeconds(30));
	}

	@Test
	void nextCandidateLeadsAsSoonAsTheLeaderResigns() {
		Leadership leader = leader(this.first);
		Leadership next = this.second.campaign(NAME, OPTIONS);
		pass(Duration.ofSeconds(30));
		assertThat(leader.isLeader()).isTrue();
		assertThat(next.isLeader()).isFalse();
		long token = leader.fencingToken();
		assertThat(this.first.candidacies()).singleElement().satisfies((candidacy) -> {
			assertThat(candidacy.name()).isEqualTo(NAME);
			assertThat(candidacy.declaredName()).isEqualTo(NAME);
			assertThat(candidacy.leader()).isTrue();
			assertThat(candidacy.fencingToken()).isEqualTo(token);
			assertThat(candidacy.remaining()).isPositive();
		});
		assertThat(this.second.candidacies()).singleElement().satisfies((candidacy) -> {
			assertThat(candidacy.name()).isEqualTo(NAME);
			assertThat(candidacy.leader()).isFalse();
			assertThat(candidacy.fencingToken()).isZero();
			assertThat(candidacy.remaining()).isZero();
		});

		leader.close();
		assertThat(leader.isLeader()).isFalse();
		assertThatIllegalStateException().isThrownBy(leader::fencingToken).withMessageContaining("'scheduler'");
		await().until(next::isLeader);
		assertThat(next.fencingToken()).isGreaterThan(token);
		assertThat(this.first.candidacies()).isEmpty();
		await().untilAsserted(() -> assertThat(this.events).containsExactly(new Standing(NAME),
				new Elected(NAME, token), new Revoked(NAME, token, null)));
	}

	@Test
	void onRevokedIsCalledOnceEvenIfTheLeaderResignsImmediately() {
		for (int i = 0; i < 200; i++) {
			AtomicInteger ends = new AtomicInteger();
			Leadership leader = this.first.campaign(NAME, OPTIONS,
					(leadership) -> leadership.onRevoked((event) -> ends.incrementAndGet()));
			while (!leader.isLeader()) {
				Thread.onSpinWait();
			}
			leader.close();
			assertThat(ends).hasValue(1);
		}
		assertThat(this.events).filteredOn(Revoked.class::isInstance)
			.hasSameSizeAs(this.events.stream().filter(Elected.class::isInstance).toList());
	}

	/** For the watchdog, which looks at least once a second, the clock stands still. */
	@Test
	void leaderStopsLeadingByTheClockAloneAndBecomesACandidateAgain() throws InterruptedException {
		Thread test = Thread.currentThread();
		AtomicLong ahead = new AtomicLong();
		AtomicBoolean forAll = new AtomicBoolean();
		try (DefaultLockService own = new DefaultLockService(this.store.connect(), EngineSettings.of("own"), List.of(),
				() -> this.ticker.nanos() + ((forAll.get() || Thread.currentThread() == test) ? ahead.get() : 0));
				LeaderElection election = new LeaderElection(own)) {
			Leadership leader = leader(election);
			BlockingQueue<Revoked> revoked = new LinkedBlockingQueue<>();
			leader.onRevoked(revoked::add);
			ahead.set(DEADLINE.toNanos());
			assertThat(leader.isLeader()).isFalse();
			assertThat(leader.handle()).isEmpty();
			assertThat(this.here.isLocked(NAME)).as("the store still keeps the lock").isTrue();
			assertThat(revoked).as("nobody else has looked at the clock yet").isEmpty();

			forAll.set(true);
			own.catchUp();
			Revoked event = revoked.poll(20, TimeUnit.SECONDS);
			assertThat(event).isNotNull();
			assertThat(event.loss()).isNotNull();
			this.ticker.advance(Duration.ofSeconds(11));
			own.catchUp();
			awaitLeader(leader);
			assertThat(leader.fencingToken()).isGreaterThan(event.fencingToken());
		}
	}

	@Test
	void anOperatorTakesTheLeadership() throws InterruptedException {
		Leadership leader = leader(this.first);
		pass(Duration.ofSeconds(1));
		BlockingQueue<Revoked> revoked = new LinkedBlockingQueue<>();
		leader.onRevoked(revoked::add);
		Leadership next = this.second.campaign(NAME, OPTIONS);
		this.store.forceRelease(NAME, this.store.find(NAME).join().orElseThrow().holder()).join();
		awaitLeader(next);
		Revoked event = revoked.poll(20, TimeUnit.SECONDS);
		assertThat(event).isNotNull();
		assertThat(event.loss()).isNotNull().satisfies((loss) -> assertThat(loss.cause()).isEqualTo(LossCause.FORCED));
		next.close();
		awaitLeader(leader);
	}

	@Test
	void aTermIsLimitedByTheMaximumHold() {
		Leadership leader = leader(this.first, OPTIONS.withMaxHold(Duration.ofSeconds(20)));
		Leadership next = this.second.campaign(NAME, OPTIONS);
		pass(Duration.ofSeconds(25));
		awaitLeader(next);
		assertThat(leader.isLeader()).isFalse();
	}

	@Test
	void leaderSteppingDownQueuesBehindOtherCandidates() {
		Leadership leader = leader(this.first);
		Leadership next = this.second.campaign(NAME, OPTIONS);
		await().until(() -> this.there.waiting().size() == 1);
		pass(Duration.ofSeconds(1));
		leader.stepDown();
		assertThat(leader.isLeader()).isFalse();
		await().until(next::isLeader);
		await().until(() -> this.here.waiting().size() == 1);
		next.stepDown();
		await().until(leader::isLeader);
	}

	@Test
	void callbacksAreToldInOrderAndTheirFailuresAreNotPassedOn() {
		List<String> calls = new CopyOnWriteArrayList<>();
		Leadership leader = leader(this.first);
		leader.onElected((handle) -> {
			throw new IllegalStateException("expected by the test");
		});
		leader.onElected((handle) -> {
			calls.add("elected " + handle.isHeld());
			// Without effect on the leadership
			handle.close();
		});
		leader.onRevoked((event) -> calls.add("revoked " + leader.isLeader() + " " + this.here.isLocked(NAME)));
		leader.onRevoked((event) -> {
			throw new AssertionError("expected by the test");
		});
		leader.onRevoked((event) -> calls.add("revoked"));
		await().until(() -> calls.size() == 1);
		assertThat(leader.isLeader()).isTrue();
		leader.close();
		assertThat(calls).containsExactly("elected true", "revoked false true", "revoked");
		assertThat(this.here.isLocked(NAME)).isFalse();
	}

	@Test
	void onElectedCallbacksRunOneAfterTheOtherIncludingLateCallbacks() {
		List<String> calls = new CopyOnWriteArrayList<>();
		CountDownLatch going = new CountDownLatch(1);
		Leadership leader = this.first.campaign(NAME, OPTIONS, (leadership) -> {
			leadership.onRevoked((event) -> calls.add("revoked"));
			leadership.onElected((handle) -> calls.add("first"));
			leadership.onElected((handle) -> {
				calls.add("second");
				awaitUninterruptibly(going);
			});
		});
		await().until(() -> calls.size() == 2);
		leader.onElected((handle) -> calls.add("third"));
		leader.onElected((handle) -> leader.onElected((again) -> calls.add("fifth")));
		leader.onElected((handle) -> calls.add("fourth"));
		await().during(Duration.ofMillis(200)).until(() -> calls.size() == 2);
		going.countDown();
		await().until(() -> calls.size() == 5);
		leader.close();
		assertThat(calls).containsExactly("first", "second", "third", "fourth", "fifth", "revoked");
	}

	@Test
	void stopIsCalledForStartedCallbacksOnly(CapturedOutput output) {
		List<String> calls = new CopyOnWriteArrayList<>();
		AtomicBoolean once = new AtomicBoolean(true);
		Leadership leader = this.first.campaign(NAME, OPTIONS, (leadership) -> {
			leadership.onElected((handle) -> calls.add("start 1"), (event) -> calls.add("stop 1"));
			leadership.onElected((handle) -> {
				if (once.getAndSet(false)) {
					leadership.stepDown();
				}
			});
			leadership.onElected((handle) -> calls.add("start 2"), (event) -> calls.add("stop 2"));
			leadership.onRevoked((event) -> calls.add("revoked"));
		});
		await().until(() -> calls.contains("start 2"));
		assertThat(calls).containsExactly("start 1", "stop 1", "revoked", "start 1", "start 2");
		calls.clear();
		leader.close();
		assertThat(calls).containsExactly("stop 1", "stop 2", "revoked");
		assertThat(output).as("the callback that stepped down has returned").doesNotContain("has not returned");
	}

	/**
	 * At any moment between the grant and the first callback.
	 */
	@Test
	void onRevokedIsCalledOnlyAfterOnElected() {
		for (int i = 0; i < 300; i++) {
			List<Object> calls = new CopyOnWriteArrayList<>();
			Leadership leader = this.first.campaign(NAME, OPTIONS, (leadership) -> {
				leadership.onRevoked(calls::add);
				leadership.onElected(calls::add);
			});
			while (!leader.isLeader()) {
				Thread.onSpinWait();
			}
			LockSupport.parkNanos(i * 500L);
			leader.close();
			assertThat(calls.size()).isLessThanOrEqualTo(2);
			assertThat(this.events).filteredOn((event) -> event instanceof Revoked)
				.hasSameSizeAs(this.events.stream().filter((event) -> event instanceof Elected).toList());
			this.events.clear();
		}
	}

	@Test
	void callersCannotCloseTheHandleOfTheLeader() {
		Leadership leader = leader(this.first);
		LockHandle handle = leader.handle().orElseThrow();
		handle.close();
		WorkUnderLock.discard(handle);
		handle.release();
		assertThat(handle.releaseAsync()).isCompleted();
		assertThat(WorkUnderLock.discardAsync(handle)).isCompleted();
		handle.detach().assertHeld();
		LockHandle another = leader.handle().orElseThrow();
		assertThat(another.isHeld()).isTrue();
		assertThat(another.state()).isEqualTo(LockState.HELD);
		assertThat(another.remaining()).isPositive();
		assertThat(this.here.reenter(another, OPTIONS)).hasValueSatisfying((inner) -> {
			inner.close();
			assertThat(inner.isHeld()).isFalse();
		});
		assertThat(leader.isLeader()).isTrue();
		assertThat(this.here.isLocked(NAME)).isTrue();
		another.extend(Duration.ofSeconds(10));
		assertThat(another.remaining()).isGreaterThan(Duration.ofSeconds(15));
		leader.close();
		assertThat(another.state()).isEqualTo(LockState.RELEASED);
		assertThatIllegalStateException().isThrownBy(another::assertHeld);
		assertThat(this.here.isLocked(NAME)).isFalse();
	}

	@Test
	void workThatLooksAtItsHandleEndsBeforeTheOthersAreTold() {
		List<String> calls = new CopyOnWriteArrayList<>();
		Leadership leader = this.first.campaign(NAME, OPTIONS.withLease(Duration.ofHours(1)));
		CountDownLatch working = new CountDownLatch(1);
		AtomicBoolean once = new AtomicBoolean(true);
		leader.onElected((handle) -> {
			working.countDown();
			while (once.get() && handle.isHeld()) {
				Thread.onSpinWait();
			}
			if (once.getAndSet(false)) {
				assertThat(handle.remaining()).isZero();
				assertThatIllegalStateException().isThrownBy(handle::assertHeld).withMessageContaining("resigned");
				calls.add("returned");
			}
		});
		leader.onRevoked((event) -> calls.add("revoked"));
		awaitUninterruptibly(working);
		leader.stepDown();
		assertThat(calls).containsExactly("returned", "revoked");
	}

	@Test
	void theEndOfTheElectionWaitsForCallbacksButNotForEver(CapturedOutput output) {
		LeaderElection election = new LeaderElection(this.here, List.of(), Duration.ofMillis(200));
		Leadership leader = leader(election);
		CountDownLatch returns = new CountDownLatch(1);
		leader.onRevoked((event) -> awaitUninterruptibly(returns));
		election.close();
		assertThat(output).contains("The leadership 'scheduler' did not end within 200ms");
		assertThat(leader.isLeader()).isFalse();
		assertThat(this.here.isLocked(NAME)).as("until the work has stopped").isTrue();
		election.close();
		returns.countDown();
		await().until(() -> !this.here.isLocked(NAME));
	}

	@Test
	void runningCallbackDelaysTheNextTermButNotTheEnd(CapturedOutput output) throws InterruptedException {
		Leadership leader = this.first.campaign(NAME, OPTIONS);
		BlockingQueue<LockHandle> terms = new LinkedBlockingQueue<>();
		CountDownLatch returns = new CountDownLatch(1);
		leader.onElected((handle) -> {
			terms.add(handle);
			awaitUninterruptibly(returns);
		});
		BlockingQueue<Revoked> revoked = new LinkedBlockingQueue<>();
		leader.onRevoked(revoked::add);
		LockHandle term = terms.poll(20, TimeUnit.SECONDS);
		this.ticker.advance(Duration.ofSeconds(11));
		this.here.catchUp();
		assertThat(revoked.poll(20, TimeUnit.SECONDS)).isNotNull();
		assertThat(term.isHeld()).isFalse();
		assertThat(terms.poll(300, TimeUnit.MILLISECONDS)).isNull();
		assertThat(this.here.waiting()).isEmpty();
		assertThat(output).contains("A callback of the leadership 'scheduler' has not returned");

		returns.countDown();
		assertThat(terms.poll(20, TimeUnit.SECONDS)).isNotNull();
		assertThat(leader.isLeader()).isTrue();
	}

	@Test
	void blockedLossCallbackDoesNotStopTheNextCandidacy() throws InterruptedException {
		CountDownLatch returns = new CountDownLatch(1);
		BlockingQueue<LockHandle> terms = new LinkedBlockingQueue<>();
		BlockingQueue<Revoked> revoked = new LinkedBlockingQueue<>();
		Leadership leader = this.first.campaign(NAME, OPTIONS, (leadership) -> {
			leadership.onElected((handle) -> {
				handle.onLost((loss) -> awaitUninterruptibly(returns));
				terms.add(handle);
			});
			leadership.onRevoked(revoked::add);
		});
		try {
			assertThat(terms.poll(20, TimeUnit.SECONDS)).isNotNull();
			this.ticker.advance(Duration.ofSeconds(11));
			this.here.catchUp();
			assertThat(revoked.poll(20, TimeUnit.SECONDS)).isNotNull();
			awaitLeader(leader);
		}
		finally {
			returns.countDown();
		}
	}

	@Test
	void callbacksAreCalledWithTheClassLoaderOfTheApplication() throws InterruptedException {
		Thread thread = Thread.currentThread();
		ClassLoader usual = thread.getContextClassLoader();
		ClassLoader own = new ClassLoader(usual) {
		};
		BlockingQueue<ClassLoader> loaders = new LinkedBlockingQueue<>();
		thread.setContextClassLoader(own);
		LeaderElection election = new LeaderElection(this.here,
				List.of((event) -> loaders.add(Thread.currentThread().getContextClassLoader())));
		thread.setContextClassLoader(usual);
		try (election) {
			election.campaign(NAME, OPTIONS,
					(leadership) -> leadership.onElected(
							(handle) -> loaders.add(Thread.currentThread().getContextClassLoader()),
							(event) -> loaders.add(Thread.currentThread().getContextClassLoader())));
			for (int i = 0; i < 3; i++) {
				assertThat(loaders.poll(20, TimeUnit.SECONDS)).isSameAs(own);
			}
			this.ticker.advance(Duration.ofSeconds(11));
			this.here.catchUp();
			assertThat(loaders.poll(20, TimeUnit.SECONDS)).isSameAs(own);
			assertThat(loaders.poll(20, TimeUnit.SECONDS)).isSameAs(own);
			assertThat(thread.getContextClassLoader()).isSameAs(usual);
		}
	}

	@Test
	void callbacksThatAreRegisteredInEachTermAreReported(CapturedOutput output) {
		AtomicInteger terms = new AtomicInteger();
		Leadership leader = this.first.campaign(NAME, OPTIONS, (leadership) -> leadership.onElected((handle) -> {
			leadership.onRevoked((event) -> {
			});
			if (terms.incrementAndGet() < 101) {
				leadership.stepDown();
			}
		}));
		await().until(() -> terms.get() == 101);
		assertThat(leader.isLeader()).isTrue();
		assertThat(output.toString().split("Register each callback once", -1)).hasSize(2);
	}

	@Test
	void candidacyClosedDuringTheRegistrationNeverBegins() {
		Leadership leader = this.first.campaign(NAME, OPTIONS, Leadership::close);
		assertThat(this.first.candidacies()).isEmpty();
		assertThat(this.events).isEmpty();
		leader.close();
		assertThatIllegalStateException().isThrownBy(() -> this.first.campaign(NAME, OPTIONS, (leadership) -> {
			throw new IllegalStateException("expected by the test");
		}));
		assertThat(this.first.candidacies()).isEmpty();
	}

	@Test
	void aCallbackMayResign() {
		Leadership leader = this.first.campaign(NAME, OPTIONS);
		List<Revoked> revoked = new CopyOnWriteArrayList<>();
		leader.onRevoked(revoked::add);
		leader.onElected((handle) -> leader.close());
		await().until(() -> revoked.size() == 1);
		await().until(() -> !this.here.isLocked(NAME));
		await().untilAsserted(() -> assertThat(this.first.candidacies()).isEmpty());
	}

	@Test
	void anInterruptedThreadResigns() {
		Leadership leader = leader(this.first);
		Thread.currentThread().interrupt();
		leader.close();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.here.isLocked(NAME)).isFalse();
	}

	@Test
	void withdrawnCandidateLeavesNoPlaceInTheQueue() {
		Leadership leader = leader(this.first);
		Leadership waiting = this.second.campaign(NAME, OPTIONS);
		await().until(() -> this.there.waiting().size() == 1);
		waiting.close();
		await().until(() -> this.there.waiting().isEmpty());
		leader.close();
		assertThat(this.here.isLocked(NAME)).isFalse();
		assertThat(this.second.candidacies()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void standsAgainAfterFailures(boolean thrown) {
		AtomicInteger failures = new AtomicInteger();
		LockService failing = (LockService) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { LockService.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("acquireAsync") && failures.incrementAndGet() <= 3) {
						LockUnavailableException failure = new LockUnavailableException(NAME, "Expected by the test.",
								null);
						if (thrown) {
							throw failure;
						}
						return CompletableFuture.failedFuture(failure);
					}
					try {
						return method.invoke(this.here, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
		try (LeaderElection election = new LeaderElection(failing)) {
			Leadership leader = election.campaign(NAME, OPTIONS);
			await().until(leader::isLeader);
			assertThat(failures).hasValue(4);
		}
	}

	@Test
	void unsuitableOptionsOfALeaderAreReplaced() {
		Leadership leader = leader(this.first,
				OPTIONS.withMinHold(Duration.ofSeconds(10))
					.withWaitTime(Duration.ofSeconds(1))
					.withOnLost(OnLost.INTERRUPT)
					.withDeclaredName("declared"));
		assertThat(this.first.candidacies()).extracting(Candidacy::declaredName).containsExactly("declared");
		Leadership next = this.second.campaign(NAME, OPTIONS.withWaitTime(Duration.ofSeconds(1)));
		pass(Duration.ofSeconds(60));
		assertThat(leader.isLeader()).isTrue();
		leader.close();
		await().until(next::isLeader);
	}

	@Test
	void aLeaderWithoutMemoryForAThreadIsCalledLater(CapturedOutput output) {
		this.first.threads().pool.setThreadFactory(new OutOfMemory(this.first.threads().pool.getThreadFactory()));
		AtomicInteger calls = new AtomicInteger();
		this.first.campaign(NAME, OPTIONS, (leadership) -> leadership.onElected((handle) -> calls.incrementAndGet()));
		await().untilAsserted(() -> assertThat(calls).hasValue(1));
		assertThat(output).contains("There is not enough memory to start a thread for a leadership. Trying again.");
	}

	@Test
	void aCandidateWithoutMemoryForAThreadStandsAgainWithTheNext(CapturedOutput output) {
		Leadership one = leader(this.first);
		Leadership other = this.first.campaign("other", OPTIONS);
		await().until(other::isLeader);
		this.first.threads().timer.setThreadFactory(new OutOfMemory(this.first.threads().timer.getThreadFactory()));
		one.stepDown();
		assertThat(output).contains("Candidates of this instance might not stand again.");
		assertThat(one.isLeader()).isFalse();
		other.stepDown();
		await().until(() -> one.isLeader() && other.isLeader());
	}

	@Test
	void campaignIsRefusedForAnInvalidNameOrAfterTheClose() {
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.first.campaign(" "));
		this.first.close();
		assertThatIllegalStateException().isThrownBy(() -> this.first.campaign(NAME)).withMessageContaining(NAME);
		assertThat(this.first.candidacies()).isEmpty();
	}

	private static Leadership leader(LeaderElection election) {
		return leader(election, OPTIONS);
	}

	/**
	 * Let time pass until a candidate leads.
	 */
	private void awaitLeader(Leadership candidate) {
		await().until(() -> {
			pass(Duration.ofMillis(100));
			return candidate.isLeader();
		});
	}

	/**
	 * Cannot make the first thread.
	 */
	private record OutOfMemory(ThreadFactory factory, AtomicBoolean over) implements ThreadFactory {

		OutOfMemory(ThreadFactory factory) {
			this(factory, new AtomicBoolean());
		}

		@Override
		public Thread newThread(Runnable task) {
			if (!this.over.getAndSet(true)) {
				throw new OutOfMemoryError("on purpose");
			}
			return this.factory.newThread(task);
		}

	}

}
