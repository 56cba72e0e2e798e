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

package io.distributedlock.faults;

import java.time.Duration;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Redis has no memory left and refuses to write anything new.
 */
@Timeout(120)
class FullRedisTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	@RegisterExtension
	static final TestBed bed = TestBed.on(RedisServer.builder().config("maxmemory-policy", "noeviction"));

	@AfterEach
	void free() {
		limitMemory("0");
	}

	@Test
	void whatIsHeldIsExtendedRenewedHandedOffAndReleased() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		LockHandle held = here.locks.acquire("x", LONG);
		LockHandle contended = here.locks.acquire("contended", LONG);
		LockHandle renewed = here.locks.acquire("renewed", LONG.withAutoRenew(Duration.ofMinutes(1)));
		Call<LockHandle> waiting = Call
			.start(() -> there.locks.acquire("contended", LONG.withWaitTime(Duration.ofMinutes(1))));
		bed.awaitQueueLength("contended", 1);
		bed.awaitInbox(there);

		limitMemory("1");
		// First: the waiter can neither confirm its place now, nor acquire a lock that is
		// free
		contended.release();
		waiting.get().release();
		held.extend(Duration.ofMinutes(1));
		assertThat(bed.timeToLive("x")).isGreaterThan(Duration.ofMinutes(5));
		here.advance(Duration.ofMinutes(1));
		await().atMost(TestBed.SOON).until(() -> renewed.remaining().compareTo(Duration.ofMinutes(4)) > 0);
		held.release();
		renewed.release();
		bed.assertNothingIsLeft();
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
	}

	@Test
	void aNewLockIsRefusedWithTheReasonAndGrantedWhenThereIsMemoryAgain() {
		Instance here = bed.instance("here");
		limitMemory("1");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> here.locks.acquire("x", LONG))
			.withMessageContaining("OOM");
		Call<LockHandle> waiting = Call.start(() -> here.locks.acquire("x", LONG.withWaitTime(Duration.ofMinutes(1))));
		await().atMost(TestBed.SOON).until(() -> !here.locks.waiting().isEmpty());
		limitMemory("0");
		waiting.get().release();
		assertThat(waiting.took()).isLessThan(TestBed.SOON);
		bed.assertNothingIsLeft();
	}

	private void limitMemory(String bytes) {
		bed.server().cli("CONFIG", "SET", "maxmemory", bytes);
	}

}
