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
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.HeldLock;
import io.distributedlock.LockEvent;
import io.distributedlock.LockEvent.Reason;
import io.distributedlock.LockInspector;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LossCause;
import io.distributedlock.WaitingLock;
import io.distributedlock.metrics.LockMetrics.StoreOperation;
import io.distributedlock.scheduling.JobRun;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link LockMetrics}.
 */
class LockMetricsTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final String NAME = "order:4711";

	private static final String DECLARED_NAME = "OrderService.pay";

	private final MockClock clock = new MockClock();

	private final MeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, this.clock);

	private final LockInspector inspector = mock(LockInspector.class);

	private final LockMetrics metrics = new LockMetrics(this.registry, () -> this.inspector, 100);

	@Test
	void acquiredLocksAreTimedFromTheCallToTheGrant() {
		this.metrics.onLockEvent(new LockEvent.Acquired(NAME, DECLARED_NAME, Duration.ofMillis(5), false, 1, LEASE));
		this.metrics.onLockEvent(new LockEvent.Acquired(NAME, DECLARED_NAME, Duration.ofMillis(7), false, 2, LEASE));
		Timer timer = timer("acquire", DECLARED_NAME, "acquired");
		assertThat(timer.count()).isEqualTo(2);
		assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(12);
	}

	@ParameterizedTest
	@EnumSource
	void refusalsAreTimedByTheirReason(Reason reason) {
		this.metrics.onLockEvent(new LockEvent.NotAcquired(NAME, DECLARED_NAME, Duration.ofMillis(5), reason));
		assertThat(timer("acquire", DECLARED_NAME, reason.name().toLowerCase()).totalTime(TimeUnit.MILLISECONDS))
			.isEqualTo(5);
		assertThat(this.registry.find("distributed.lock.acquire").timers().stream().mapToLong(Timer::count).sum())
			.isOne();
	}

	@Test
	void releasedLocksAreTimed() {
		this.metrics.onLockEvent(new LockEvent.Released(NAME, DECLARED_NAME, Duration.ofSeconds(3), 1, LEASE));
		assertThat(timer("hold", DECLARED_NAME, "released").totalTime(TimeUnit.SECONDS)).isEqualTo(3);
	}

	@ParameterizedTest
	@EnumSource
	void lostLocksAreTimedAndCountedByTheirCause(LossCause cause) {
		this.metrics
			.onLockEvent(new LockEvent.Lost(NAME, DECLARED_NAME, Duration.ofSeconds(3), 1, LEASE, cause, "Because."));
		assertThat(timer("hold", DECLARED_NAME, "lost").totalTime(TimeUnit.SECONDS)).isEqualTo(3);
		assertThat(count("distributed.lock.lost", "cause", cause.name().toLowerCase())).isOne();
	}

	@ParameterizedTest
	@EnumSource
	void lossOfWhichTheHolderMayLearnLateIsTimedSinceTheLastConfirmation(LossCause cause) {
		this.metrics.onLockEvent(new LockEvent.Lost(NAME, DECLARED_NAME, Duration.ofSeconds(30), 1, LEASE, cause,
				"Because.", Duration.ofSeconds(7)));
		Timer timer = this.registry.find("distributed.lock.lost.unconfirmed")
			.tags("lock.name", DECLARED_NAME, "cause", cause.name().toLowerCase())
			.timer();
		switch (cause) {
			case KEY_VANISHED, TAKEN_BY_OTHER, FORCED -> assertThat(timer.totalTime(TimeUnit.SECONDS)).isEqualTo(7);
			default -> assertThat(timer).isNull();
		}
	}

	@Test
	void failedReleasesAreCounted() {
		this.metrics.onLockEvent(new LockEvent.ReleaseFailed(NAME, DECLARED_NAME, Duration.ofSeconds(3), 1,
				Duration.ofSeconds(30), new IllegalStateException("connection reset")));
		assertThat(count("distributed.lock.release.failures")).isOne();
		assertThat(timer("hold", DECLARED_NAME, "released").totalTime(TimeUnit.SECONDS)).isEqualTo(3);
		assertThat(leaseUsed().totalAmount()).isEqualTo(0.1);
	}

	@Test
	void renewalsAreCountedByTheirOutcome() {
		this.metrics.onLockEvent(new LockEvent.Renewed(NAME, DECLARED_NAME, 1, LEASE));
		this.metrics.onLockEvent(new LockEvent.Renewed(NAME, DECLARED_NAME, 1, LEASE));
		this.metrics.onLockEvent(
				new LockEvent.RenewalFailed(NAME, DECLARED_NAME, 1, LEASE, new IllegalStateException("timeout")));
		assertThat(count("distributed.lock.renewals", "outcome", "renewed")).isEqualTo(2);
		assertThat(count("distributed.lock.renewals", "outcome", "failed")).isOne();
	}

	@Test
	void locksAtRiskAreCounted() {
		this.metrics.onLockEvent(new LockEvent.AtRisk(NAME, DECLARED_NAME, 1, Duration.ofSeconds(1)));
		assertThat(count("distributed.lock.at.risk")).isOne();
		assertThat(this.registry.find("distributed.lock.lost").counters()).allMatch((counter) -> counter.count() == 0);
	}

	@Test
	void runsOfAJobAreTimedByTheirOutcome() {
		this.metrics.onJobRun(new Told(JobRun.Outcome.SUCCEEDED, Duration.ofSeconds(3), 1));
		this.metrics.onJobRun(new Told(JobRun.Outcome.SUCCEEDED, Duration.ofSeconds(4), 1));
		this.metrics.onJobRun(new Told(JobRun.Outcome.FAILED, Duration.ofSeconds(5), 1));
		assertThat(timer("job.run", DECLARED_NAME, "succeeded")).satisfies((timer) -> {
			assertThat(timer.count()).isEqualTo(2);
			assertThat(timer.totalTime(TimeUnit.SECONDS)).isEqualTo(7);
		});
		assertThat(timer("job.run", DECLARED_NAME, "failed").totalTime(TimeUnit.SECONDS)).isEqualTo(5);
		assertThat(this.registry.find("distributed.lock.job.missed").counters())
			.allMatch((counter) -> counter.count() == 0);
	}

	@Test
	void missedFireTimesAreCountedByTheirCause() {
		this.metrics.onJobRun(new Told(JobRun.Outcome.MISSED, null, 3));
		this.metrics.onJobRun(new Told(JobRun.Outcome.ABANDONED, null, 1));
		this.metrics.onJobRun(new Told(JobRun.Outcome.HELD, null, 2));
		assertThat(count("distributed.lock.job.missed", "cause", "missed")).isEqualTo(3);
		assertThat(count("distributed.lock.job.missed", "cause", "held")).isEqualTo(2);
		assertThat(count("distributed.lock.job.missed", "cause", "abandoned")).isOne();
		assertThat(this.registry.find("distributed.lock.job.run").timers()).allMatch((timer) -> timer.count() == 0);
	}

	@Test
	void metersOfAJobExistAtZeroAsSoonAsItIsKnownAndNotForOtherLocks() {
		this.metrics.declare(List.of("lock", "job"));
		assertThat(this.registry.getMeters()).noneMatch((meter) -> meter.getId().getName().contains(".job."));
		this.metrics.declareJobs(List.of("job"));
		assertThat(this.registry.getMeters()).filteredOn((meter) -> meter.getId().getName().contains(".job."))
			.hasSize(5)
			.allMatch((meter) -> "job".equals(meter.getId().getTag("lock.name")));
	}

	@Test
	void jobsBeyondTheLimitOfNamesAreMeteredTogether() {
		LockMetrics limited = new LockMetrics(this.registry, () -> this.inspector, 1);
		limited.declareJobs(List.of("first", "second"));
		assertThat(this.registry.find("distributed.lock.job.missed")
			.counters()
			.stream()
			.map((counter) -> counter.getId().getTag("lock.name"))).containsOnly("first", "other");
		limited.onJobRun(new Told(JobRun.Outcome.MISSED, null, 3));
		assertThat(this.registry.get("distributed.lock.job.missed")
			.tags("lock.name", "other", "cause", "missed")
			.counter()
			.count()).isEqualTo(3);
	}

	@Test
	void usedPartOfALeaseIsSummarizedAtReleaseAndLoss() {
		this.metrics.onLockEvent(new LockEvent.Released(NAME, DECLARED_NAME, Duration.ofSeconds(15), 1, LEASE));
		this.metrics.onLockEvent(new LockEvent.Lost(NAME, DECLARED_NAME, Duration.ofSeconds(90), 1, LEASE,
				LossCause.MAX_HOLD_REACHED, "Because."));
		DistributionSummary summary = leaseUsed();
		assertThat(summary.count()).isEqualTo(2);
		assertThat(summary.totalAmount()).isEqualTo(3.5);
		assertThat(summary.max()).isEqualTo(3);
	}

	@ParameterizedTest
	@EnumSource
	void errorsOfTheStoreAreCountedByTheOperation(StoreOperation operation) {
		this.metrics.onStoreError(operation);
		for (StoreOperation each : StoreOperation.values()) {
			assertThat(this.registry.get("distributed.lock.store.errors")
				.tag("operation", each.name().toLowerCase())
				.counter()
				.count()).isEqualTo((each == operation) ? 1 : 0);
		}
	}

	@Test
	void theEvaluatedNameIsNeverATagSoManyLeaveTheNumberOfMetersUnchanged() {
		this.metrics.declare(List.of(DECLARED_NAME));
		int before = this.registry.getMeters().size();
		for (int i = 0; i < 50_000; i++) {
			String name = "order:" + i;
			this.metrics
				.onLockEvent(new LockEvent.Acquired(name, DECLARED_NAME, Duration.ofMillis(1), false, i, LEASE));
			this.metrics.onLockEvent(new LockEvent.Released(name, DECLARED_NAME, Duration.ofMillis(1), i, LEASE));
		}
		assertThat(this.registry.getMeters()).hasSize(before);
		assertThat(names()).containsExactly(DECLARED_NAME);
		assertThat(timer("hold", DECLARED_NAME, "released").count()).isEqualTo(50_000);
	}

	@Test
	void everySeriesOfADeclaredNameIsThereAtZero() {
		new LockMetrics(this.registry, () -> this.inspector, 2).declare(List.of("a", "b"));
		for (String declaredName : List.of("a", "b", "other")) {
			assertThat(seriesOf(declaredName)).containsExactlyInAnyOrder("distributed.lock.acquire acquired",
					"distributed.lock.acquire busy", "distributed.lock.acquire interrupted",
					"distributed.lock.acquire unavailable", "distributed.lock.hold released",
					"distributed.lock.hold lost", "distributed.lock.lease.used", "distributed.lock.lost lease_expired",
					"distributed.lock.lost max_hold_reached", "distributed.lock.lost store_unreachable",
					"distributed.lock.lost key_vanished", "distributed.lock.lost taken_by_other",
					"distributed.lock.lost process_paused", "distributed.lock.lost forced",
					"distributed.lock.lost owner_died", "distributed.lock.lost shutdown",
					"distributed.lock.lost.unconfirmed key_vanished",
					"distributed.lock.lost.unconfirmed taken_by_other", "distributed.lock.lost.unconfirmed forced",
					"distributed.lock.release.failures", "distributed.lock.renewals renewed",
					"distributed.lock.renewals failed", "distributed.lock.at.risk", "distributed.lock.held",
					"distributed.lock.waiting", "distributed.lock.oldest.hold");
		}
		assertThat(this.registry.getMeters())
			.allSatisfy((meter) -> assertThat(meter.measure()).allMatch((measurement) -> measurement.getValue() == 0));
	}

	@Test
	void metersOfAnUndeclaredNameAreRegisteredWithTheFirstEvent() {
		this.metrics.onLockEvent(new LockEvent.Acquired(NAME, DECLARED_NAME, Duration.ofMillis(5), false, 1, LEASE));
		assertThat(seriesOf(DECLARED_NAME)).hasSize(26);
	}

	@Test
	void whereThereAreNoLocksOnlyTheErrorsOfTheStoreAreCounted() {
		assertThat(this.registry.getMeters()).hasSize(5)
			.allMatch((meter) -> meter.getId().getName().equals("distributed.lock.store.errors"));
	}

	@Test
	void theRestIsRegisteredAtZeroBeforeItBegins() {
		LockMetrics limited = new LockMetrics(this.registry, () -> this.inspector, 2);
		limited.declare(List.of("a"));
		assertThat(names()).containsExactly("a");
		limited.declare(List.of("b"));
		assertThat(names()).containsExactlyInAnyOrder("a", "b", "other");
	}

	@Test
	void withoutNamesThereIsOnlyTheRest() {
		new LockMetrics(this.registry, () -> this.inspector, 0).declare(List.of("a"));
		assertThat(names()).containsExactly("other");
	}

	@Test
	void registryGetsTheGaugesOfTheNextServiceAfterAClose() {
		given(this.inspector.held()).willReturn(List.of(held(DECLARED_NAME, 1)));
		this.metrics.onLockEvent(new LockEvent.Released(NAME, DECLARED_NAME, Duration.ofSeconds(3), 1, LEASE));
		this.metrics.close();
		assertThat(gauges()).isEmpty();
		assertThat(timer("hold", DECLARED_NAME, "released").count()).isOne();
		this.metrics.declare(List.of("late"));
		assertThat(gauges()).isEmpty();
		LockMetrics next = new LockMetrics(this.registry, () -> this.inspector, 100);
		next.declare(List.of(DECLARED_NAME));
		assertThat(gauge("held", DECLARED_NAME)).isOne();
	}

	@Test
	void closeOfTheSecondMetricsDoesNotRemoveTheGaugesOfTheFirst() {
		this.metrics.declare(List.of("a"));
		LockMetrics second = new LockMetrics(this.registry, () -> null, 100);
		second.declare(List.of("a"));
		second.close();
		assertThat(gauges()).hasSize(3);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void namesMeteredTogetherAreLoggedOnce(CapturedOutput output) {
		LockMetrics limited = new LockMetrics(this.registry, () -> this.inspector, 1);
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
		LockMetrics limited = new LockMetrics(this.registry, () -> this.inspector, 2);
		for (int round = 0; round < 2; round++) {
			for (String declaredName : List.of("a", "b", "c", "d")) {
				limited.onLockEvent(new LockEvent.Released(NAME, declaredName, Duration.ofMillis(1), 1, LEASE));
			}
		}
		assertThat(names()).containsExactlyInAnyOrder("a", "b", "other");
		assertThat(timer("hold", "other", "released").count()).isEqualTo(4);
		assertThat(timer("hold", "a", "released").count()).isEqualTo(2);
	}

	@Test
	void theLimitHoldsAlsoWhenManyThreadsComeWithNewNames() {
		LockMetrics limited = new LockMetrics(this.registry, () -> this.inspector, 10);
		IntStream.range(0, 2000)
			.parallel()
			.forEach((i) -> limited
				.onLockEvent(new LockEvent.Released(NAME, "name" + i, Duration.ofMillis(1), 1, LEASE)));
		assertThat(names()).hasSize(11);
		assertThat(this.registry.find("distributed.lock.hold").timers().stream().mapToLong(Timer::count).sum())
			.isEqualTo(2000);
	}

	@Test
	void gaugesCountHeldAndAwaitedLocksOfEachName() {
		this.metrics.declare(List.of("a", "b"));
		given(this.inspector.held()).willReturn(List.of(held("a", 5), held("a", 7), held("unknown", 3)));
		given(this.inspector.waiting()).willReturn(List.of(waiting("b"), waiting("b"), waiting("unknown")));
		assertThat(List.of(gauge("held", "a"), gauge("waiting", "a"), gauge("oldest.hold", "a"))).containsExactly(2.0,
				0.0, 7.0);
		assertThat(List.of(gauge("held", "b"), gauge("waiting", "b"), gauge("oldest.hold", "b"))).containsExactly(0.0,
				2.0, 0.0);
		assertThat(List.of(gauge("held", "unknown"), gauge("waiting", "unknown"), gauge("oldest.hold", "unknown")))
			.containsExactly(1.0, 1.0, 3.0);
	}

	@Test
	void gaugesReadTogetherAskTheServiceOnce() {
		this.metrics.declare(List.of("a", "b", "c"));
		assertThat(gauges()).hasSize(9).allMatch((gauge) -> gauge.value() == 0);
		then(this.inspector).should(times(1)).held();
		then(this.inspector).should(times(1)).waiting();
	}

	@Test
	void gaugeReadAgainIsNotStale() {
		given(this.inspector.held()).willReturn(List.of(held("a", 1)));
		this.metrics.declare(List.of("a"));
		assertThat(gauge("held", "a")).isOne();
		given(this.inspector.held()).willReturn(List.of());
		assertThat(gauge("held", "a")).isZero();
	}

	@Test
	void gaugeReadMuchLaterThanOthersIsNotStale() {
		given(this.inspector.held()).willReturn(List.of(held("a", 1)));
		this.metrics.declare(List.of("a"));
		assertThat(gauge("held", "a")).isOne();
		given(this.inspector.held()).willReturn(List.of(held("a", 61)));
		this.clock.add(Duration.ofMinutes(1));
		assertThat(gauge("oldest.hold", "a")).isEqualTo(61);
	}

	@Test
	void gaugesAreZeroWithoutAService() {
		MeterRegistry empty = new SimpleMeterRegistry();
		new LockMetrics(empty, () -> null, 100).declare(List.of("a"));
		assertThat(empty.get("distributed.lock.held").gauge().value()).isZero();
	}

	private static HeldLock held(String declaredName, int seconds) {
		return new Held(NAME, declaredName, "main", Duration.ofSeconds(seconds), LEASE, 1, false, 1,
				LockMode.EXCLUSIVE);
	}

	private static WaitingLock waiting(String declaredName) {
		return new Waiting(NAME, declaredName, "main", Duration.ofSeconds(1));
	}

	private Collection<Gauge> gauges() {
		return this.registry.getMeters().stream().filter(Gauge.class::isInstance).map(Gauge.class::cast).toList();
	}

	private double gauge(String name, String declaredName) {
		return this.registry.get("distributed.lock." + name).tag("lock.name", declaredName).gauge().value();
	}

	private double count(String name, String... tags) {
		return this.registry.get(name).tag("lock.name", DECLARED_NAME).tags(tags).counter().count();
	}

	private List<String> seriesOf(String declaredName) {
		return this.registry.getMeters()
			.stream()
			.filter((meter) -> declaredName.equals(meter.getId().getTag("lock.name")))
			.map((meter) -> Stream
				.of(meter.getId().getName(), meter.getId().getTag("outcome"), meter.getId().getTag("cause"))
				.filter(Objects::nonNull)
				.collect(Collectors.joining(" ")))
			.toList();
	}

	private Set<String> names() {
		return this.registry.getMeters()
			.stream()
			.map((meter) -> meter.getId().getTag("lock.name"))
			.filter(Objects::nonNull)
			.collect(Collectors.toSet());
	}

	private DistributionSummary leaseUsed() {
		return this.registry.get("distributed.lock.lease.used").tag("lock.name", DECLARED_NAME).summary();
	}

	private Timer timer(String name, String declaredName, String outcome) {
		return this.registry.get("distributed.lock." + name)
			.tags("lock.name", declaredName, "outcome", outcome)
			.timer();
	}

	private record Held(String name, String declaredName, String owner, Duration heldFor, Duration remaining,
			long fencingToken, boolean autoRenew, int permits, LockMode mode) implements HeldLock {

	}

	private record Waiting(String name, String declaredName, String owner, Duration waitedFor) implements WaitingLock {

	}

	private record Told(JobRun.Outcome outcome, @Nullable Duration duration, long fireTimes) implements JobRun {

		@Override
		public String name() {
			return NAME;
		}

		@Override
		public String declaredName() {
			return DECLARED_NAME;
		}

		@Override
		public Instant fireTime() {
			return Instant.EPOCH;
		}

		@Override
		public @Nullable String instance() {
			return null;
		}

		@Override
		public boolean isRepeated() {
			return false;
		}

	}

}
