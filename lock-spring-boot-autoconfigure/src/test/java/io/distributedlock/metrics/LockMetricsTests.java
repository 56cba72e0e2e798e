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

package io.distributedlock.metrics;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.HeldLock;
import io.distributedlock.LockEvent;
import io.distributedlock.LockEvent.Reason;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LossCause;
import io.distributedlock.WaitingLock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LockMetrics}.
 */
class LockMetricsTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final String NAME = "order:4711";

	private static final String DECLARED_NAME = "OrderService.pay";

	private final MeterRegistry registry = new SimpleMeterRegistry();

	private final LockService service = mock(LockService.class);

	private final LockMetrics metrics = new LockMetrics(this.registry, () -> this.service, 100);

	@Test
	void acquiredLocksAreTimedFromTheCallToTheGrant() {
		this.metrics.onLockEvent(new LockEvent.Acquired(NAME, DECLARED_NAME, Duration.ofMillis(5), false, 1, LEASE));
		this.metrics.onLockEvent(new LockEvent.Acquired(NAME, DECLARED_NAME, Duration.ofMillis(7), false, 2, LEASE));
		Timer timer = acquireTimer("acquired");
		assertThat(timer.count()).isEqualTo(2);
		assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(12);
	}

	@ParameterizedTest
	@EnumSource
	void refusalsAreTimedByTheirReason(Reason reason) {
		this.metrics.onLockEvent(new LockEvent.NotAcquired(NAME, DECLARED_NAME, Duration.ofMillis(5), reason));
		assertThat(acquireTimer(reason.name().toLowerCase()).totalTime(TimeUnit.MILLISECONDS)).isEqualTo(5);
		assertThat(this.registry.find("distributed.lock.acquire").timers()).hasSize(1);
	}

	@Test
	void releasedLocksAreTimed() {
		this.metrics.onLockEvent(new LockEvent.Released(NAME, DECLARED_NAME, Duration.ofSeconds(3), 1, LEASE));
		assertThat(holdTimer("released").totalTime(TimeUnit.SECONDS)).isEqualTo(3);
	}

	@ParameterizedTest
	@EnumSource
	void lostLocksAreTimedAndCountedByTheirCause(LossCause cause) {
		this.metrics
			.onLockEvent(new LockEvent.Lost(NAME, DECLARED_NAME, Duration.ofSeconds(3), 1, LEASE, cause, "Because."));
		assertThat(holdTimer("lost").totalTime(TimeUnit.SECONDS)).isEqualTo(3);
		assertThat(this.registry.get("distributed.lock.lost")
			.tags("lock.name", DECLARED_NAME, "cause", cause.name().toLowerCase())
			.counter()
			.count()).isOne();
	}

	@Test
	void failedReleasesAreCounted() {
		this.metrics.onLockEvent(
				new LockEvent.ReleaseFailed(NAME, DECLARED_NAME, new IllegalStateException("connection reset")));
		assertThat(this.registry.get("distributed.lock.release.failures")
			.tag("lock.name", DECLARED_NAME)
			.counter()
			.count()).isOne();
	}

	@Test
	void aLockAtRiskIsNotMetered() {
		this.metrics.onLockEvent(new LockEvent.AtRisk(NAME, DECLARED_NAME, 1, Duration.ofSeconds(1)));
		assertThat(this.registry.getMeters()).filteredOn(Timer.class::isInstance).isEmpty();
		assertThat(this.registry.find("distributed.lock.lost").counters()).allMatch((counter) -> counter.count() == 0);
	}

	@Test
	void theEvaluatedNameIsNeverATag() {
		IntStream.range(0, 50)
			.forEach((i) -> this.metrics.onLockEvent(
					new LockEvent.Acquired("order:" + i, DECLARED_NAME, Duration.ofMillis(1), false, i, LEASE)));
		assertThat(names()).containsExactlyInAnyOrder(DECLARED_NAME, "other");
	}

	@Test
	void whatShouldNotHappenIsCountedFromZero() {
		this.metrics.declare(List.of("a", "b"));
		for (String declaredName : List.of("a", "b", "other")) {
			assertThat(this.registry.get("distributed.lock.lost").tag("lock.name", declaredName).counters())
				.hasSize(LossCause.values().length)
				.allMatch((counter) -> counter.count() == 0);
			assertThat(this.registry.get("distributed.lock.release.failures")
				.tag("lock.name", declaredName)
				.counter()
				.count()).isZero();
		}
	}

	@Test
	void theCountersOfANameThatWasNotDeclaredAreThereWithItsFirstEvent() {
		this.metrics.onLockEvent(new LockEvent.Acquired(NAME, DECLARED_NAME, Duration.ofMillis(5), false, 1, LEASE));
		assertThat(this.registry.get("distributed.lock.lost").tag("lock.name", DECLARED_NAME).counters())
			.hasSize(LossCause.values().length);
	}

	@Test
	void aRegistryThatOutlivesTheServiceGetsTheGaugesOfTheNextOne() {
		given(this.service.held()).willReturn(List
			.of(new HeldLock(NAME, DECLARED_NAME, "main", Duration.ofSeconds(1), Duration.ofSeconds(29), 1, false)));
		this.metrics.onLockEvent(new LockEvent.Released(NAME, DECLARED_NAME, Duration.ofSeconds(3), 1, LEASE));
		this.metrics.close();
		assertThat(this.registry.find("distributed.lock.held").gauges()).isEmpty();
		assertThat(this.registry.find("distributed.lock.waiting").gauges()).isEmpty();
		assertThat(holdTimer("released").count()).isOne();
		new LockMetrics(this.registry, () -> this.service, 100);
		assertThat(this.registry.get("distributed.lock.held").gauge().value()).isOne();
	}

	@Test
	void whoCameSecondDoesNotRemoveTheGaugesOfTheFirst() {
		new LockMetrics(this.registry, () -> null, 100).close();
		assertThat(this.registry.get("distributed.lock.held").gauge()).isNotNull();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void whatIsMeteredTogetherIsToldOnce(CapturedOutput output) {
		LockMetrics limited = new LockMetrics(this.registry, () -> this.service, 1);
		for (int i = 0; i < 3; i++) {
			for (String declaredName : List.of(LockOptions.UNDECLARED, "b", "c")) {
				limited.onLockEvent(new LockEvent.Released(NAME, declaredName, Duration.ofMillis(1), 1, LEASE));
			}
		}
		assertThat(output).containsOnlyOnce("metered together, as 'undeclared'. Give them one")
			.containsOnlyOnce("There are more than 1 names of locks: the rest is metered together, as 'other'");
	}

	@Test
	void namesBeyondTheLimitAreCountedTogether() {
		LockMetrics limited = new LockMetrics(this.registry, () -> this.service, 2);
		for (int round = 0; round < 2; round++) {
			for (String declaredName : List.of("a", "b", "c", "d")) {
				limited.onLockEvent(new LockEvent.Released(NAME, declaredName, Duration.ofMillis(1), 1, LEASE));
			}
		}
		assertThat(names()).containsExactlyInAnyOrder("a", "b", "other");
		assertThat(this.registry.get("distributed.lock.hold").tag("lock.name", "other").timer().count()).isEqualTo(4);
		assertThat(this.registry.get("distributed.lock.hold").tag("lock.name", "a").timer().count()).isEqualTo(2);
	}

	@Test
	void theLimitHoldsAlsoWhenManyThreadsComeWithNewNames() {
		LockMetrics limited = new LockMetrics(this.registry, () -> this.service, 10);
		IntStream.range(0, 2000)
			.parallel()
			.forEach((i) -> limited
				.onLockEvent(new LockEvent.Released(NAME, "name" + i, Duration.ofMillis(1), 1, LEASE)));
		assertThat(names()).hasSize(11);
		assertThat(this.registry.find("distributed.lock.hold").timers().stream().mapToLong(Timer::count).sum())
			.isEqualTo(2000);
	}

	@Test
	void gaugesTellWhatIsHeldAndWaitedForAtTheMoment() {
		given(this.service.held()).willReturn(List
			.of(new HeldLock(NAME, DECLARED_NAME, "main", Duration.ofSeconds(1), Duration.ofSeconds(29), 1, false)));
		given(this.service.waiting())
			.willReturn(List.of(new WaitingLock(NAME, DECLARED_NAME, "main", Duration.ofSeconds(1)),
					new WaitingLock(NAME, DECLARED_NAME, "other", Duration.ofSeconds(1))));
		assertThat(this.registry.get("distributed.lock.held").gauge().value()).isOne();
		assertThat(this.registry.get("distributed.lock.waiting").gauge().value()).isEqualTo(2);
		given(this.service.held()).willReturn(List.of());
		assertThat(this.registry.get("distributed.lock.held").gauge().value()).isZero();
	}

	@Test
	void gaugesAreZeroWhileThereIsNoService() {
		MeterRegistry empty = new SimpleMeterRegistry();
		new LockMetrics(empty, () -> null, 100);
		assertThat(empty.get("distributed.lock.held").gauge().value()).isZero();
	}

	private Set<String> names() {
		return this.registry.getMeters()
			.stream()
			.map((meter) -> meter.getId().getTag("lock.name"))
			.filter(Objects::nonNull)
			.collect(Collectors.toSet());
	}

	private Timer acquireTimer(String outcome) {
		return this.registry.get("distributed.lock.acquire")
			.tags("lock.name", DECLARED_NAME, "outcome", outcome)
			.timer();
	}

	private Timer holdTimer(String outcome) {
		return this.registry.get("distributed.lock.hold").tags("lock.name", DECLARED_NAME, "outcome", outcome).timer();
	}

}
