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
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockUnavailableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what listeners are told, see {@link LockEvent}.
 */
@Timeout(30)
class LockEventTests extends EngineFixture {

	@Test
	void acquiredEventSaysWhetherTheLockWasContended() throws Exception {
		LockHandle first = this.here.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> second = this.here.acquireAsync("a", WAITING);
		first.close();
		granted(second).close();
		LockHandle there = this.there.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> third = queue("a", WAITING);
		there.close();
		granted(third).close();
		soon(() -> events(LockEvent.Acquired.class).size() == 3);
		assertThat(events(LockEvent.Acquired.class)).extracting(LockEvent.Acquired::contended)
			.containsExactly(false, true, true);
	}

	@Test
	void aRenewalIsTold() {
		LockHandle handle = this.here.acquire("a", LEASE_30S.withAutoRenew());
		passWithIo(Duration.ofSeconds(11));
		soon(() -> !events(LockEvent.Renewed.class).isEmpty());
		assertThat(events(LockEvent.Renewed.class)).first().satisfies((event) -> {
			assertThat(event.fencingToken()).isEqualTo(handle.fencingToken());
			assertThat(event.remaining()).isBetween(Duration.ofSeconds(25), Duration.ofSeconds(30));
		});
		assertThat(events(LockEvent.RenewalFailed.class)).isEmpty();
	}

	@Test
	void aRenewalWithoutAnAnswerIsTold() {
		LockHandle handle = this.here.acquire("a", LEASE_30S.withAutoRenew());
		this.store.mode(ControlledStore.Mode.FAIL);
		passWithIo(Duration.ofSeconds(11));
		soon(() -> !events(LockEvent.RenewalFailed.class).isEmpty());
		assertThat(events(LockEvent.RenewalFailed.class)).first().satisfies((event) -> {
			assertThat(event.fencingToken()).isEqualTo(handle.fencingToken());
			assertThat(event.cause()).isInstanceOf(LockUnavailableException.class);
		});
		assertThat(events(LockEvent.Renewed.class)).isEmpty();
	}

	@Test
	void aLossSaysHowLongAgoTheStoreConfirmedTheLock() {
		keep(this.here.acquire("a", LEASE_30S.withAutoRenew()));
		passWithIo(Duration.ofSeconds(15));
		this.table.clear();
		passWithIo(Duration.ofSeconds(10));
		soon(() -> !events(LockEvent.Lost.class).isEmpty());
		assertThat(events(LockEvent.Lost.class)).singleElement().satisfies((event) -> {
			assertThat(event.held()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(21));
			assertThat(event.sinceConfirmed()).as("since the renewal").isEqualTo(event.held().dividedBy(2));
		});
	}

	@Test
	void aLossFoundAtTheReleaseSaysHowLongAgoTheStoreConfirmedTheLock() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		this.ticker.advance(Duration.ofSeconds(5));
		handle.extend(Duration.ofSeconds(30));
		this.table.clear();
		this.ticker.advance(Duration.ofSeconds(2));
		handle.close();
		soon(() -> !events(LockEvent.Lost.class).isEmpty());
		assertThat(events(LockEvent.Lost.class)).singleElement()
			.satisfies((event) -> assertThat(event.sinceConfirmed()).isEqualTo(Duration.ofSeconds(2)));
	}

	@Test
	void extensionByTheHolderIsNotReportedAsARenewal() {
		try (LockHandle handle = this.here.acquire("a", LEASE_30S)) {
			handle.extend(Duration.ofSeconds(30));
		}
		soon(() -> !events(LockEvent.Released.class).isEmpty());
		assertThat(events(LockEvent.Renewed.class)).isEmpty();
	}

}
