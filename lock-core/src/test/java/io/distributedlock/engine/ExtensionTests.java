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
import io.distributedlock.LockOptions;
import io.distributedlock.store.LeaseExtension;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for extensions of leases, see {@link LeaseKeeper}.
 */
@Timeout(30)
class ExtensionTests extends EngineFixture {

	private static final LockOptions RENEWED = LockOptions.ofLease(Duration.ofSeconds(30)).withAutoRenew();

	private final LockEngine engine = this.here.engine();

	@Test
	void heldLeaseIsExtended() {
		Lease lease = lease(this.here.acquire("a", RENEWED));
		assertThat(renewalOf(lease, now())).isNotNull();
	}

	@Test
	void endedLeaseIsNotExtendedBeforeItsLossIsNoticed() {
		Lease ended = lease(this.here.acquire("a", RENEWED));
		assertThat(renewalOf(ended, ended.deadline())).isNull();
		Lease lease = lease(this.here.acquire("b", RENEWED));
		assertThat(renewalOf(lease, lease.deadline() - 1)).isNotNull();
	}

	@Test
	void leaseIsNotExtendedDuringAnotherRequest() {
		LockHandle handle = this.here.acquire("a", RENEWED);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<Void> extension = handle.extendAsync(Duration.ofSeconds(1));
		assertThat(renewalOf(lease(handle), now())).isNull();
		this.store.answer();
		extension.join();
		assertThat(renewalOf(lease(handle), now())).isNotNull();
	}

	@Test
	void renewalDueForThePreviousHolderDoesNotTouchTheNextHolder() throws Exception {
		LockHandle first = this.here.acquire("a", RENEWED);
		Lease before = lease(first);
		LockHandle second = next(first);
		assertThat(renewalOf(before, now())).isNull();
		passWithIo(Duration.ofMinutes(2));
		assertThat(second.isHeld()).isTrue();
	}

	@Test
	@DisplayName("The answer to an extension for the holder before does not touch the next one")
	void answerForThePreviousHolderDoesNotTouchTheNextHolder() throws Exception {
		LockHandle first = this.here.acquire("a", RENEWED);
		this.store.mode(ControlledStore.Mode.HOLD_COMMANDS);
		CompletableFuture<Void> extension = first.extendAsync(Duration.ofSeconds(1));
		this.store.mode(ControlledStore.Mode.ANSWER);
		LockHandle second = next(first);
		this.store.answerFirst();
		extension.join();
		assertThat(second.isHeld()).isTrue();
		assertThat(events(LockEvent.Lost.class)).isEmpty();
		second.close();
	}

	@Test
	@DisplayName("The next holder does not keep what the one before has just asked for")
	void theNextHolderInheritsNoExtension() throws Exception {
		LockHandle first = acquireContended("a", EngineFixture.LEASE_30S);
		CompletableFuture<LockHandle> waiter = this.here.acquireAsync("a", EngineFixture.WAITING);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<Void> extension = first.extendAsync(Duration.ofHours(1));
		first.close();
		LockHandle second = granted(waiter);
		assertThat(lease(second)).as("handed on").isSameAs(lease(first));
		this.store.answer();
		extension.join();
		passWithIo(Duration.ofSeconds(1));
		assertThat(second.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
		second.close();
	}

	@Test
	@DisplayName("A wish for less than an extension under way gives does not shorten the lease")
	void aSmallerWishDoesNotUndoAnExtensionUnderWay() {
		LockHandle handle = this.here.acquire("a", RENEWED);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<Void> extension = handle.extendAsync(Duration.ofMinutes(1));
		CompletableFuture<Void> refresh = this.engine.refresh(((Handle) handle).hold(), Duration.ofSeconds(31));
		this.store.answer();
		extension.join();
		refresh.join();
		assertThat(handle.remaining()).isGreaterThan(Duration.ofSeconds(80));
		handle.close();
	}

	@Test
	void waitingRequestIsNotSentInTheAnsweringThread() {
		LockHandle handle = this.here.acquire("a", EngineFixture.LEASE_30S.withMinHold(Duration.ofSeconds(10)));
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<Void> first = handle.extendAsync(Duration.ofSeconds(1));
		CompletableFuture<Void> second = handle.extendAsync(Duration.ofSeconds(1));
		assertThat(this.store.heldBack()).isEqualTo(1);
		CompletableFuture<Thread> extending = new CompletableFuture<>();
		this.store.before("extension", () -> extending.complete(Thread.currentThread()));
		this.store.answerFirst();
		first.join();
		assertThat(extending.join()).isNotSameAs(Thread.currentThread());
		EngineFixture.soon(() -> this.store.heldBack() == 1);
		CompletableFuture<Void> release = handle.releaseAsync();
		CompletableFuture<Thread> releasing = new CompletableFuture<>();
		this.store.before("extension", () -> releasing.complete(Thread.currentThread()));
		this.store.answer();
		second.join();
		assertThat(releasing.join()).as("the rest of the minimum hold").isNotSameAs(Thread.currentThread());
		assertThat(release).succeedsWithin(Duration.ofSeconds(10));
	}

	@Test
	void aRenewalWithoutAnAnswerMayHaveLengthenedTheLease() {
		Lease lease = lease(this.here.acquire("a", RENEWED));
		long end = lease.endsAt();
		this.store.mode(ControlledStore.Mode.LOSE_ANSWERS);
		passWithIo(Duration.ofSeconds(12));
		assertThat(lease.endsAt()).isEqualTo(end);
		assertThat(lease.endsAtLatest()).isGreaterThan(end);
	}

	/** What a batch sends for a lease that was found due. */
	private @Nullable LeaseExtension renewalOf(Lease lease, long now) {
		lease.renewing = true;
		return this.engine.renewal(lease, now);
	}

	/**
	 * Release, and return the handle of the next local waiter, who gets a lease of its
	 * own.
	 */
	private LockHandle next(LockHandle first) throws Exception {
		CompletableFuture<LockHandle> waiter = this.here.acquireAsync("a", RENEWED.withWaitTime(Duration.ofMinutes(5)));
		this.ticker.advance(Duration.ofMillis(20));
		first.close();
		LockHandle second = granted(waiter);
		assertThat(lease(second)).isNotSameAs(lease(first));
		assertThat(lease(second).gate).isSameAs(lease(first).gate);
		return second;
	}

	private long now() {
		return this.ticker.nanos();
	}

	private static Lease lease(LockHandle handle) {
		return ((Handle) handle).hold().lease;
	}

}
