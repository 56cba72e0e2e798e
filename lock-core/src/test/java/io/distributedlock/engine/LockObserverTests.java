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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockContext;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockObserver;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.internal.WorkUnderLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what the engine asks of a {@link LockObserver}.
 */
@Timeout(30)
class LockObserverTests extends EngineFixture {

	private final RecordingObserver observer = new RecordingObserver();

	@AutoClose
	private final DefaultLockService service = new DefaultLockService(this.store, EngineSettings.of("observed"),
			List.of(), this.ticker::nanos, this.observer);

	@Test
	void anAcquisitionItsWorkAndItsReleaseAreObserved() {
		assertThat(this.service.<Integer>execute("a", LEASE_30S, () -> 1)).isOne();
		assertThat(this.observer.log).containsExactly("asking 1", "1 acquired a by main", "1 open a", "1 close a",
				"1 Released a by main");
	}

	@Test
	void reentryIsNotObservedAsAnAcquisitionButOpensAScope() {
		this.service.<Integer>execute("a", LEASE_30S, () -> this.service.<Integer>execute("a", LEASE_30S, () -> 1));
		assertThat(this.observer.log).containsExactly("asking 1", "1 acquired a by main", "1 open a", "asking 2",
				"1 open a", "1 close a", "1 close a", "1 Released a by main");
	}

	@Test
	void aRefusalIsObservedWithTheHolder() {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.service.acquire("a", LEASE_30S));
		assertThat(this.service.tryAcquire("a", LEASE_30S)).isEmpty();
		elsewhere.close();
		assertThat(this.observer.log).containsExactly("asking 1", "1 BUSY a instance 'there' null", "asking 2",
				"2 BUSY a instance 'there' null");
	}

	@Test
	void unansweredRequestIsObserved() {
		LockHandle handle = this.service.acquire("a", LEASE_30S);
		this.store.mode(ControlledStore.Mode.FAIL);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> this.service.acquire("b", LEASE_30S));
		handle.close();
		this.store.mode(ControlledStore.Mode.ANSWER);
		assertThat(this.observer.log).startsWith("asking 1", "1 acquired a by main", "asking 2")
			.anyMatch((entry) -> entry.startsWith("2 UNAVAILABLE b null io.distributedlock"))
			.endsWith("1 ReleaseFailed a by main");
	}

	@Test
	void aLossIsObservedOnce() {
		LockHandle handle = this.service.acquire("a", LEASE_30S);
		this.ticker.advance(Duration.ofSeconds(29));
		this.service.runDue();
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		soon(() -> this.observer.log.size() == 3);
		handle.close();
		assertThat(this.observer.log).containsExactly("asking 1", "1 acquired a by main", "1 Lost a by main");
	}

	@Test
	void holdEndedByALocalHandOffIsObserved() {
		LockHandle first = this.service.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> second = this.service.acquireAsync("a", WAITING);
		first.close();
		second.join().close();
		soon(() -> this.observer.log.size() == 6);
		assertThat(this.observer.log).contains("1 Released a by main", "2 acquired a by async",
				"2 Released a by async");
	}

	@Test
	void callerAsksForAllLocksOfAnAsynchronousCall() {
		LockHandle handle = this.service.acquireAllAsync(List.of("b", "a"), LEASE_30S).join();
		assertThat(this.observer.log).containsExactly("asking 1", "1 acquired a by async", "1 acquired b by async");
		LockContext.Scope scope = LockContext.enter(handle);
		scope.close();
		assertThat(this.observer.log).endsWith("1 open a", "1 open b", "1 close b", "1 close a");
		assertThat(WorkUnderLock.contextOf(handle)).containsEntry("key", "value of b");
		handle.close();
	}

	@Test
	void failingObserverDoesNotAffectLocks() {
		this.observer.failing = true;
		assertThat(this.service.<Integer>execute("a", LEASE_30S, () -> 1)).isOne();
		this.observer.failing = false;
		this.observer.failingScopes = true;
		assertThat(this.service.<Integer>execute("a", LEASE_30S, () -> 1)).isOne();
		assertThat(this.there.tryAcquire("a", LEASE_30S)).hasValueSatisfying(LockHandle::close);
	}

	private static final class RecordingObserver implements LockObserver {

		private final List<String> log = new CopyOnWriteArrayList<>();

		private volatile boolean failing;

		private volatile boolean failingScopes;

		private int asked;

		private void log(String entry) {
			this.log.add(entry);
			if (this.failing) {
				throw new IllegalStateException("The observer fails, as expected");
			}
		}

		@Override
		public Object onRequest() {
			log("asking " + ++this.asked);
			return this.asked;
		}

		@Override
		public Object onAcquired(@Nullable Object asking, LockEvent.Acquired event, String holder, Duration elapsed) {
			log(asking + " acquired " + event.name() + " by " + holder);
			return new Held(asking, event.name());
		}

		@Override
		public void onNotAcquired(@Nullable Object asking, LockEvent.NotAcquired event, @Nullable LockInfo holder,
				@Nullable Throwable failure) {
			log(asking + " " + event.reason() + " " + event.name() + " "
					+ ((holder != null) ? holder.describeHolder() : null) + " " + failure);
		}

		@Override
		public void onEnded(@Nullable Object hold, LockEvent event, String holder) {
			log(hold + " " + event.getClass().getSimpleName() + " " + event.name() + " by " + holder);
		}

		@Override
		public Scope openScope(@Nullable Object hold, LockHandle handle) {
			log(hold + " open " + handle.name());
			return () -> {
				log(hold + " close " + handle.name());
				if (this.failingScopes) {
					throw new IllegalStateException("The scope fails, as expected");
				}
			};
		}

		@Override
		public Map<String, Object> contextValues(@Nullable Object hold) {
			return (hold instanceof Held held) ? Map.of("key", "value of " + held.name()) : Map.of();
		}

	}

	private record Held(@Nullable Object asking, String name) {

		@Override
		public String toString() {
			return String.valueOf(this.asking);
		}

	}

}
