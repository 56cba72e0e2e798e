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
import java.util.List;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.distributedlock.testsupport.FaultProxy;
import io.distributedlock.testsupport.RedisServer;
import io.distributedlock.testsupport.Replication;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A waiter goes on listening to a server that has become the replica of another one.
 */
@EachClient
@Timeout(120)
class WaitersOnReplicaTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(5));

	private static final LockOptions WAITING = LONG.withWaitTime(Duration.ofMinutes(1));

	@RegisterExtension
	static final TestBed bed = TestBed.on(RedisServer.builder().embedded());

	private RedisServer old;

	private Instance far;

	WaitersOnReplicaTests(ClientLibrary client) {
		bed.use(client);
	}

	@BeforeEach
	void failOver() {
		this.old = bed.closeLater(RedisServer.builder().embedded().start());
		FaultProxy master = bed.closeLater(FaultProxy.to(this.old));
		this.far = bed.instance("far", master.host(), master.port(), Instance.PATIENT);
		Instance other = bed.instance("other", this.old.host(), this.old.port(), Instance.PATIENT);
		LockHandle held = other.locks.acquire("before", LONG);
		Call<LockHandle> waiting = Call.start(() -> this.far.locks.acquire("before", WAITING));
		await().atMost(TestBed.SOON).until(this::isListeningToTheOldServer);
		held.close();
		waiting.get().close();
		this.old.cli("REPLICAOF", bed.server().host(), String.valueOf(bed.server().port()));
		Replication.awaitInSync(bed.server(), this.old);
		master.leadTo(bed.server());
		this.old.cli("CLIENT", "KILL", "TYPE", "normal");
		this.far.warm();
		assertThat(isListeningToTheOldServer()).isTrue();
	}

	@Test
	@Shows("A client takes a replica for the master, as after a failover")
	void whoHearsOnlyTheReplicaIsNotToldOfALockThatAnotherGets() {
		Instance here = bed.instance("here");
		Instance near = bed.instance("near");
		LockKind.forEach((kind) -> {
			String name = kind.named("x");
			LockHandle held = here.locks.acquire(name, LONG);
			Call<LockHandle> passedOver = Call.start(() -> this.far.locks.acquire(name, kind.of(WAITING)));
			bed.awaitQueueLength(name, 1);
			Call<LockHandle> next = Call.start(() -> near.locks.acquire(name, WAITING));
			bed.awaitQueueLength(name, 2);
			bed.awaitInbox(near);
			assertThat(isListeningToTheOldServer()).isTrue();
			held.close();
			assertThat(next.get().isHeld()).isTrue();
			TestBed.always(Duration.ofMillis(300), () -> !passedOver.isDone());
			next.get().close();
			assertThat(passedOver.get().isHeld()).isTrue();
			passedOver.get().close();
		});
		bed.assertNothingIsLeft();
	}

	private boolean isListeningToTheOldServer() {
		return !((List<?>) this.old.cli("PUBSUB", "CHANNELS", "lock:inbox:far*")).isEmpty();
	}

}
