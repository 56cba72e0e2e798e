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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;
import io.distributedlock.internal.LockRecord;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for the {@link LockRecord} of a handle.
 */
@Timeout(30)
class LockRecordTests extends EngineFixture {

	private static final Duration HOUR = Duration.ofHours(1);

	@Test
	void holderReplacesTheRecordWithOneCommandAndTheNextHolderFindsIt() throws Exception {
		LockHandle first = this.here.acquire("a", LEASE_30S);
		assertThat(replace(first, null, "one").get()).isEqualTo(held("one"));
		assertThat(this.store.count("record")).isEqualTo(1);
		first.close();
		LockHandle next = this.there.acquire("a", LEASE_30S);
		assertThat(replace(next, null, "two").get()).isEqualTo(held("one"));
		assertThat(replace(next, "one", "two").get()).isEqualTo(held("two"));
		assertThat(this.table.record("a").join()).contains("two");
	}

	@Test
	void holderLearnsThatThereIsNoRecord() throws Exception {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		assertThat(replace(handle, "one", "two").get()).isEqualTo(held(null));
		assertThat(replace(handle, null, "one").get()).isEqualTo(held("one"));
	}

	@Test
	void localHolderThatGotTheLeaseOfTheLastOneReplacesTheRecord() throws Exception {
		LockHandle first = acquireContended("a", WAITING);
		CompletableFuture<LockHandle> waiter = this.here.acquireAsync("a", WAITING);
		assertThat(replace(first, null, "one").get()).isEqualTo(held("one"));
		first.close();
		LockHandle second = granted(waiter);
		assertThat(replace(second, "one", "two").get()).isEqualTo(held("two"));
		assertFails(replace(first, "two", "three"), IllegalStateException.class);
		assertThat(this.table.record("a").join()).contains("two");
		second.close();
	}

	@Test
	void eachHandleOfAReentrantHolderReplacesTheRecord() throws Exception {
		LockHandle outer = this.here.acquire("a", LEASE_30S);
		LockHandle inner = this.here.acquire("a", LEASE_30S);
		assertThat(replace(inner, null, "one").get()).isEqualTo(held("one"));
		inner.close();
		assertFails(replace(inner, "one", "two"), IllegalStateException.class).withMessageContaining("closed already");
		assertThat(replace(outer, "one", "two").get()).isEqualTo(held("two"));
	}

	@Test
	void releasedHandleAsksNothing() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		handle.release();
		assertFails(replace(handle, null, "one"), IllegalStateException.class).withMessageContaining("lock 'a'")
			.withMessageContaining("closed already");
		assertThat(this.store.count("record")).isZero();
	}

	@Test
	void handleThatKnowsTheLossAsksNothing() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		advance(Duration.ofSeconds(29));
		assertFails(replace(handle, null, "one"), LockLostException.class).withMessageContaining("'a'");
		assertThat(this.store.count("record")).isZero();
		handle.close();
	}

	@Test
	void holderOfAVanishedLockIsAnsweredSoAndTold() throws Exception {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		LockHandle kept = this.here.acquire("b", LEASE_30S);
		AtomicReference<LockEvent.Lost> told = new AtomicReference<>();
		handle.onLost(told::set);
		this.table.release("a", token("a")).join();
		assertThat(replace(handle, null, "one").get()).isEqualTo(new LockRecord.Answer(false, null));
		this.here.awaitIo();
		assertThat(handle.state()).isEqualTo(LockState.LOST);
		soon(() -> told.get() != null);
		assertThat(told.get().cause()).isEqualTo(LossCause.KEY_VANISHED);
		assertThat(replace(kept, null, "one").get()).isEqualTo(held("one"));
		this.here.awaitIo();
		assertThat(kept.state()).isEqualTo(LockState.HELD);
		handle.close();
	}

	@Test
	void holderOfALockThatSomebodyElseHasIsAnsweredSoAndTold() throws Exception {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		this.table.release("a", token("a")).join();
		LockHandle other = this.there.acquire("a", LEASE_30S);
		assertThat(replace(other, null, "one").get()).isEqualTo(held("one"));
		assertThat(replace(handle, "one", "two").get()).isEqualTo(new LockRecord.Answer(false, null));
		this.here.awaitIo();
		soon(() -> events(LockEvent.Lost.class).size() == 1);
		assertThat(events(LockEvent.Lost.class).get(0).cause()).isEqualTo(LossCause.TAKEN_BY_OTHER);
		assertThat(this.table.record("a").join()).contains("one");
		handle.close();
	}

	@Test
	void oneOfSeveralHoldersCannotReplaceTheRecordAndKeepsTheLock() throws Exception {
		for (LockOptions options : List.of(LEASE_30S.withPermits(2), LEASE_30S.withShared())) {
			LockHandle handle = this.here.acquire("a", options);
			assertFails(replace(handle, null, "one"), IllegalStateException.class).withMessageContaining("Lock 'a'")
				.withMessageContaining("others");
			assertThat(handle.isHeld()).isTrue();
			handle.release();
		}
		assertThat(this.store.count("record")).isZero();
		assertThat(replace(this.here.acquire("a", LEASE_30S), null, "one").get()).isEqualTo(held("one"));
	}

	@Test
	void handleOnSeveralLocksHasNoRecord() {
		LockHandle both = this.here.acquireAll(List.of("a", "b"), LEASE_30S);
		assertThatIllegalStateException().isThrownBy(() -> LockRecord.of(both)).withMessageContaining("several locks");
		both.close();
	}

	@Test
	void wrongArgumentIsRefused() {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		LockRecord record = LockRecord.of(handle);
		assertThatIllegalArgumentException().isThrownBy(() -> record.replaceRecord(null, "", HOUR));
		assertThatIllegalArgumentException().isThrownBy(() -> record.replaceRecord(null, "one", Duration.ZERO));
		assertThat(this.store.count("record")).isZero();
	}

	@ParameterizedTest
	@EnumSource(names = { "FAIL", "LOSE_ANSWERS", "THROW" })
	void unavailableStoreIsToldWithTheNameOfTheLock(ControlledStore.Mode mode) throws Exception {
		LockHandle handle = this.here.acquire("order:1", LEASE_30S);
		this.store.mode(mode);
		assertFails(replace(handle, null, "one"), LockUnavailableException.class)
			.satisfies((ex) -> assertThat(((LockUnavailableException) ex).getLockName()).isEqualTo("order:1"));
		assertThat(handle.isHeld()).isTrue();
		this.store.mode(ControlledStore.Mode.ANSWER);
		assertThat(replace(handle, null, "one").get()).as("repeated").isEqualTo(held("one"));
	}

	@Test
	void refusingStoreIsToldWithTheNameOfTheLock() {
		LockHandle handle = this.here.acquire("order:1", LEASE_30S);
		this.store.mode(ControlledStore.Mode.REFUSE);
		assertFails(replace(handle, null, "one"), LockConfigurationException.class)
			.withMessageContaining("The test took the permission away.")
			.satisfies((ex) -> assertThat(((LockConfigurationException) ex).getLockName()).isEqualTo("order:1"));
		assertThat(handle.isHeld()).isTrue();
	}

	@Test
	void failureIsAnInterruption() {
		LockHandle gone = this.here.acquire("gone", LEASE_30S);
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		// Who has held a lock for a second listens for messages
		passWithIo(Duration.ofSeconds(1));
		this.table.release("gone", token("gone")).join();
		this.store.mode(ControlledStore.Mode.FAIL);
		assertFails(replace(handle, null, "one"), LockUnavailableException.class);
		this.store.mode(ControlledStore.Mode.ANSWER);
		passWithIo(Duration.ofSeconds(2));
		assertThat(gone.state()).isEqualTo(LockState.LOST);
		assertThat(handle.state()).isEqualTo(LockState.HELD);
		gone.close();
	}

	@Test
	void lateAnswerCompletesOutsideTheThreadOfTheStore() throws Exception {
		LockHandle handle = this.here.acquire("a", LEASE_30S);
		this.store.mode(ControlledStore.Mode.HOLD_ANSWERS);
		CompletableFuture<Thread> completedIn = replace(handle, null, "one")
			.thenApply((answer) -> Thread.currentThread());
		assertThat(completedIn).isNotDone();
		this.store.answer();
		assertThat(completedIn.get().getName()).startsWith("distributed-lock-async");
	}

	@Test
	void storeWithoutRecordsIsAConfigurationProblemWithAdvice() {
		try (DefaultLockService locks = new DefaultLockService(new WithoutRecords(this.table), EngineSettings.of("old"),
				List.of(), this.ticker::nanos)) {
			LockHandle handle = locks.acquire("order:1", LEASE_30S);
			assertFails(replace(handle, null, "one"), LockConfigurationException.class)
				.withMessage("Lock 'order:1' can have no record. This lock store (without records) keeps no records"
						+ " beside its locks. Use a store that does, or implement LockStore.replaceRecord(…) in this one.")
				.satisfies((ex) -> assertThat(((LockConfigurationException) ex).getLockName()).isEqualTo("order:1"));
			assertThat(handle.isHeld()).isTrue();
			handle.release();
		}
	}

	private CompletableFuture<LockRecord.Answer> replace(LockHandle handle, @Nullable String expected, String text) {
		return LockRecord.of(keep(handle)).replaceRecord(expected, text, HOUR);
	}

	private LockToken token(String name) {
		return LockToken.parse(this.table.find(name).join().orElseThrow().holder());
	}

	private static LockRecord.Answer held(@Nullable String text) {
		return new LockRecord.Answer(true, text);
	}

	private record WithoutRecords(LockStore store) implements LockStore {

		@Override
		public CompletableFuture<AcquireOutcome> acquire(AcquireRequest request) {
			return this.store.acquire(request);
		}

		@Override
		public List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions) {
			return this.store.extend(extensions);
		}

		@Override
		public CompletableFuture<ReleaseOutcome> release(String name, LockToken token) {
			return this.store.release(name, token);
		}

		@Override
		public CompletableFuture<Optional<StoredLock>> find(String name) {
			return this.store.find(name);
		}

		@Override
		public void listen(String instance, GrantListener listener) {
			this.store.listen(instance, listener);
		}

		@Override
		public String description() {
			return "without records";
		}

		@Override
		public void close() {
		}

	}

}
