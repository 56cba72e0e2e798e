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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.distributedlock.LockContext;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.OnLost;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who may enter a lock again, and who is interrupted when it is lost.
 */
@Timeout(30)
class OwnershipTests extends EngineFixture {

	private final ExecutorService pool = Executors.newFixedThreadPool(1);

	@AfterEach
	void stop() {
		this.pool.shutdownNow();
	}

	@Test
	void nextTaskOfAThreadDoesNotEnterADetachedLock() throws Exception {
		LockHandle kept = this.pool.submit(() -> this.here.acquire("kept", LEASE_30S)).get();
		LockHandle detached = this.pool.submit(() -> this.here.acquire("detached", LEASE_30S).detach()).get();
		assertThat(this.pool.submit(() -> this.here.tryAcquire("kept", LEASE_30S)).get()).isPresent();
		assertThat(this.pool.submit(() -> this.here.tryAcquire("detached", LEASE_30S)).get()).isEmpty();
		assertThat(this.pool.submit(() -> this.here.current("detached")).get()).isEmpty();
		assertThat(kept.isHeld() && detached.isHeld()).isTrue();
		detached.close();
		assertThat(this.here.isLocked("detached")).isFalse();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void theFirstHandleThatAnotherThreadClosesIsWarnedAbout(CapturedOutput output) throws Exception {
		this.here.acquire("own", LEASE_30S).close();
		granted(this.here.acquireAsync("async", LEASE_30S)).close();
		this.pool.submit(() -> this.here.acquire("detached", LEASE_30S).detach()).get().close();
		assertThat(output).doesNotContain("closes the handle");
		LockHandle first = this.pool.submit(() -> this.here.acquire("first", LEASE_30S)).get();
		LockHandle second = this.pool.submit(() -> this.here.acquire("second", LEASE_30S)).get();
		first.close();
		second.close();
		assertThat(output)
			.containsPattern("Thread 'main' closes the handle of lock 'first' that thread 'pool-.*' acquired")
			.doesNotContain("lock 'second'");
	}

	@Test
	void aHandleOfAnotherServiceInTheContextIsNotEntered() throws Exception {
		LockHandle there = this.there.acquire("a", LEASE_30S);
		try (LockContext.Scope scope = LockContext.enter(there)) {
			assertThat(this.here.tryAcquire("a", LEASE_30S)).isEmpty();
			assertThat(this.there.tryAcquire("a", LEASE_30S)).hasValueSatisfying(LockHandle::close);
		}
	}

	@Test
	void currentReturnsAnOpenHandle() {
		LockHandle outer = this.here.acquire("a", LEASE_30S);
		LockHandle first = this.here.acquire("a", LEASE_30S);
		LockHandle second = this.here.acquire("a", LEASE_30S);
		LockHandle third = this.here.acquire("a", LEASE_30S);
		assertThat(this.here.current("a")).containsSame(outer);
		outer.close();
		assertThat(this.here.current("a")).containsSame(first);
		second.close();
		assertThat(this.here.current("a")).containsSame(first);
		first.close();
		assertThat(this.here.current("a")).containsSame(third);
		LockHandle fourth = this.here.acquire("a", LEASE_30S);
		third.close();
		assertThat(this.here.current("a")).containsSame(fourth);
		fourth.close();
		assertThat(this.here.current("a")).isEmpty();
	}

	@Test
	void closedInnerHandleLeavesNoCallbacksAtTheHold() {
		LockHandle outer = this.here.acquire("a", LEASE_30S);
		List<LockEvent.Lost> told = new CopyOnWriteArrayList<>();
		for (int i = 0; i < 10; i++) {
			LockHandle inner = this.here.acquire("a", LEASE_30S);
			inner.onLost(told::add);
			inner.close();
			inner.onLost(told::add);
		}
		CompletableFuture<LockEvent.Lost> outermost = new CompletableFuture<>();
		outer.onLost(outermost::complete);
		assertThat(((Handle) outer).hold().incidents().takeCallbacks()).hasSize(1);
		outer.onLost(outermost::complete);
		advance(Duration.ofSeconds(29));
		assertThat(outermost).succeedsWithin(Duration.ofSeconds(10));
		assertThat(told).isEmpty();
	}

	@Test
	void aLossBeforeTheOptionsOfSeveralLocksApplyInterruptsTheOwner() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		advance(Duration.ofSeconds(29));
		soon(() -> handle.state() == LockState.LOST);
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		((Handle) handle).adopt(LEASE_30S.withOnLost(OnLost.INTERRUPT));
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		handle.close();
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void lossOfADetachedHandleDoesNotInterruptTheThread() throws Exception {
		LockOptions interrupting = LEASE_30S.withOnLost(OnLost.INTERRUPT);
		List<String> names = List.of("a", "b");
		LockHandle detached = this.pool.submit(() -> this.here.acquireAll(names, interrupting).detach()).get();
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		Future<Boolean> next = this.pool.submit(() -> {
			begun.countDown();
			end.await();
			return Thread.currentThread().isInterrupted();
		});
		begun.await();
		advance(Duration.ofSeconds(31));
		assertThat(detached.isHeld()).isFalse();
		soon(() -> this.here.held().isEmpty());
		end.countDown();
		assertThat(next.get()).isFalse();
		detached.close();
	}

	@Test
	void handleReentersTheLockInAnyThread() throws Exception {
		LockHandle outer = granted(this.here.acquireAsync("a", LEASE_30S));
		this.store.commands.clear();
		LockHandle inner = this.here.reenter(outer, LEASE_30S).orElseThrow();
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		outer.close();
		assertThat(this.here.isLocked("a")).as("held by the inner handle").isTrue();
		assertThat(this.here.reenter(outer, LEASE_30S)).as("closed").isEmpty();
		assertThat(this.here.reenter(inner, LEASE_30S.withLease(Duration.ofMinutes(1)))).isPresent();
		this.here.awaitIo();
		assertThat(inner.remaining()).isGreaterThan(Duration.ofSeconds(50));
		assertThat(this.store.commands).doesNotContain("acquire", "release");
	}

	@Test
	void severalLocksAreEnteredAgainTogetherOrNotAtAll() throws Exception {
		LockHandle outer = granted(this.here.acquireAllAsync(List.of("a", "b"), LEASE_30S));
		LockHandle inner = this.here.reenter(outer, LEASE_30S).orElseThrow();
		assertThat(inner.parts()).extracting(LockHandle::name).containsExactly("a", "b");
		inner.close();
		assertThat(outer.isHeld()).isTrue();
		outer.parts().get(1).close();
		assertThat(this.here.reenter(outer, LEASE_30S)).isEmpty();
		outer.close();
		assertThat(this.here.isLocked("a")).isFalse();
	}

	@Test
	void aHandleOfAnotherServiceOpensNothing() {
		DefaultLockService other = new DefaultLockService(new InMemoryLockStore(), EngineSettings.of("other"),
				List.of());
		LockHandle theirs = other.acquire("a", LEASE_30S);
		assertThat(this.here.reenter(theirs, LEASE_30S)).isEmpty();
		assertThat(other.reenter(theirs, LEASE_30S)).isPresent();
		other.close();
	}

	@Test
	void codeInTheContextOfALockReentersTheLockWithoutAnOwnerThread() throws Exception {
		LockHandle outer = granted(this.here.acquireAsync("a", LEASE_30S));
		assertThat(this.here.tryAcquire("a", LEASE_30S)).as("not called under it").isEmpty();
		try (LockContext.Scope scope = LockContext.enter(outer)) {
			assertThat(scope).isNotNull();
			try (LockHandle inner = this.here.acquire("a", WAITING)) {
				assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
			}
			assertThat(outer.isHeld()).isTrue();
			outer.close();
			assertThat(this.here.tryAcquire("a", LEASE_30S)).as("acquired anew").isPresent();
		}
	}

	@Test
	void threadsOfTheEngineInheritNothing() throws Exception {
		InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
		ClassLoader theirs = new ClassLoader() {
		};
		CompletableFuture<List<Object>> seen = new CompletableFuture<>();
		Thread alice = new Thread(() -> {
			user.set("alice");
			LockHandle handle = this.here.acquire("a", LEASE_30S);
			this.here.executeAsync("a", WAITING, (ignored) -> {
				seen.complete(List.of(String.valueOf(user.get()), Thread.currentThread().getContextClassLoader()));
				return CompletableFuture.completedFuture(null);
			});
			handle.close();
		});
		alice.setContextClassLoader(theirs);
		alice.start();
		assertThat(seen.get()).containsExactly("null", DefaultLockService.class.getClassLoader());
		alice.join();
	}

}
