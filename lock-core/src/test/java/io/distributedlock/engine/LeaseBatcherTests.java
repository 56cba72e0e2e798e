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
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaseBatcher}.
 */
@Timeout(30)
class LeaseBatcherTests extends EngineFixture {

	private static final LockOptions RENEWED = LockOptions.ofLease(Duration.ofSeconds(30)).withAutoRenew();

	@Test
	void aFullBatchIsSentAtOnceAndTheRestALittleLater() {
		List<LockHandle> handles = acquire(158);
		advance(Duration.ofSeconds(10));
		soon(() -> batches().equals(List.of("extend 100")));
		passWithIo(Duration.ofMillis(500));
		assertThat(batches()).containsExactly("extend 100", "extend 58");
		handles.forEach(LockHandle::close);
	}

	@Test
	void tenThousandLeasesOfFifteenSecondsCostLessThanTwentyCommandsInASecond() {
		LockOptions options = LockOptions.ofLease(Duration.ofSeconds(15)).withAutoRenew();
		List<LockHandle> handles = new ArrayList<>();
		for (int i = 0; i < 10_000; i++) {
			handles.add(this.here.acquire("a" + i, options));
			if (i % 200 == 199) {
				// They begin at different times, as those of an application do
				advance(Duration.ofMillis(100));
			}
		}
		passWithIo(Duration.ofSeconds(5));
		this.store.commands.clear();
		passWithIo(Duration.ofSeconds(10));
		assertThat(batches()).hasSizeBetween(150, 200);
		assertThat(handles).allMatch(LockHandle::isHeld);
		handles.forEach(LockHandle::close);
	}

	@Test
	void lockReleasedBeforeTheBatchIsNotRenewed() {
		List<LockHandle> handles = acquire(3);
		advance(Duration.ofSeconds(10));
		handles.get(1).close();
		passWithIo(Duration.ofMillis(500));
		assertThat(batches()).containsExactly("extend 2");
		assertThat(handles.get(0).remaining()).isGreaterThan(Duration.ofSeconds(28));
		handles.forEach(LockHandle::close);
	}

	@Test
	void aShortLeaseDoesNotWaitForTheBatchOfALongOne() {
		LockHandle longOne = this.here.acquire("long", RENEWED);
		advance(Duration.ofMillis(9900));
		LockHandle shortOne = this.here.acquire("short", LockOptions.ofLease(Duration.ofMillis(300)).withAutoRenew());
		advance(Duration.ofMillis(100));
		// The watchdog may have taken it, and may not have come to it yet
		soon(() -> this.here.engine().gates().stripe("short").find("short", 1).holder().lease.renewing);
		advance(Duration.ofMillis(5));
		soon(() -> shortOne.remaining().compareTo(Duration.ofMillis(250)) > 0);
		shortOne.close();
		longOne.close();
	}

	@Test
	void nothingIsRenewedAfterTheReleaseNorAfterTheLoss() {
		List<LockHandle> handles = acquire(2);
		handles.get(0).close();
		this.table.clear();
		passWithIo(Duration.ofSeconds(11));
		assertThat(handles.get(1).isHeld()).isFalse();
		this.store.commands.clear();
		passWithIo(Duration.ofMinutes(1));
		assertThat(this.store.commands).isEmpty();
	}

	@Test
	@DisplayName("A renewal that was lost is repeated soon, and only for what was not answered")
	void lostRenewalIsRepeatedForUnansweredLocks() {
		List<LockHandle> handles = acquire(2);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		passWithIo(Duration.ofMillis(10_500));
		assertThat(this.store.heldBack()).isEqualTo(2);
		this.store.failFirst();
		this.store.answer();
		this.store.commands.clear();
		passWithIo(Duration.ofSeconds(2));
		assertThat(batches()).containsExactly("extend 1");
		handles.forEach((handle) -> assertThat(handle.remaining()).isGreaterThan(Duration.ofSeconds(25)));
		handles.forEach(LockHandle::close);
	}

	private List<String> batches() {
		return this.store.commands.stream().filter((command) -> command.startsWith("extend ")).toList();
	}

	private List<LockHandle> acquire(int count) {
		List<LockHandle> handles = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			handles.add(this.here.acquire("a" + i, RENEWED));
		}
		return handles;
	}

}
