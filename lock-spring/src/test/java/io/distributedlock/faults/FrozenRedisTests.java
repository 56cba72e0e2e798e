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

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.redis.RedisLockSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Redis is frozen: connections stay open and even new ones are taken, but nothing is
 * answered until it thaws, and then all that was sent is carried out.
 */
@Timeout(120)
class FrozenRedisTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	@RegisterExtension
	static final TestBed bed = TestBed.ofRestrictedUser();

	@Test
	void callersAreToldWithinTheirBudgetAndNothingIsLeftAfterwards() {
		Instance here = bed.impatientInstance("here");
		Instance cold = bed.coldInstance("cold", RedisLockSettings.defaults());
		LockHandle held = here.locks.acquire("held", LONG.withWaitTime(TestBed.SOON));
		bed.server().pause();
		Call<?> once = Call.start(() -> here.locks.tryAcquire("once", LONG));
		Call<?> waiting = Call.start(() -> here.locks.tryAcquire("waited", LONG.withWaitTime(Duration.ofSeconds(1))));
		Call<?> first = Call.start(() -> cold.locks.tryAcquire("first", LONG.withWaitTime(Duration.ofSeconds(1))));
		Call<?> closing = Call.run(held::close);
		assertThat(once.failure()).isInstanceOf(LockUnavailableException.class).hasMessageContaining("'once'");
		assertThat(waiting.failure()).isInstanceOf(LockUnavailableException.class).hasMessageContaining("'waited'");
		assertThat(first.failure()).isInstanceOf(LockUnavailableException.class).hasMessageContaining("'first'");
		assertThat(closing.failure()).isNull();
		// The command timeout or the wait, each 1 s, and 0.25 s for cleaning up
		assertThat(once.took()).isBetween(Duration.ofMillis(900), TestBed.SOON);
		assertThat(waiting.took()).isBetween(Duration.ofMillis(900), TestBed.SOON);
		assertThat(first.took()).isBetween(Duration.ofMillis(900), TestBed.SOON);
		assertThat(closing.took()).isLessThan(TestBed.SOON);
		bed.server().resume();
		await().atMost(TestBed.SOON).until(() -> bed.fence("once") != null);
		bed.assertNothingIsLeft(TestBed.SOON);
		here.locks.acquire("once", LONG.withWaitTime(TestBed.SOON)).close();
		cold.locks.acquire("first", LONG.withWaitTime(TestBed.SOON)).close();
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
	}

	@Test
	void whoComesBeforeThereEverWasAConnectionIsToldSoWithinBothTimeouts() {
		Instance cold = bed.coldInstance("cold",
				RedisLockSettings.defaults()
					.withConnectTimeout(Duration.ofMillis(600))
					.withCommandTimeout(Duration.ofMillis(300)));
		bed.server().pause();
		CompletableFuture<LockHandle> first = cold.locks.acquireAsync("first", LONG);
		CompletableFuture<LockHandle> second = cold.locks.acquireAsync("second", LONG);
		// Unlike the wait, which has no limit
		// With the reason why the attempt to connect failed, if that ends in time
		assertThat(first).failsWithin(TestBed.SOON)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class)
			.withMessageMatching("(?s).*(Connection initialization timed out|there was no connection) .*");
		assertThat(second).failsWithin(TestBed.SOON)
			.withThrowableThat()
			.withCauseInstanceOf(LockUnavailableException.class)
			.withMessageContaining("there was no connection within ");
		bed.server().resume();
		cold.locks.acquire("second", LONG.withWaitTime(TestBed.SOON)).close();
		bed.assertNothingIsLeft(TestBed.SOON);
	}

	@Test
	void aFreezeShorterThanTheLeaseCostsNobodyAnything() {
		Instance here = bed.impatientInstance("here");
		Instance there = bed.instance("there");
		LockOptions renewed = LockOptions.ofLease(Duration.ofMinutes(4)).withAutoRenew(Duration.ofMinutes(1));
		LockHandle handle = here.locks.acquire("x", renewed.withWaitTime(TestBed.SOON));
		Call<Optional<LockHandle>> waiting = Call
			.start(() -> there.locks.tryAcquire("x", renewed.withWaitTime(Duration.ofMinutes(1))));
		bed.awaitQueueLength("x", 1);
		bed.server().pause();
		here.advance(Duration.ofMinutes(2));
		// Longer than the command timeout: a renewal has failed
		TestBed.always(Duration.ofMillis(1300), handle::isHeld);
		assertThat(handle.remaining()).isLessThan(Duration.ofMinutes(2));
		bed.server().resume();
		await().atMost(TestBed.SOON).until(() -> handle.remaining().compareTo(Duration.ofMinutes(3)) > 0);
		assertThat(waiting.isDone()).isFalse();
		handle.release();
		assertThat(waiting.get()).get().satisfies((next) -> {
			assertThat(next.isHeld()).isTrue();
			next.close();
		});
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
		bed.assertNothingIsLeft();
	}

}
