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

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LossCause;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.Grant;
import io.distributedlock.store.LockToken;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a message can do that does not come from the store, or comes late: nothing.
 */
@Timeout(30)
class ForgedGrantTests extends EngineFixture {

	private static final Duration SHORT = Duration.ofSeconds(3);

	/** Larger than those of the store. */
	private static final long FENCE = 1L << 60;

	@Test
	void waiterTrustsOnlyAMessageWithItsNonce() throws Exception {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> waiter = queue("a", WAITING);
		AcquireRequest request = this.store.lastRequest();
		long nonce = request.waiting().nonce();
		LockToken other = new LockToken(this.here.instanceId(), request.token().sequence() + 1);
		LockToken foreign = new LockToken("elsewhere", request.token().sequence());
		this.store.commands.clear();
		for (Grant forged : List.of(grant(request.token(), 0), grant(request.token(), nonce + 1), grant(other, nonce),
				grant(foreign, nonce))) {
			this.store.publish(this.here.instanceId(), forged);
		}
		this.here.awaitIo();
		assertThat(waiter).isNotDone();
		assertThat(this.store.commands).as("what a forger can cause").isEmpty();
		this.store.publish(this.here.instanceId(), grant(request.token(), nonce));
		assertThat(granted(waiter).fencingToken()).isEqualTo(FENCE);
		elsewhere.close();
	}

	@Test
	void noMessageMakesAnInstanceReleaseAnything() {
		LockHandle elsewhere = this.there.acquire("theirs", LEASE_30S);
		listen();
		LockHandle ours = this.here.acquire("ours", LEASE_30S);
		long sequence = this.store.lastRequest().token().sequence();
		this.here.acquire("lingering", LEASE_30S.withMinHold(Duration.ofSeconds(20))).close();
		long lingering = this.store.lastRequest().token().sequence();
		this.store.commands.clear();
		for (long number = 1; number <= lingering; number++) {
			for (String name : List.of("theirs", "ours", "lingering", "free")) {
				for (String instance : List.of(this.here.instanceId(), this.there.instanceId())) {
					this.store.publish(this.here.instanceId(),
							new Grant(name, new LockToken(instance, number), FENCE, 1, SHORT, 0));
				}
			}
		}
		this.here.awaitIo();
		assertThat(sequence).isLessThan(lingering);
		assertThat(this.store.commands).isEmpty();
		assertThat(ours.isHeld() && elsewhere.isHeld()).isTrue();
		assertThat(this.there.isLocked("lingering")).isTrue();
		ours.close();
		elsewhere.close();
	}

	@Test
	void lateGrantMessageDoesNotShortenAMinimumHold() throws Exception {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> waiter = queue("a", WAITING.withMinHold(Duration.ofSeconds(20)));
		this.store.grants(ControlledStore.Grants.HOLD);
		elsewhere.close();
		passWithIo(Duration.ofSeconds(1));
		granted(waiter).close();
		this.store.deliver();
		this.here.awaitIo();
		assertThat(this.there.isLocked("a")).isTrue();
		passWithIo(Duration.ofSeconds(20));
		assertThat(this.there.isLocked("a")).isFalse();
	}

	@Test
	void pushedGrantIsConfirmedEvenIfTheLeaseSuits() throws Exception {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> waiter = queue("a", WAITING.withLease(SHORT));
		elsewhere.close();
		LockHandle handle = granted(waiter);
		passWithIo(Duration.ofSeconds(1));
		assertThat(this.store.count("extension")).isEqualTo(1);
		assertThat(handle.isHeld()).isTrue();
		handle.close();
	}

	@Test
	void unconfirmedGrantIsLost() throws Exception {
		LockHandle elsewhere = this.there.acquire("a", LEASE_30S);
		CompletableFuture<LockHandle> waiter = queue("a", WAITING.withLease(SHORT));
		AcquireRequest request = this.store.lastRequest();
		this.store.publish(this.here.instanceId(), grant(request.token(), request.waiting().nonce()));
		LockHandle handle = granted(waiter);
		passWithIo(Duration.ofMillis(500));
		assertThat(handle.isHeld()).isFalse();
		soon(() -> !events(LockEvent.Lost.class).isEmpty());
		assertThat(events(LockEvent.Lost.class)).extracting(LockEvent.Lost::cause)
			.containsExactly(LossCause.TAKEN_BY_OTHER);
		assertThat(elsewhere.isHeld()).isTrue();
		elsewhere.close();
	}

	private void listen() {
		CompletableFuture<LockHandle> waiter = queue("theirs", WAITING);
		waiter.cancel(true);
	}

	private static Grant grant(LockToken token, long nonce) {
		return new Grant("a", token, FENCE, 1, SHORT, nonce);
	}

}
