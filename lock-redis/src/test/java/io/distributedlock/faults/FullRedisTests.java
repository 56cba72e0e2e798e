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
import java.util.Map;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.internal.LockRecord;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Redis has no memory left and refuses to write anything new, at each step of a hold.
 */
@EachClient
@Timeout(120)
class FullRedisTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private static final LockOptions PATIENT = LONG.withWaitTime(Duration.ofMinutes(1));

	private static final Duration RECORDED = Duration.ofMinutes(1);

	@RegisterExtension
	static final TestBed bed = TestBed.on(RedisServer.builder().config("maxmemory-policy", "noeviction"));

	FullRedisTests(ClientLibrary client) {
		bed.use(client);
	}

	@AfterEach
	void free() {
		limitMemory("0");
	}

	@Test
	@Shows("Redis out of memory (OOM)")
	void heldLockIsExtendedRenewedHandedOffAndReleased() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		Map<LockKind, LockHandle> held = LockKind.map((kind) -> here.locks.acquire(kind.named("x"), kind.of(LONG)));
		Map<LockKind, LockHandle> renewed = LockKind.map((kind) -> here.locks.acquire(kind.named("renewed"),
				kind.of(LONG).withAutoRenew(Duration.ofMinutes(1))));
		Map<LockKind, LockHandle> kept = LockKind
			.map((kind) -> here.locks.acquire(kind.named("kept"), kind.of(LONG).withMinHold(Duration.ofMinutes(3))));
		Map<LockKind, LockHandle> from = LockKind.map((kind) -> here.locks.acquire(kind.named("from"), kind.of(LONG)));
		Map<LockKind, LockHandle> to = LockKind.map((kind) -> here.locks.acquire(kind.named("to"), LONG));
		Map<LockKind, Call<LockHandle>> alone = LockKind.map((kind) -> waitFor(there, kind.named("from"), PATIENT));
		Map<LockKind, Call<LockHandle>> next = LockKind
			.map((kind) -> waitFor(there, kind.named("to"), kind.of(PATIENT)));
		bed.awaitInbox(there);

		limitMemory("1");
		LockKind.forEach((kind) -> {
			from.get(kind).release();
			to.get(kind).release();
			alone.get(kind).get().release();
			next.get(kind).get().release();
		});
		LockKind.forEach((kind) -> {
			held.get(kind).extend(Duration.ofMinutes(1));
			assertThat(bed.timeToLive(kind.named("x"))).isGreaterThan(Duration.ofMinutes(5));
		});
		here.advance(Duration.ofMinutes(1));
		LockKind.forEach((kind) -> {
			LockHandle handle = renewed.get(kind);
			await().atMost(TestBed.SOON).until(() -> handle.remaining().compareTo(Duration.ofMinutes(4)) > 0);
		});
		assertThat(here.events(LockEvent.RenewalFailed.class)).isEmpty();
		LockKind.forEach((kind) -> {
			kept.get(kind).release();
			assertThat(bed.timeToLive(kind.named("kept"))).isBetween(Duration.ofSeconds(1), Duration.ofMinutes(3));
			bed.endLeases(kind.named("kept"));
			held.get(kind).release();
			renewed.get(kind).release();
		});
		assertThat(here.events(LockEvent.Lost.class)).isEmpty();
		LockKind.forEach((kind) -> {
			for (String name : new String[] { "x", "renewed", "from", "to" }) {
				assertThat(bed.holders(kind.named(name))).as(name).isEmpty();
			}
		});
	}

	@Test
	@Shows("Redis out of memory (OOM)")
	void lockIsHandedToAWaiterThatHasWaitedForLong() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		Map<LockKind, LockHandle> from = LockKind.map((kind) -> here.locks.acquire(kind.named("from"), kind.of(LONG)));
		Map<LockKind, LockHandle> to = LockKind.map((kind) -> here.locks.acquire(kind.named("to"), LONG));
		Map<LockKind, Call<LockHandle>> alone = LockKind.map((kind) -> waitFor(there, kind.named("from"), PATIENT));
		Map<LockKind, Call<LockHandle>> next = LockKind
			.map((kind) -> waitFor(there, kind.named("to"), kind.of(PATIENT)));
		bed.awaitInbox(there);
		limitMemory("1");
		// Longer than a place in the queue is valid without another sign of life
		TestBed.pass(Duration.ofSeconds(5));
		LockKind.forEach((kind) -> {
			from.get(kind).release();
			to.get(kind).release();
			alone.get(kind).get().release();
			next.get(kind).get().release();
		});
		limitMemory("0");
		bed.assertNothingIsLeft();
	}

	@Test
	@Shows("Redis out of memory (OOM)")
	void heldLockIsHandedToWaitersThatArriveMeanwhile() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		Instance elsewhere = bed.instance("elsewhere");
		Map<LockKind, LockHandle> held = LockKind.map((kind) -> here.locks.acquire(kind.named("from"), kind.of(LONG)));
		limitMemory("1");
		Map<LockKind, Call<LockHandle>> first = LockKind.map((kind) -> waitFor(there, kind.named("from"), PATIENT));
		Map<LockKind, Call<LockHandle>> second = LockKind
			.map((kind) -> waitFor(elsewhere, kind.named("from"), PATIENT, 2));
		TestBed.pass(Duration.ofSeconds(5));
		LockKind.forEach((kind) -> {
			held.get(kind).release();
			first.get(kind).get().release();
			second.get(kind).get().release();
		});
		limitMemory("0");
		bed.assertNothingIsLeft();
	}

	@Test
	void permitIsHandedToAWaiterBesideAnotherHolder() {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		LockOptions permits = LockKind.PERMITS.of(LONG);
		LockHandle one = here.locks.acquire("pair", permits);
		LockHandle other = Call.start(() -> here.locks.acquire("pair", permits)).get();
		Call<LockHandle> next = waitFor(there, "pair", permits.withWaitTime(Duration.ofMinutes(1)));
		bed.awaitInbox(there);
		limitMemory("1");
		one.release();
		LockHandle granted = next.get();
		assertThat(bed.holders("pair")).hasSize(2);
		other.extend(Duration.ofMinutes(1));
		granted.release();
		other.release();
		assertThat(bed.holders("pair")).isEmpty();
	}

	@Test
	@Shows("Redis out of memory (OOM)")
	@ExtendWith(OutputCaptureExtension.class)
	void newLockIsRefusedWithTheReasonAndGrantedWhenThereIsMemoryAgain(CapturedOutput output) {
		Instance here = bed.instance("here");
		Instance there = bed.instance("there");
		Map<LockKind, LockHandle> held = LockKind
			.map((kind) -> here.locks.acquire(kind.named("beside"), kind.of(LONG)));
		limitMemory("1");
		LockKind.forEach((kind) -> {
			assertRefused(there, kind.named("x"), kind.of(LONG));
			if (kind != LockKind.EXCLUSIVE) {
				assertRefused(there, kind.named("beside"), kind.of(LONG));
			}
		});
		await().atMost(TestBed.SOON)
			.until(() -> output.toString()
				.contains("Further refusals for this reason are logged at most once a minute."));
		assertThat(output.toString().lines().filter((line) -> line.contains("Redis cannot serve lock"))).singleElement()
			.asString()
			.contains("WARN", "OOM", "Free memory in Redis, or raise its maxmemory.");
		Map<LockKind, Call<LockHandle>> waiting = LockKind
			.map((kind) -> Call.start(() -> here.locks.acquire(kind.named("x"), kind.of(PATIENT))));
		await().atMost(TestBed.SOON).until(() -> here.locks.waiting().size() == waiting.size());
		limitMemory("0");
		LockKind.forEach((kind) -> {
			waiting.get(kind).get().release();
			assertThat(waiting.get(kind).took()).isLessThan(TestBed.SOON);
			held.get(kind).release();
		});
		bed.assertNothingIsLeft();
	}

	@Test
	void newRecordIsRefusedWithTheReasonAndWrittenWhenThereIsMemoryAgain() {
		Instance here = bed.instance("here");
		LockHandle handle = here.locks.acquire("recorded", LONG);
		LockRecord record = LockRecord.of(handle);
		LockRecord.Answer one = new LockRecord.Answer(true, "one");
		LockRecord.Answer two = new LockRecord.Answer(true, "two");
		assertThat(record.replaceRecord(null, "one", RECORDED).join()).isEqualTo(one);
		limitMemory("1");
		assertThat(record.replaceRecord("one", "two", RECORDED)).failsWithin(TestBed.SOON)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockUnavailableException.class)
			.withMessageContaining("OOM");
		assertThat(record.replaceRecord(null, "two", RECORDED).join()).as("the old one is still there, and can be read")
			.isEqualTo(one);
		assertThat(handle.isHeld()).isTrue();
		limitMemory("0");
		assertThat(record.replaceRecord("one", "two", RECORDED).join()).isEqualTo(two);
		handle.release();
	}

	private static void assertRefused(Instance instance, String name, LockOptions options) {
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> instance.locks.acquire(name, options))
			.withMessageContaining("OOM");
	}

	private static Call<LockHandle> waitFor(Instance instance, String name, LockOptions options) {
		return waitFor(instance, name, options, 1);
	}

	private static Call<LockHandle> waitFor(Instance instance, String name, LockOptions options, long queueLength) {
		Call<LockHandle> call = Call.start(() -> instance.locks.acquire(name, options));
		bed.awaitQueueLength(name, queueLength);
		return call;
	}

	private static void limitMemory(String bytes) {
		bed.server().cli("CONFIG", "SET", "maxmemory", bytes);
	}

}
