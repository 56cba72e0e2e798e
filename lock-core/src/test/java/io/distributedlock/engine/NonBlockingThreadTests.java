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
import java.util.List;

import io.distributedlock.LockHandle;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for callers whose thread must not wait.
 */
class NonBlockingThreadTests extends EngineFixture {

	NonBlockingThreadTests() {
		super(EngineSettings.of("here").withNonBlockingThreads(() -> true));
	}

	@Test
	void waitIsRefusedWithAdviceEvenIfTheLockIsFree() {
		assertThatIllegalStateException().isThrownBy(() -> this.here.acquire("a", WAITING))
			.withMessageContainingAll(Thread.currentThread().getName(), "lock 'a'", "ReactiveLocks", "acquireAsync");
		assertThatIllegalStateException().isThrownBy(() -> this.here.tryAcquire("a", WAITING));
		assertThatIllegalStateException().isThrownBy(() -> this.here.acquireAll(List.of("a", "b"), WAITING));
		assertThatIllegalStateException().isThrownBy(() -> this.here.asLock("a").lock());
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@Test
	void callWithoutABlockingWaitIsServed() {
		try (LockHandle handle = this.here.acquire("a", LEASE_30S)) {
			assertThat(handle.isHeld()).isTrue();
		}
		assertThat(this.here.acquireAsync("a", WAITING).thenAccept(LockHandle::close))
			.succeedsWithin(Duration.ofSeconds(10));
	}

}
