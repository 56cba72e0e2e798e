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

package io.distributedlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockContext} in work under the locks of a lock service.
 */
class LockContextOfServiceTests {

	private static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofSeconds(30));

	private final DefaultLockService locks = new DefaultLockService(new InMemoryLockStore(), EngineSettings.of("here"),
			List.of());

	@AfterEach
	void nothingIsLeft() {
		this.locks.close();
		assertThat(LockContext.all()).isEmpty();
	}

	@Test
	void workSeesItsLock() {
		this.locks.executeWithoutResult("a", OPTIONS, (outer) -> {
			assertThat(LockContext.current()).containsSame(outer);
			this.locks.executeAllWithoutResult(List.of("b", "c"), OPTIONS,
					(inner) -> assertThat(LockContext.all()).containsExactly(inner, outer));
			assertThat(LockContext.current()).containsSame(outer);
		});
	}

	@Test
	void nothingIsSeenAfterWorkThatFailed() {
		assertThatIllegalStateException().isThrownBy(() -> this.locks.executeWithoutResult("a", OPTIONS, () -> {
			throw new IllegalStateException("test");
		}));
		assertThat(LockContext.all()).isEmpty();
	}

	@Test
	void asynchronousWorkSeesItsLockUntilItReturns() {
		CompletableFuture<Boolean> seen = this.locks.executeAsync("a", OPTIONS, (handle) -> CompletableFuture
			.completedFuture(LockContext.current().filter((current) -> current == handle).isPresent()));
		assertThat(seen).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
	}

}
