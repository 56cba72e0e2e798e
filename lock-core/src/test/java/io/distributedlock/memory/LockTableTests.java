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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LockToken;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockTable}.
 */
class LockTableTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	/** Begins shortly before an overflow. */
	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1000);

	private final LockTable table = new LockTable(this.nanos::get);

	@Test
	void millionNamesLeaveNothingBehindOnceReleased() {
		for (int i = 0; i < 1_000_000; i++) {
			LockToken token = token(i);
			String lock = "lock" + i;
			acquire(lock, token);
			this.table.execute((now) -> this.table.release(lock, token, now));
		}
		assertThat(size()).isLessThan(10);
	}

	@Test
	void expiredLocksVanishWhileOthersAreUsed() {
		for (int i = 0; i < 1000; i++) {
			acquire("lock" + i, token(i));
		}
		assertThat(size()).isEqualTo(1000);
		this.nanos.addAndGet(LEASE.toNanos() + 1);
		for (int i = 0; i < 600; i++) {
			this.table.execute((now) -> this.table.find("other", now));
		}
		assertThat(size()).isZero();
	}

	@Test
	void failedCommandNotifiesNoListenerLater() {
		LockToken token = token(1);
		acquire("a", token);
		List<LockToken> revoked = new ArrayList<>();
		this.table.execute((now) -> this.table.addListener(token.instance(), this, new GrantListener() {

			@Override
			public void granted(Grant grant) {
			}

			@Override
			public void revoked(String name, LockToken revokedToken) {
				revoked.add(revokedToken);
			}

			@Override
			public void subscribed() {
			}

		}));
		assertThatIllegalStateException().isThrownBy(() -> this.table.execute((now) -> {
			this.table.forceRelease("a", token.text(), now);
			throw new IllegalStateException("on purpose");
		}));
		this.table.execute((now) -> this.table.find("a", now));
		assertThat(revoked).isEmpty();
	}

	private void acquire(String name, LockToken token) {
		AcquireRequest request = new AcquireRequest(name, token, LEASE, 1, null);
		this.table.execute((now) -> this.table.acquire(request, now));
	}

	private int size() {
		return this.table.execute((now) -> this.table.size());
	}

	private static LockToken token(int number) {
		return new LockToken("app", number);
	}

}
