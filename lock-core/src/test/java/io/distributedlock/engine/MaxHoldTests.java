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
import java.util.stream.Stream;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LossCause;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * The maximum hold: until when a lock is renewed.
 */
@Timeout(60)
class MaxHoldTests extends EngineFixture {

	private static final Duration STEP = Duration.ofMillis(20);

	@ParameterizedTest
	@MethodSource("options")
	void renewedLockIsHeldNoLongerThanTheMaximumHold(LockOptions options, long maxHoldMillis) {
		Duration maxHold = Duration.ofMillis(maxHoldMillis);
		keepUntilItEnds(this.here.acquire("a", options.withMaxHold(maxHold)), options, maxHold);
	}

	@ParameterizedTest
	@MethodSource("options")
	void contendedLockIsHeldNoLongerThanTheMaximumHold(LockOptions options, long maxHoldMillis) throws Exception {
		Duration maxHold = Duration.ofMillis(maxHoldMillis);
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		var waiter = queue("a", options.withMaxHold(maxHold).withWaitTime(Duration.ofMinutes(1)));
		elsewhere.close();
		keepUntilItEnds(granted(waiter), options, maxHold);
	}

	private void keepUntilItEnds(LockHandle handle, LockOptions options, Duration maxHold) {
		long begin = this.ticker.nanos();
		while (handle.isHeld()) {
			passWithIo(STEP);
		}
		Duration held = Duration.ofNanos(this.ticker.nanos() - begin);
		// A lease is over a little before its end in the store
		assertThat(held).isBetween(maxHold.minus(Duration.ofMillis(1350)).minus(maxHold.dividedBy(8)),
				maxHold.plus(STEP));
		soon(() -> events(LockEvent.Lost.class).size() == 1);
		assertThat(events(LockEvent.Lost.class).get(0).cause()).isEqualTo(LossCause.MAX_HOLD_REACHED);
		this.ticker.advance(Duration.ofNanos(begin - this.ticker.nanos()).plus(maxHold).plusMillis(100));
		assertThat(this.there.tryAcquire("a", LEASE_30S)).isPresent();
	}

	static Stream<Arguments> options() {
		return Stream.of(LEASE_30S, LEASE_30S.withPermits(3), LEASE_30S.withShared())
			.flatMap((kind) -> Stream.of(arguments(kind.withAutoRenew(), 30_000),
					arguments(kind.withAutoRenew(), 45_000),
					arguments(kind.withAutoRenew(Duration.ofSeconds(1)), 30_500),
					arguments(kind.withLease(Duration.ofMillis(1500)).withAutoRenew(), 1500),
					arguments(kind.withLease(Duration.ofMillis(600)).withAutoRenew(), 1700)));
	}

	@Test
	void handedOnLockHasTheMaximumHoldOfTheNextCaller() throws Exception {
		LockOptions options = LEASE_30S.withAutoRenew().withMaxHold(Duration.ofSeconds(40));
		LockHandle first = acquireContended("a", options);
		var waiter = this.here.acquireAsync("a", options.withWaitTime(Duration.ofMinutes(1)));
		this.ticker.advance(Duration.ofMillis(10));
		first.close();
		keepUntilItEnds(granted(waiter), options, Duration.ofSeconds(40));
	}

	@Test
	void anExtensionByTheHolderGoesBeyondTheMaximumHold() {
		LockHandle handle = this.here.acquire("a", LEASE_30S.withAutoRenew().withMaxHold(Duration.ofSeconds(30)));
		handle.extend(Duration.ofMinutes(1));
		passWithIo(Duration.ofSeconds(80));
		assertThat(handle.isHeld()).isTrue();
		passWithIo(Duration.ofSeconds(10));
		assertThat(handle.isHeld()).isFalse();
	}

	@Test
	void unreachableStoreIsTheCauseOfALossBeforeTheMaximumHold() {
		LockHandle handle = keep(this.here.acquire("a", LEASE_30S.withAutoRenew().withMaxHold(Duration.ofMinutes(2))));
		this.store.mode(ControlledStore.Mode.FAIL);
		passWithIo(Duration.ofSeconds(40));
		assertThat(handle.isHeld()).isFalse();
		soon(() -> events(LockEvent.Lost.class).size() == 1);
		assertThat(events(LockEvent.Lost.class).get(0).cause()).isEqualTo(LossCause.STORE_UNREACHABLE);
	}

}
