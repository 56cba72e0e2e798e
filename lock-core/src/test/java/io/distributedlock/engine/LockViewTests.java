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

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LockView.Locked}, and for the {@link LockView views} that use them.
 */
@Timeout(30)
class LockViewTests extends EngineFixture {

	private final LockView.Locked locks = new LockView.Locked();

	@Test
	void findsTheInnermostHandleOfANameInAnyOrderOfNames() {
		Handle outer = (Handle) this.here.acquire("a", LEASE_30S);
		Handle other = (Handle) this.here.acquire("b", LEASE_30S);
		Handle inner = (Handle) this.here.acquire("a", LEASE_30S);
		this.locks.push(outer, 1);
		this.locks.push(other, 1);
		this.locks.push(inner, 1);
		assertThat(this.locks.pop("c", 1)).isNull();
		assertThat(this.locks.pop("a", 1)).isSameAs(inner);
		assertThat(this.locks.pop("a", 1)).isSameAs(outer);
		assertThat(this.locks.pop("a", 1)).isNull();
		assertThat(this.locks.pop("b", 1)).isSameAs(other);
		assertThat(this.locks.pop("b", 1)).isNull();
	}

	@Test
	void eachThreadHasSeparateHandles() throws Exception {
		this.locks.push((Handle) this.here.acquire("a", LEASE_30S), 1);
		AtomicReference<Object> found = new AtomicReference<>("nothing");
		Thread thread = new Thread(() -> found.set(this.locks.pop("a", 1)));
		thread.start();
		thread.join();
		assertThat(found).hasNullValue();
		assertThat(this.locks.pop("a", 1)).isNotNull();
	}

	@Test
	void locksOfDifferentNamesMayBeUnlockedInAnyOrder() {
		Lock first = this.here.asLock("a", LEASE_30S);
		Lock second = this.here.asLock("b", LEASE_30S);
		first.lock();
		second.lock();
		first.unlock();
		assertThat(this.there.isLocked("a")).isFalse();
		assertThat(this.there.isLocked("b")).isTrue();
		second.unlock();
		assertThat(this.there.isLocked("b")).isFalse();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(second::unlock)
			.withMessageContaining("has not locked 'b'");
	}

	@Test
	void aReadLockAndAWriteLockAreUnlockedSeparately() {
		ReadWriteLock both = this.here.asReadWriteLock("a", LEASE_30S);
		both.readLock().lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(both.writeLock()::unlock)
			.withMessageContaining("has not locked 'a' exclusively");
		assertThat(this.there.tryAcquire("a", LEASE_30S)).isEmpty();
		both.readLock().unlock();
		both.writeLock().lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(both.readLock()::unlock)
			.withMessageContaining("has not locked 'a' shared");
		both.readLock().lock();
		both.writeLock().unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(both.writeLock()::unlock);
		assertThat(this.there.isLocked("a")).isTrue();
		both.readLock().unlock();
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@Test
	void aLockWithPermitsIsUnlockedWithTheSamePermits() {
		Lock two = this.here.asLock("a", LEASE_30S.withPermits(2));
		Lock three = this.here.asLock("a", LEASE_30S.withPermits(3));
		two.lock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(three::unlock)
			.withMessageContaining("has not locked 'a' with 3 permits");
		this.here.asLock("a", LEASE_30S.withPermits(2)).unlock();
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@Test
	void uninterruptibleLockIsAcquiredDespiteAnInterruptAndKeepsTheInterrupt() throws Exception {
		Lock elsewhere = this.here.asLock("a", LEASE_30S);
		elsewhere.lock();
		AtomicReference<Boolean> flag = new AtomicReference<>();
		Thread thread = new Thread(() -> {
			Lock lock = this.here.asLock("a", LEASE_30S);
			lock.lock();
			flag.set(Thread.currentThread().isInterrupted());
			lock.unlock();
		});
		thread.start();
		soon(() -> this.here.waiting().size() == 1);
		thread.interrupt();
		elsewhere.unlock();
		thread.join();
		assertThat(flag).hasValue(true);
		assertThat(this.here.held()).isEmpty();
	}

}
