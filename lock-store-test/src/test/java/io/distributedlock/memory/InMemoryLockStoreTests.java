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

package io.distributedlock.memory;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.Grant;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.test.LockStoreContractTests;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.test.StoreClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a store, for {@link InMemoryLockStore}, and what it promises beyond.
 */
class InMemoryLockStoreTests extends LockStoreContractTests {

	/** Begins shortly before an overflow. */
	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1000);

	private final InMemoryLockStore root = new InMemoryLockStore(this.nanos::get);

	@Override
	protected LockStore open() {
		return this.root.connect();
	}

	@Override
	protected void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	@Test
	void clearForgetsLocksButFencingTokensStillIncrease() {
		long before = first().mustAcquire(name(), first().newToken());
		this.root.clear();
		assertThat(first().find(name())).isNull();
		assertThat(second().mustAcquire(name(), second().newToken())).isGreaterThan(before);
	}

	@Test
	void hugeLeaseDoesNotOverflow() {
		LockToken token = first().newToken();
		first().tryAcquire(name(), token, Duration.ofSeconds(Long.MAX_VALUE));
		pass(Duration.ofDays(3650));
		assertThat(first().find(name()).holder()).isEqualTo(token.text());
	}

	@Test
	void closingOneStoreEndsItsGrantsOnly() throws Exception {
		first().listen();
		second().listen();
		second().store().close();
		StoreClient third = newClient();
		LockToken holder = third.newToken();
		LockToken waiter = first().newToken();
		third.mustAcquire(name(), holder);
		first().queue(name(), waiter);
		third.release(name(), holder);
		assertThat(first().awaitGrant().token()).isEqualTo(waiter);
	}

	/**
	 * The writer came first, and nobody may overtake it.
	 */
	@Test
	void lateReleaseOfOneOfSeveralServesTheWaiter() throws Exception {
		first().listen();
		LockToken reader = second().newToken();
		second().tryJoin(name(), reader, Duration.ofSeconds(1), AcquireRequest.NO_LIMIT);
		LockToken writer = first().enqueue(name());
		pass(Duration.ofSeconds(1));
		assertThat(second().release(name(), reader)).isEqualTo(ReleaseOutcome.ABSENT);
		assertThat(first().awaitGrant().token()).isEqualTo(writer);
	}

	@Test
	void failingListenerDoesNotFailTheRelease() {
		second().store().listen("failing", new FailingListener());
		LockToken holder = first().newToken();
		first().mustAcquire(name(), holder);
		second().queue(name(), new LockToken("failing", 1));
		assertThat(first().release(name(), holder)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	private static final class FailingListener implements GrantListener {

		@Override
		public void granted(Grant grant) {
			throw new IllegalStateException("on purpose");
		}

		@Override
		public void revoked(String name, LockToken token) {
			throw new IllegalStateException("on purpose");
		}

		@Override
		public void subscribed() {
		}

	}

}
