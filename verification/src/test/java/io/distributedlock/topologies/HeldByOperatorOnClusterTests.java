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
package io.distributedlock.topologies;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.actuate.endpoint.LocksEndpoint;
import io.distributedlock.actuate.endpoint.LocksEndpoint.ForceReleaseDescriptor.Outcome;
import io.distributedlock.actuate.endpoint.LocksEndpoint.HoldDescriptor;
import io.distributedlock.actuate.endpoint.LocksEndpoint.HoldDescriptor.HoldOutcome;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LockDescriptor;
import io.distributedlock.actuate.endpoint.LocksEndpoint.WhenHeld;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.faults.Call;
import io.distributedlock.faults.ClientLibrary;
import io.distributedlock.faults.Instance;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.store.StoreReport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.actuate.endpoint.Show;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * An operator holds a lock for a time, in a cluster.
 */
@ParameterizedClass
@EnumSource(ClientLibrary.class)
@Tag("topologies")
@Timeout(120)
class HeldByOperatorOnClusterTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static ClusterTopology topology;

	private final ClientLibrary client;

	private Instance here;

	private Instance there;

	HeldByOperatorOnClusterTests(ClientLibrary client) {
		this.client = client;
	}

	@BeforeAll
	static void startTopology() {
		topology = ClusterTopology.start();
	}

	@AfterAll
	static void stopTopology() {
		topology.close();
	}

	@BeforeEach
	void startInstances() {
		this.here = new Instance(EngineSettings.of("here"), topology.configuration(), this.client).warm();
		this.there = new Instance(EngineSettings.of("there"), topology.configuration(), this.client).warm();
	}

	@AfterEach
	void stopInstances() {
		this.here.close();
		this.there.close();
	}

	@Test
	void everyKindOfCallerIsRefusedWithTheReasonUntilTheOperatorEndsTheHold() {
		LocksEndpoint endpoint = endpointOf(this.there);
		LockKind.forEach((kind) -> {
			String name = kind.named("refused" + this.client);
			LockOptions options = kind.of(LockOptions.ofLease(MINUTE));
			assertThat(endpoint.hold(name, "10m", "maintenance", null, null).outcome()).isEqualTo(HoldOutcome.HELD);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.here.locks.acquire(name, options))
				.withMessageContaining("held by operator 'JMX' (maintenance)");
			LockDescriptor lock = endpointOf(this.here).lock(name);
			assertThat(lock.heldBy()).isEqualTo(LockInfo.Kind.OPERATOR);
			Call<LockHandle> waiting = Call.start(() -> this.here.locks.acquire(name, options.withWaitTime(MINUTE)));
			awaitQueueLength(name, 1);
			String hold = Objects.requireNonNull(lock.hold());
			assertThat(endpointOf(this.here).forceRelease(name, hold).outcome()).isEqualTo(Outcome.RELEASED);
			waiting.get().release();
		});
		endpoint.close();
	}

	@Test
	void operatorGetsTheLockAfterThePresentHoldersOfEachKindAndBeforeLaterWaiters() {
		LocksEndpoint endpoint = endpointOf(this.there);
		LockKind.forEach((kind) -> {
			String name = kind.named("awaited" + this.client);
			LockOptions options = kind.of(LockOptions.ofLease(MINUTE));
			LockHandle handle = this.here.locks.acquire(name, options);
			HoldDescriptor waits = endpoint.hold(name, "10m", "maintenance", WhenHeld.WAIT, null);
			assertThat(waits.outcome()).isEqualTo(HoldOutcome.WAITING);
			Call<LockHandle> later = Call.start(() -> this.there.locks.acquire(name, options.withWaitTime(MINUTE)));
			awaitQueueLength(name, 2);
			assertThat(handle.isHeld()).isTrue();
			handle.release();
			LockDescriptor lock = endpoint.lock(name);
			assertThat(lock.hold()).isEqualTo(waits.hold());
			assertThat(lock.remaining()).as("its whole time, without a further request")
				.isGreaterThan(Duration.ofMinutes(9));
			String hold = Objects.requireNonNull(waits.hold());
			assertThat(endpoint.forceRelease(name, hold).outcome()).isEqualTo(Outcome.RELEASED);
			later.get().release();
		});
		endpoint.close();
	}

	private void awaitQueueLength(String name, int length) {
		await().atMost(MINUTE)
			.until(() -> this.here.store.describe(name).join().orElseThrow().queue().size() == length);
	}

	private static LocksEndpoint endpointOf(Instance instance) {
		LocksEndpoint.Sources sources = new LocksEndpoint.Sources(instance.locks, instance.locks, instance.store,
				() -> StoreReport.EMPTY, instance.locks.instanceId());
		return new LocksEndpoint(() -> sources, List::of, List::of, List::of, InstantSource.system(), (event) -> {
		}, Show.ALWAYS);
	}

}
