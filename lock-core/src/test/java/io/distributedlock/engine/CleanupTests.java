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

import io.distributedlock.LockOptions;
import io.distributedlock.store.LockToken;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Cleanup}.
 */
@Timeout(30)
class CleanupTests extends EngineFixture {

	private static final long LEASE = Duration.ofSeconds(30).toNanos();

	private final Cleanup cleanup = this.here.engine().cleanup();

	private final LockToken token = new LockToken(this.here.engine().instance(), 1);

	@Test
	void releaseIsRepeatedUntilAnswered() {
		this.store.mode(ControlledStore.Mode.FAIL);
		release("a", LEASE);
		passWithIo(Duration.ofSeconds(5));
		assertThat(this.store.count("release")).isBetween(9, 11);
		this.store.mode(ControlledStore.Mode.ANSWER);
		passWithIo(Duration.ofSeconds(1));
		int answered = this.store.count("release");
		passWithIo(Duration.ofSeconds(5));
		assertThat(this.store.count("release")).isEqualTo(answered);
	}

	@Test
	void aReleaseIsNotRepeatedAfterTheEndOfTheLease() {
		this.store.mode(ControlledStore.Mode.FAIL);
		release("a", Duration.ofSeconds(2).toNanos());
		passWithIo(Duration.ofSeconds(10));
		assertThat(this.store.count("release")).isBetween(3, 4);
	}

	@Test
	void refusedReleaseIsNotRepeated() {
		this.store.mode(ControlledStore.Mode.REFUSE);
		release("a", LEASE);
		passWithIo(Duration.ofSeconds(2));
		assertThat(this.store.count("release")).isEqualTo(1);
	}

	@Test
	void noMoreThanTenThousandReleasesWaitAndPlacesBecomeFreeAgain() {
		this.store.mode(ControlledStore.Mode.FAIL);
		for (int i = 0; i < 10_050; i++) {
			release("a" + i, LEASE);
		}
		this.store.mode(ControlledStore.Mode.ANSWER);
		passWithIo(Duration.ofSeconds(1));
		assertThat(this.store.count("release")).isEqualTo(10_050 + 10_000);
		this.store.mode(ControlledStore.Mode.FAIL);
		release("b", LEASE);
		this.store.mode(ControlledStore.Mode.ANSWER);
		passWithIo(Duration.ofSeconds(1));
		assertThat(this.store.count("release")).isEqualTo(10_050 + 10_000 + 2);
	}

	@Test
	void cleanupKnowsWhetherReleasesAreOwed() {
		assertThat(this.cleanup.isNoneOwed()).isTrue();
		this.cleanup.owe();
		assertThat(this.cleanup.isNoneOwed()).isFalse();
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		release("a", LEASE);
		assertThat(this.cleanup.isNoneOwed()).isFalse();
		this.store.failFirst();
		assertThat(this.cleanup.isNoneOwed()).isTrue();
	}

	@Test
	void cleanupOwesNothingAfterReleasesCancellationsAndLostAnswers() throws Exception {
		LockOptions options = LockOptions.defaults();
		this.here.acquire("a", options).close();
		keep(this.there.acquire("b", options));
		queue("b", options.withWaitTime(Duration.ofMinutes(1))).cancel(true);
		this.here.acquire("c", options.withMinHold(Duration.ofSeconds(1))).close();
		this.store.mode(ControlledStore.Mode.LOSE_ANSWERS);
		this.here.acquireAsync("d", options).exceptionally((failure) -> null).get();
		this.store.mode(ControlledStore.Mode.ANSWER);
		passWithIo(Duration.ofSeconds(1));
		assertThat(this.cleanup.isNoneOwed()).isTrue();
	}

	private void release(String name, long lease) {
		this.cleanup.release(name, this.token, this.ticker.nanos() + lease);
	}

}
