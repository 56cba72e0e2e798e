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

package io.distributedlock.annotation;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LockContext} in annotated methods.
 */
class LockContextTests {

	private final LockFixture fixture = new LockFixture();

	private Work work;

	@BeforeEach
	void start() {
		this.work = this.fixture.start(Work.class);
	}

	@AfterEach
	void stop() {
		assertThat(LockContext.current()).isEmpty();
		assertThat(LockContext.all()).isEmpty();
		this.fixture.close();
	}

	@Test
	void methodSeesItsOwnHandle() {
		this.work.outer(null, (handle) -> assertThat(LockContext.current()).containsSame(handle));
	}

	@Test
	void innermostLockIsCurrentAndThenTheOuterLockAgain() {
		this.work.outer(null, (outer) -> {
			this.work.inner(null, (inner) -> {
				assertThat(inner).isNotSameAs(outer);
				assertThat(LockContext.current()).containsSame(inner);
				assertThat(LockContext.all()).containsExactly(inner, outer);
			});
			assertThat(LockContext.current()).containsSame(outer);
		});
	}

	@Test
	void nothingIsLeftAfterAnException() {
		assertThatIllegalStateException().isThrownBy(() -> this.work.outer(null, (handle) -> {
			throw new IllegalStateException("test");
		}));
		assertThat(LockContext.current()).isEmpty();
	}

	@Test
	void unlockedMethodSeesTheOuterLock() {
		this.work.outer(null, (outer) -> assertThat(this.work.withoutLock()).containsExactly(outer));
		assertThat(this.work.withoutLock()).isEmpty();
	}

	@Test
	void otherThreadSeesNothingUnlessTheLockIsTakenAlong() {
		this.work.outer(null, (handle) -> {
			assertThat(CompletableFuture.supplyAsync(LockContext::all).join()).isEmpty();
			assertThat(CompletableFuture.supplyAsync(() -> {
				try (LockContext.Scope scope = LockContext.enter(handle)) {
					return LockContext.all();
				}
			}).join()).containsExactly(handle);
		});
	}

	@Test
	void methodThatReturnsAFutureSeesItsLockUntilItReturns() {
		assertThat(this.work.future().join()).isTrue();
	}

	interface Body {

		void run(LockHandle handle);

	}

	static class Work {

		@DistributedLock("outer")
		public void outer(@Nullable LockHandle handle, Body body) {
			body.run(handle);
		}

		@DistributedLock("inner")
		public void inner(@Nullable LockHandle handle, Body body) {
			body.run(handle);
		}

		@DistributedLock(name = "none", condition = "false")
		public List<LockHandle> withoutLock() {
			return LockContext.all();
		}

		@DistributedLock("future")
		public CompletableFuture<Boolean> future() {
			return CompletableFuture.completedFuture(LockContext.current().isPresent());
		}

	}

}
