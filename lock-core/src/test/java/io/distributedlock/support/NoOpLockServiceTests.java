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

package io.distributedlock.support;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link NoOpLockService}.
 */
class NoOpLockServiceTests {

	private static final LockOptions OPTIONS = LockOptions.defaults();

	private final NoOpLockService service = new NoOpLockService(OPTIONS,
			(name, options) -> name.equals("long") ? options.withLease(Duration.ofHours(1)) : options);

	@Test
	void everybodyIsGrantedTheSameLockAtTheSameTime() {
		try (LockHandle first = this.service.acquire("order:1")) {
			LockHandle second = CompletableFuture.supplyAsync(() -> this.service.tryAcquire("order:1").orElseThrow())
				.join();
			assertThat(first.isHeld()).isTrue();
			assertThat(second.isHeld()).isTrue();
			assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
			assertThat(this.service.isLocked("order:1")).isFalse();
			second.close();
			assertThat(first.isHeld()).isTrue();
		}
	}

	@Test
	void aHandleIsHeldUntilItIsClosed() {
		LockHandle handle = this.service.acquire("long");
		assertThat(handle.state()).isEqualTo(LockState.HELD);
		assertThat(handle.remaining()).isEqualTo(Duration.ofHours(1));
		handle.assertHeld();
		handle.extend(Duration.ofSeconds(1));
		assertThatIllegalArgumentException().isThrownBy(() -> handle.extend(Duration.ZERO));
		handle.close();
		handle.close();
		assertThat(handle.state()).isEqualTo(LockState.RELEASED);
		assertThat(handle.remaining()).isZero();
		assertThatIllegalStateException().isThrownBy(handle::assertHeld);
		assertThatIllegalStateException().isThrownBy(() -> handle.extend(Duration.ofSeconds(1)));
	}

	@Test
	void severalLocksAreReleasedTogether() {
		LockHandle handle = this.service.acquireAll(List.of("b", "a", "b"), OPTIONS);
		assertThat(handle.name()).isEqualTo("a, b");
		assertThat(handle.parts()).extracting(LockHandle::name).containsExactly("a", "b");
		assertThatIllegalStateException().isThrownBy(handle::fencingToken);
		handle.close();
		assertThat(handle.parts()).noneMatch(LockHandle::isHeld);
	}

	@Test
	void severalLocksAreEnteredAgainOneByOne() {
		LockHandle handle = this.service.acquireAll(List.of("a", "b"), OPTIONS);
		LockHandle inner = this.service.reenter(handle, OPTIONS).orElseThrow();
		assertThat(inner.parts()).extracting(LockHandle::name).containsExactly("a", "b");
		handle.close();
		assertThat(this.service.reenter(handle, OPTIONS)).isEmpty();
	}

	@Test
	void theCurrentHandleIsThatOfTheThread() {
		LockHandle handle = this.service.acquire("order:1");
		assertThat(this.service.current("order:1")).containsSame(handle);
		assertThat(this.service.current("order:2")).isEmpty();
		assertThat(CompletableFuture.supplyAsync(() -> this.service.current("order:1")).join()).isEmpty();
		handle.close();
		assertThat(this.service.current("order:1")).isEmpty();
	}

	@Test
	void workIsDoneUnderAHandle() {
		assertThat(this.service.<String, RuntimeException>execute("order:1", OPTIONS, LockHandle::name))
			.isEqualTo("order:1");
		CompletableFuture<String> result = new CompletableFuture<>();
		LockHandle[] used = new LockHandle[1];
		CompletableFuture<String> outcome = this.service.executeAsync("order:1", OPTIONS, (handle) -> {
			used[0] = handle;
			return result;
		});
		assertThat(used[0].isHeld()).isTrue();
		result.complete("done");
		assertThat(outcome).isCompletedWithValue("done");
		assertThat(used[0].isHeld()).isFalse();
	}

	@Test
	void aLockIsUnlockedOnlyByAThreadThatLockedIt() {
		Lock lock = this.service.asLock("order:1");
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
		lock.lock();
		assertThat(this.service.asLock("order:1").tryLock()).isTrue();
		lock.unlock();
		this.service.asLock("order:1").unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::unlock);
	}

	@Test
	void blankAndMissingNamesAreRefused() {
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.service.acquire(" "))
			.withMessageContaining("is blank. Give a name");
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.service.acquire(null))
			.withMessageContaining("is null. Give a name");
		assertThatExceptionOfType(InvalidLockNameException.class)
			.isThrownBy(() -> this.service.acquireAll(List.of(), OPTIONS));
	}

}
