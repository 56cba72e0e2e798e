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
import io.distributedlock.support.NoOpLockService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockContext} in work under the locks of a lock service.
 */
class LockContextOfServiceTests {

	private static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofSeconds(30));

	@AfterEach
	void nothingIsLeft() {
		assertThat(LockContext.all()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void workSeesItsLock(Service service) {
		LockService locks = service.locks;
		locks.executeWithoutResult("a", OPTIONS, (outer) -> {
			assertThat(LockContext.current()).containsSame(outer);
			locks.executeAllWithoutResult(List.of("b", "c"), OPTIONS,
					(inner) -> assertThat(LockContext.all()).containsExactly(inner, outer));
			assertThat(LockContext.current()).containsSame(outer);
		});
	}

	@ParameterizedTest
	@EnumSource
	void nothingIsSeenAfterWorkThatFailed(Service service) {
		assertThatIllegalStateException().isThrownBy(() -> service.locks.executeWithoutResult("a", OPTIONS, () -> {
			throw new IllegalStateException("test");
		}));
		assertThat(LockContext.all()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void asynchronousWorkSeesItsLockUntilItReturns(Service service) {
		CompletableFuture<Boolean> seen = service.locks.executeAsync("a", OPTIONS, (handle) -> CompletableFuture
			.completedFuture(LockContext.current().filter((current) -> current == handle).isPresent()));
		assertThat(seen).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
	}

	enum Service {

		DEFAULT(new DefaultLockService(new InMemoryLockStore(), EngineSettings.of("here"), List.of())),

		NO_OP(new NoOpLockService(OPTIONS, (name, options) -> options));

		private final LockService locks;

		Service(LockService locks) {
			this.locks = locks;
		}

	}

}
