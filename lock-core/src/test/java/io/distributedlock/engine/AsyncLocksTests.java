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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.OnLost;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what callers do to the futures they have.
 */
class AsyncLocksTests extends EngineFixture {

	private final AtomicBoolean begun = new AtomicBoolean();

	@ParameterizedTest
	@EnumSource
	void abandoningTheFutureEndsTheWaitForTheLock(Leaving leaving) {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> waiter = queue("a", WAITING);
		leaving.leave(waiter, elsewhere);
		soon(() -> this.store.queued() == 0);
		assertThat(this.here.waiting()).isEmpty();
		elsewhere.close();
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@Test
	void optionsOfTheNameApplyIfNoneAreGiven() {
		assertThat(this.here.acquireAsync("a").thenAccept(LockHandle::close)).succeedsWithin(Duration.ofSeconds(5));
		assertThat(this.here.executeAsync("a", (handle) -> CompletableFuture.completedFuture(handle.name())))
			.succeedsWithin(Duration.ofSeconds(5))
			.isEqualTo("a");
	}

	@Test
	void workReturningNullFailsWithAnExplanation() {
		assertThat(this.here.executeAsync("a", LEASE_30S, (handle) -> null)).failsWithin(Duration.ofSeconds(5))
			.withThrowableOfType(ExecutionException.class)
			.withMessageContaining("The work under lock 'a' returned null.");
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@Test
	void aWaitWithoutATimeLimitGoesOn() throws Exception {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> waiter = queue("a", WAITING);
		assertThat(this.here.waiting()).hasSize(1);
		elsewhere.close();
		EngineFixture.granted(waiter).close();
	}

	@Test
	@DisplayName("A lock that is granted to a caller that has just gone is released without its minimum hold")
	void lockGrantedToACancelledCallerHasNoMinimumHold() {
		AtomicBoolean cancelled = new AtomicBoolean();
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> waiter = queue("a", WAITING.withMinHold(Duration.ofSeconds(20)));
		listener((event) -> {
			if (event instanceof LockEvent.Acquired) {
				cancelled.set(waiter.cancel(true));
			}
		});
		elsewhere.close();
		soon(() -> cancelled.get() && !this.there.isLocked("a"));
		assertThat(waiter).isCancelled();
	}

	@Test
	void workDoesNotBeginAfterACancellationAtTheGrant() {
		AtomicBoolean cancelled = new AtomicBoolean();
		CompletableFuture<CompletableFuture<String>> result = new CompletableFuture<>();
		listener((event) -> {
			if (event instanceof LockEvent.Acquired) {
				cancelled.set(result.join().cancel(true));
			}
		});
		result.complete(this.here.executeAsync("a", LEASE_30S.withMinHold(Duration.ofSeconds(20)),
				begin(new CompletableFuture<>())));
		soon(() -> cancelled.get() && !this.there.isLocked("a"));
		assertThat(this.begun).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void abandonedWorkContinuesUnderTheLock(Leaving leaving) {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.here.executeAsync("a", LEASE_30S.withAutoRenew(), begin(work));
		soon(this.begun::get);
		leaving.leave(result, "given");
		soon(result::isDone);
		passWithIo(Duration.ofMinutes(1));
		assertThat(this.there.isLocked("a")).isTrue();
		assertThat(work).isNotDone();
		work.complete("done");
		soon(() -> !this.there.isLocked("a"));
		assertThat(events(LockEvent.Lost.class)).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "true, true", "false, false" })
	void minimumHoldIsKeptUnlessAbandonedWorkFails(boolean successful, boolean kept) {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.here.executeAsync("a", LEASE_30S.withMinHold(Duration.ofSeconds(20)),
				begin(work));
		soon(this.begun::get);
		result.cancel(true);
		if (successful) {
			work.complete("done");
		}
		else {
			work.completeExceptionally(new IllegalStateException("test"));
		}
		soon(() -> this.here.held().isEmpty());
		this.here.awaitIo();
		assertThat(this.there.isLocked("a")).isEqualTo(kept);
	}

	@ParameterizedTest
	@EnumSource
	void abandoningTheFutureEndsTheWaitOfTheWork(Leaving leaving) {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		CompletableFuture<String> result = this.here.executeAsync("a", WAITING, begin(new CompletableFuture<>()));
		soon(() -> this.store.queued() == 1);
		leaving.leave(result, "given");
		soon(() -> this.store.queued() == 0);
		assertThat(this.here.waiting()).isEmpty();
		elsewhere.close();
		assertThat(this.begun).isFalse();
	}

	@Test
	void lossCancelsTheWorkIfLossesInterrupt() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.here.executeAsync("a", LEASE_30S.withOnLost(OnLost.INTERRUPT),
				begin(work));
		soon(this.begun::get);
		advance(Duration.ofSeconds(30));
		assertFails(result, LockLostException.class);
		soon(work::isCancelled);
	}

	@Test
	void lossLetsTheWorkContinueIfLossesAreLogged() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.here.executeAsync("a", LEASE_30S, begin(work));
		soon(this.begun::get);
		advance(Duration.ofSeconds(30));
		soon(() -> !events(LockEvent.Lost.class).isEmpty());
		assertThat(work).isNotDone();
		work.complete("done");
		assertThat(result).succeedsWithin(Duration.ofSeconds(5)).isEqualTo("done");
	}

	@Test
	void workMayReleaseItsLockItselfIfLossesThrow() {
		LockOptions options = LEASE_30S.withOnLost(OnLost.THROW);
		assertThat(this.here.<Integer, RuntimeException>execute("a", options, (handle) -> {
			handle.close();
			return 42;
		})).isEqualTo(42);
		assertThat(this.here.executeAsync("a", options, (handle) -> {
			handle.close();
			return CompletableFuture.completedFuture(43);
		})).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(43);
	}

	/**
	 * Work of which the test knows when it has begun; whoever leaves before gives the
	 * lock back.
	 */
	private Function<LockHandle, CompletableFuture<String>> begin(CompletableFuture<String> work) {
		return (handle) -> {
			this.begun.set(true);
			return work;
		};
	}

	/**
	 * How a caller stops to be interested in its future.
	 */
	enum Leaving {

		CANCELLATION, TIME_LIMIT, SUBSTITUTE;

		<T> void leave(CompletableFuture<T> future, T substitute) {
			switch (this) {
				case CANCELLATION -> future.cancel(true);
				case TIME_LIMIT -> future.orTimeout(1, TimeUnit.MILLISECONDS);
				case SUBSTITUTE -> future.complete(substitute);
			}
		}

	}

}
