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

package io.distributedlock.actuate.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.IntStream;

import io.distributedlock.HeldLock;
import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockInfo;
import io.distributedlock.LockInspector;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.OnLost;
import io.distributedlock.WaitingLock;
import io.distributedlock.actuate.endpoint.LocksEndpoint.ForceReleaseDescriptor.Outcome;
import io.distributedlock.actuate.endpoint.LocksEndpoint.HoldDescriptor;
import io.distributedlock.actuate.endpoint.LocksEndpoint.HoldDescriptor.HoldOutcome;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LockDescriptor;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Declared;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Held;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Job;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Leading;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Run;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Store;
import io.distributedlock.actuate.endpoint.LocksEndpoint.LocksDescriptor.Waiting;
import io.distributedlock.actuate.endpoint.LocksEndpoint.StoredLocksDescriptor;
import io.distributedlock.actuate.endpoint.LocksEndpoint.StoredLocksDescriptor.Entry;
import io.distributedlock.internal.DeclaredJobs;
import io.distributedlock.internal.DeclaredLock;
import io.distributedlock.internal.DeclaredLocks;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoreReport;
import io.distributedlock.store.StoredLock;
import io.distributedlock.store.StoredLockDetails;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;

/**
 * Tests for {@link LocksEndpoint}.
 */
class LocksEndpointTests {

	private static final StoreReport REPORT = new StoreReport("In-memory 1.0", List.of());

	private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

	private static final String HERE = "here@host~AAAAAAAAAAAAAAAAAAAAAA";

	private static final String THERE = "there@host~BBBBBBBBBBBBBBBBBBBBBB";

	private static final DeclaredLock DECLARED = new Declaration("OrderService.pay", List.of("'pay:' + #orderId"),
			"com.example.OrderService.pay(long)",
			LockOptions.ofLease(Duration.ofSeconds(30)).withAutoRenew().withMaxHold(Duration.ofHours(1)),
			Map.of("maxHold", "a\nb"), "skip", true);

	private static final Held HELD = new Held("pay:1", "OrderService.pay", "main", NOW.minusSeconds(5),
			Duration.ofSeconds(25), 1234567890123456L, true);

	private static final Waiting WAITING = new Waiting("pay:2", "OrderService.pay", "worker-1", NOW.minusSeconds(2));

	private static final Leading LEADER = new Leading("sched\nuler", true, Duration.ofSeconds(8), 1234567890123457L);

	private static final Leading CANDIDATE = new Leading("importer", false, null, null);

	private final LockService service = mock(LockService.class);

	private final LockInspector inspector = mock(LockInspector.class);

	@AutoClose
	private final InMemoryLockStore store = new InMemoryLockStore();

	private final List<Object> published = new CopyOnWriteArrayList<>();

	private final List<DeclaredJobs.DeclaredJob> jobs = new ArrayList<>();

	private final LocksEndpoint endpoint = endpoint(this.store, Show.ALWAYS);

	private LocksEndpoint endpoint(@Nullable LockStore store, Show showValues) {
		return endpoint(store, showValues, HERE);
	}

	private LocksEndpoint endpoint(@Nullable LockStore store, Show showValues, String instance) {
		return new LocksEndpoint(
				() -> new LocksEndpoint.Sources(this.service, this.inspector, store, () -> REPORT, instance),
				() -> List.of(DECLARED), () -> List.of(LEADER, CANDIDATE), () -> this.jobs, InstantSource.fixed(NOW),
				this.published::add, showValues);
	}

	@BeforeEach
	void holdAndWait() {
		given(this.service.defaults()).willReturn(LockOptions.defaults());
		given(this.inspector.held()).willReturn(List.of(new HeldHere("pay:1", "OrderService.pay", "main",
				Duration.ofSeconds(5), Duration.ofSeconds(25), 1234567890123456L, true, 1, LockMode.EXCLUSIVE)));
		given(this.inspector.waiting())
			.willReturn(List.of(new WaitingHere("pay:2", "OrderService.pay", "worker-1", Duration.ofSeconds(2))));
		given(this.service.find(anyString())).willAnswer((call) -> this.store.find(call.getArgument(0))
			.join()
			.map((lock) -> lock.describe(call.getArgument(0), HERE)));
	}

	private LocksDescriptor instanceLocks() {
		return (LocksDescriptor) this.endpoint.locks(null, null);
	}

	/**
	 * Have an instance hold a lock.
	 */
	private String hold(String name, String holder) {
		return share(name, holder, Duration.ofSeconds(30), 1);
	}

	private void queue(String name, String waiter) {
		this.store
			.acquire(new AcquireRequest(name, LockToken.parse(waiter + ":1"), Duration.ofSeconds(30), 1,
					new AcquireRequest.Waiting(Duration.ofSeconds(30), 0, 1)))
			.join();
	}

	@Test
	void heldAndAwaitedLocksAreShownWithoutAskingTheStore() {
		LocksDescriptor locks = instanceLocks();
		assertThat(locks.store()).isEqualTo(new Store("memory of this JVM", "In-memory 1.0", List.of(), null));
		assertThat(locks.held()).containsExactly(HELD);
		assertThat(locks.waiting()).containsExactly(WAITING);
		assertThat(locks.leading()).containsExactly(
				new Leading("sched\\u000Auler", true, Duration.ofSeconds(8), 1234567890123457L),
				new Leading("importer", false, null, null));
		assertThat(this.endpoint.locks(LocksEndpoint.Scope.INSTANCE, null)).isEqualTo(locks);
		then(this.service).should(never()).find(anyString());
	}

	@Test
	void declaredLocksAreShownWithTheirSettings() {
		Map<String, Object> options = Map.of("timeout", Duration.ofSeconds(30), "waitTime", Duration.ZERO, "autoRenew",
				true, "renewInterval", Duration.ofSeconds(10), "minHold", Duration.ZERO, "maxHold", Duration.ofHours(1),
				"onLost", OnLost.LOG, "mode", LockMode.EXCLUSIVE, "permits", 1);
		assertThat(instanceLocks().declared())
			.containsExactly(new Declared("OrderService.pay", List.of("'pay:' + #orderId"),
					"com.example.OrderService.pay(long)", options, Map.of("maxHold", "a\\u000Ab"), "skip", true));
	}

	@Test
	void lockIsShownAsFencedOnlyIfItIs() {
		Declaration unfenced = new Declaration("import", List.of("import"), "com.example.Importer.run()",
				LockOptions.defaults(), Map.of(), "skip", false);
		assertThat(Declared.of(DECLARED).fenced()).isTrue();
		assertThat(Declared.of(unfenced).fenced()).isNull();
	}

	@Test
	void defaultsAreShownWithoutAnUnusedRenewalInterval() {
		assertThat(instanceLocks().defaults()).containsExactly(entry("timeout", Duration.ofSeconds(30)),
				entry("waitTime", Duration.ZERO), entry("autoRenew", false), entry("minHold", Duration.ZERO),
				entry("onLost", OnLost.LOG), entry("mode", LockMode.EXCLUSIVE), entry("permits", 1));
	}

	@Test
	void suppressedWarningsAreShownUpToALimit() {
		assertThat(instanceLocks().settings()).doesNotContainKey("suppressed");
		List<String> locations = IntStream.range(1000, 1101).mapToObj((i) -> "com.example.Work" + i).toList();
		DeclaredLocks declared = new DeclaredLocks() {

			@Override
			public List<DeclaredLock> declared() {
				return List.of();
			}

			@Override
			public List<String> suppressed() {
				return locations;
			}

		};
		LocksEndpoint endpoint = new LocksEndpoint(
				() -> new LocksEndpoint.Sources(this.service, this.inspector, this.store, () -> REPORT, HERE,
						Map.of("check", "warn")),
				declared, List::of, List::of, InstantSource.fixed(NOW), this.published::add, Show.ALWAYS);
		assertThat(((LocksDescriptor) endpoint.locks(null, null)).settings()).containsExactly(entry("check", "warn"),
				entry("suppressed", locations.subList(0, 100)));
	}

	@Test
	void severalHoldersAreShownAndOneOfThemIsReleasedByForce() {
		String first = share("a", THERE, Duration.ofSeconds(30), 3);
		String second = share("a", HERE, Duration.ofSeconds(20), 5);
		LockDescriptor lock = this.endpoint.lock("a");
		assertThat(lock.hold()).isEqualTo(second);
		assertThat(Objects.requireNonNull(lock.company())).satisfies((company) -> {
			assertThat(company.holders()).isEqualTo(2);
			assertThat(company.smallestLimit()).isEqualTo(3);
			assertThat(company.largestLimit()).isEqualTo(5);
			assertThat(company.nearest()).extracting(LockDescriptor.Holder::hold).containsExactly(second, first);
			assertThat(company.nearest()).extracting((holder) -> String.valueOf(holder.holder()))
				.containsExactly("here@host", "there@host");
		});
		StoredLocksDescriptor all = (StoredLocksDescriptor) this.endpoint.locks(LocksEndpoint.Scope.STORE, null);
		assertThat(all.locks()).extracting(Entry::holders).containsExactly(2L);
		assertThat(this.endpoint.forceRelease("a", first).outcome()).isEqualTo(Outcome.RELEASED);
		assertThat(this.endpoint.forceRelease("a", first).outcome()).isEqualTo(Outcome.HELD_BY_ANOTHER);
		assertThat(this.endpoint.lock("a").hold()).isEqualTo(second);
	}

	private String share(String name, String holder, Duration lease, int limit) {
		String token = holder + ":1";
		this.store.acquire(new AcquireRequest(name, LockToken.parse(token), lease, 1, null, limit)).join();
		return new StoredLock(token, null).digest();
	}

	@Test
	void aSingleLockIsLookedUpInTheStore() {
		String hold = hold("pay:1", THERE);
		queue("pay:1", HERE);
		LockDescriptor lock = this.endpoint.lock("pay:1");
		assertThat(lock.locked()).isTrue();
		assertThat(lock).satisfies((stored) -> {
			assertThat(stored.heldBy()).isEqualTo(LockInfo.Kind.OTHER_INSTANCE);
			assertThat(stored.holder()).isEqualTo("there@host");
			assertThat(stored.digest()).isNull();
			assertThat(stored.hold()).isEqualTo(hold);
			assertThat(stored.age()).isBetween(Duration.ZERO, Duration.ofSeconds(10));
			assertThat(stored.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
		});
		assertThat(lock.queue()).singleElement().satisfies((queued) -> {
			assertThat(queued.instance()).isEqualTo("here@host");
			assertThat(queued.waited()).isBetween(Duration.ZERO, Duration.ofSeconds(10));
		});
		assertThat(lock.held()).containsExactly(HELD);
		assertThat(lock.toString()).as("the random part of a token").doesNotContain("AAAA", "BBBB");
	}

	@Test
	void aLockOfThisInstanceIsShownAsSuch() {
		hold("pay:1", HERE);
		assertThat(this.endpoint.lock("pay:1").heldBy()).isEqualTo(LockInfo.Kind.THIS_INSTANCE);
	}

	@Test
	void aForeignClientIsShownByADigest() {
		hold("pay:1", "secret");
		LockDescriptor lock = this.endpoint.lock("pay:1");
		assertThat(lock.heldBy()).isEqualTo(LockInfo.Kind.FOREIGN_CLIENT);
		assertThat(lock.digest()).hasSize(8);
		assertThat(lock.holder()).isNull();
		assertThat(lock.toString()).doesNotContain("secret");
	}

	@Test
	void theLocksOfAllInstancesAreListed() {
		hold("pay:1", THERE);
		hold("a\nb", HERE);
		StoredLocksDescriptor locks = (StoredLocksDescriptor) this.endpoint.locks(LocksEndpoint.Scope.STORE, null);
		assertThat(locks.truncated()).isFalse();
		assertThat(locks.locks()).extracting(Entry::name, (lock) -> lock.holder())
			.containsExactlyInAnyOrder(tuple("pay:1", "there@host"), tuple("a\\u000Ab", "here@host"));
		StoredLocksDescriptor first = (StoredLocksDescriptor) this.endpoint.locks(LocksEndpoint.Scope.STORE, 1);
		assertThat(first.truncated()).isTrue();
		assertThat(first.locks()).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, -1, 1001 })
	void limitOutOfRangeIsABadRequest(int limit) {
		for (LocksEndpoint.Scope scope : LocksEndpoint.Scope.values()) {
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> this.endpoint.locks(scope, limit))
				.withMessageContaining(limit + ", but must be from 1 to 1000");
		}
	}

	@Test
	void jobsAreShownWithTheirLastRuns() {
		declareJobs("clean\nup", "importer", "never", "nightly");
		write("clean\nup", "running 1");
		write("importer", "failed 1");
		write("nightly", "succeeded 2");
		assertThat(instanceLocks().jobs()).containsExactly(
				job("clean\\u000Aup",
						new Run(NOW.minusSeconds(60), "abandoned", "shop@a\\u000A1", NOW.minusSeconds(59), null, null,
								null, false)),
				job("importer",
						new Run(NOW.minusSeconds(60), "failed", "shop@a\\u000A1", NOW.minusSeconds(59),
								NOW.minusSeconds(50), Duration.ofSeconds(9), "com.example.Failure", false)),
				job("never", null), job("nightly", new Run(NOW.minusSeconds(60), "succeeded", "shop@a\\u000A1",
						NOW.minusSeconds(59), NOW.minusSeconds(50), Duration.ofSeconds(9), null, true)));
	}

	@Test
	void withoutJobsNothingIsShownNorAsked() {
		LockStore store = mock(LockStore.class);
		given(store.description()).willReturn("mock");
		given(store.record(anyString())).willAnswer((call) -> this.store.record(call.getArgument(0)));
		LocksEndpoint endpoint = endpoint(store, Show.ALWAYS);
		assertThat(((LocksDescriptor) endpoint.locks(null, null)).jobs()).isEmpty();
		then(store).should(never()).record(anyString());
		declareJobs("importer", "nightly");
		assertThat(((LocksDescriptor) endpoint.locks(null, null)).jobs()).hasSize(2);
		then(store).should(times(2)).record(anyString());
	}

	@Test
	void storeIsNotAskedAboutMoreJobsThanTheLimit() {
		declareJobs("importer", "nightly");
		write("importer", "succeeded 1");
		write("nightly", "succeeded 1");
		assertThat(((LocksDescriptor) this.endpoint.locks(null, 1)).jobs())
			.extracting((job) -> job.lastRun() != null, Job::problem)
			.containsExactly(tuple(true, null),
					tuple(false, "The store was not asked about this job: raise the limit."));
		assertThat(((LocksDescriptor) this.endpoint.locks(null, 2)).jobs())
			.allMatch((job) -> job.lastRun() != null && job.problem() == null);
	}

	@Test
	void recordThatSomebodyElseWroteIsAProblemOfItsJobOnly() {
		declareJobs("importer", "nightly");
		write("importer", "what is this");
		write("nightly", "succeeded 1");
		assertThat(instanceLocks().jobs()).satisfiesExactly((importer) -> {
			assertThat(importer.lastRun()).isNull();
			assertThat(importer.problem())
				.isEqualTo("The record of this job is not one that this version has written.");
			assertThat(importer.next()).isEqualTo(NOW.plusSeconds(60));
		}, (nightly) -> assertThat(nightly.lastRun()).isNotNull());
	}

	@Test
	void jobsAreShownAlthoughTheStoreDoesNotAnswerOrKeepsNoRecords() {
		declareJobs("importer", "nightly", "silent", "tick");
		LockStore store = mock(LockStore.class);
		given(store.description()).willReturn("mock");
		given(store.record("importer")).willReturn(
				CompletableFuture.failedFuture(new UnsupportedOperationException("This store keeps no records.")));
		given(store.record("nightly")).willReturn(CompletableFuture
			.failedFuture(new LockUnavailableException("nightly", "Redis did not answer about 'nightly'.", null)));
		given(store.record("silent")).willThrow(new IllegalStateException("closed"));
		given(store.record("tick")).willReturn(CompletableFuture.completedFuture(Optional.of("succeeded 1")));
		assertThat(((LocksDescriptor) endpoint(store, Show.ALWAYS).locks(null, null)).jobs())
			.extracting(Job::name, Job::problem)
			.containsExactly(tuple("importer", "This store keeps no records."),
					tuple("nightly", "Redis did not answer about 'nightly'."), tuple("silent", "closed"),
					tuple("tick", null));
		assertThat(((LocksDescriptor) endpoint(store, Show.NEVER).locks(null, null)).jobs().toString())
			.contains("This store keeps no records.", "The lock store does not answer, or refuses.")
			.doesNotContain("nightly");
		assertThat(((LocksDescriptor) endpoint(null, Show.ALWAYS).locks(null, null)).jobs())
			.allSatisfy((job) -> assertThat(job.problem()).contains("There is no lock store to ask"));
	}

	@Test
	void runIsAbandonedIfItDidNotEndAndItsInstanceDoesNotHaveTheLock() {
		declareJobs("nightly");
		assertThat(this.endpoint.lock("nightly").job()).isEqualTo(job("nightly", null));
		assertThat(this.endpoint.lock("other").job()).as("no job").isNull();
		write("nightly", "running 1");
		assertThat(stateOfNightly(this.endpoint)).as("the lock is free").isEqualTo("abandoned");
		hold("nightly", HERE);
		assertThat(stateOfNightly(this.endpoint)).as("another instance has the lock").isEqualTo("abandoned");
		assertThat(Objects.requireNonNull(instanceLocks().jobs().get(0).lastRun()).state()).as("among all jobs")
			.isEqualTo("abandoned");
	}

	@Test
	void runThatGoesOnOrHasEndedIsNotAbandoned() {
		declareJobs("nightly");
		write("nightly", "succeeded 1");
		assertThat(stateOfNightly(this.endpoint)).isEqualTo("succeeded");
		this.store.clear();
		write("nightly", "running 1 there@host");
		hold("nightly", THERE);
		assertThat(stateOfNightly(this.endpoint)).as("its instance has the lock").isEqualTo("running");
		given(this.service.find("nightly")).willThrow(new LockUnavailableException("nightly", "No answer.", null));
		assertThat(stateOfNightly(this.endpoint)).as("unknown").isEqualTo("running");
	}

	@Test
	void runThatEndsBetweenTwoQuestionsIsNotAbandoned() {
		declareJobs("nightly");
		LockStore store = mock(LockStore.class);
		given(store.record("nightly")).willReturn(CompletableFuture.completedFuture(Optional.of("running 1")))
			.willReturn(CompletableFuture.completedFuture(Optional.of("succeeded 1")));
		given(store.find("nightly")).willReturn(CompletableFuture.completedFuture(Optional.empty()));
		assertThat(stateOfNightly(endpoint(store, Show.ALWAYS))).isEqualTo("succeeded");
		then(store).should(times(2)).record("nightly");
	}

	private static String stateOfNightly(LocksEndpoint endpoint) {
		return Objects.requireNonNull(Objects.requireNonNull(endpoint.lock("nightly").job()).lastRun()).state();
	}

	private void declareJobs(String... names) {
		Stream.of(names).map(ReportJob::new).forEach(this.jobs::add);
	}

	private static Job job(String name, @Nullable Run lastRun) {
		return new Job(name, "com.example.Reports.write()", NOW.plusSeconds(60), Duration.ofHours(2), lastRun,
				(lastRun != null) ? 4L : null, null);
	}

	/**
	 * Write a record as a holder does.
	 */
	private void write(String name, String record) {
		hold(name, HERE);
		LockToken token = LockToken.parse(HERE + ":1");
		this.store.replaceRecord(new RecordChange(name, token, null, record, Duration.ofDays(1))).join();
		this.store.release(name, token).join();
	}

	@Test
	void confidentialNamesAreMasked() {
		String hold = hold("pay:1", THERE);
		declareJobs("pay:all");
		LocksEndpoint masking = endpoint(this.store, Show.NEVER);
		LocksDescriptor instance = (LocksDescriptor) masking.locks(null, null);
		assertThat(instance.held()).extracting(Held::name).containsExactly("******");
		assertThat(instance.waiting()).extracting(Waiting::name).containsExactly("******");
		assertThat(instance.leading()).extracting(Leading::name).containsExactly("******", "******");
		assertThat(instance.jobs()).extracting(Job::name).containsExactly("******");
		StoredLocksDescriptor all = (StoredLocksDescriptor) masking.locks(LocksEndpoint.Scope.STORE, null);
		assertThat(all.locks()).extracting(Entry::name, (lock) -> lock.hold()).containsExactly(tuple("******", hold));
		assertThat(masking.forceRelease("pay:1", hold).outcome()).isEqualTo(Outcome.RELEASED);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void forcedReleaseHappensOnceAndIsReported(CapturedOutput output) {
		String hold = hold("a/b", THERE);
		assertThat(this.endpoint.forceRelease("a/b", "0123456789abcdef", "root").outcome())
			.isEqualTo(Outcome.HELD_BY_ANOTHER);
		assertThat(this.published).isEmpty();
		assertThat(this.endpoint.forceRelease("a/b", hold, "ro\not").outcome()).isEqualTo(Outcome.RELEASED);
		assertThat(output).contains("WARN",
				"Lock 'a/b' was taken by force from instance 'there@host', by 'ro\\u000Aot'");
		assertThat(this.published).singleElement().isInstanceOfSatisfying(AuditApplicationEvent.class, (event) -> {
			assertThat(event.getAuditEvent().getPrincipal()).isEqualTo("ro\not");
			assertThat(event.getAuditEvent().getType()).isEqualTo("LOCK_FORCE_RELEASED");
			assertThat(event.getAuditEvent().getData()).containsOnly(entry("lock", "a/b"), entry("hold", hold),
					entry("holder", "instance 'there@host'"), entry("outcome", "released"));
		});
		assertThat(this.endpoint.forceRelease("a/b", hold).outcome()).isEqualTo(Outcome.FREE);
		assertThat(this.published).hasSize(1);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void forcedReleaseWithAnUnknownOutcomeIsReported(CapturedOutput output) {
		String hold = hold("a", THERE);
		LockStore store = mock(LockStore.class);
		given(store.describe("a")).willReturn(this.store.describe("a"));
		given(store.forceRelease(eq("a"), anyString())).willReturn(
				CompletableFuture.failedFuture(new LockUnavailableException("a", "Redis did not answer.", null)));
		LocksEndpoint endpoint = endpoint(store, Show.ALWAYS);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> endpoint.forceRelease("a", hold, "root"));
		assertThat(output).contains("Lock 'a' may have been taken by force from instance 'there@host', by 'root'");
		assertThat(this.published).singleElement()
			.isInstanceOfSatisfying(AuditApplicationEvent.class,
					(event) -> assertThat(event.getAuditEvent().getData()).containsEntry("outcome", "unknown"));
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void operatorHoldsAFreeLockUntilItIsReleasedByForce(CapturedOutput output) {
		HoldDescriptor held = this.endpoint.hold("a/b", "45m", "maintenance", null, null, "an\nna");
		assertThat(held.outcome()).isEqualTo(HoldOutcome.HELD);
		assertThat(held.until()).isEqualTo(NOW.plus(Duration.ofMinutes(45)));
		LockDescriptor lock = this.endpoint.lock("a/b");
		assertThat(lock.heldBy()).isEqualTo(LockInfo.Kind.OPERATOR);
		assertThat(lock.holder()).isEqualTo("an na");
		assertThat(lock.reason()).isEqualTo("maintenance");
		assertThat(lock.hold()).isEqualTo(held.hold());
		assertThat(lock.remaining()).isBetween(Duration.ofMinutes(44), Duration.ofMinutes(45));
		StoredLocksDescriptor all = (StoredLocksDescriptor) this.endpoint.locks(LocksEndpoint.Scope.STORE, null);
		assertThat(all.locks()).extracting(Entry::heldBy, Entry::holder, Entry::reason)
			.containsExactly(tuple(LockInfo.Kind.OPERATOR, "an na", "maintenance"));
		StoredLocksDescriptor masked = (StoredLocksDescriptor) endpoint(this.store, Show.NEVER)
			.locks(LocksEndpoint.Scope.STORE, null);
		assertThat(masked.locks()).extracting(Entry::holder, Entry::reason).containsExactly(tuple("******", "******"));
		assertThat(output).contains("WARN", "Operator 'an\\u000Ana' holds lock 'a/b' for 45m. Reason: maintenance");
		assertThat(outcomesForOperators()).containsExactly("held");
		assertThat(this.endpoint.forceRelease("a/b", Objects.requireNonNull(held.hold()), "root").outcome())
			.isEqualTo(Outcome.RELEASED);
		assertThat(output).contains("taken by force from operator 'an na' (maintenance), by 'root'");
		assertThat(this.endpoint.lock("a/b").locked()).isFalse();
	}

	@Test
	void operatorIsRefusedALockThatIsHeld() {
		String hold = hold("a", THERE);
		HoldDescriptor refused = this.endpoint.hold("a", "1h", "maintenance", LocksEndpoint.WhenHeld.REFUSE, null,
				"anna");
		assertThat(refused.outcome()).isEqualTo(HoldOutcome.HELD_BY_ANOTHER);
		assertThat(refused.holder()).isEqualTo("held by instance 'there@host'");
		assertThat(refused.hold()).isNull();
		assertThat(this.endpoint.lock("a").hold()).isEqualTo(hold);
		assertThat(this.endpoint.lock("a").queue()).isEmpty();
		assertThat(this.published).isEmpty();
		this.endpoint.hold("b", "1h", "by another operator", null, null, "bob");
		assertThat(this.endpoint.hold("b", "1h", "maintenance", null, null, "anna").holder())
			.isEqualTo("held by operator 'bob' (by another operator)");
	}

	@Test
	void operatorWhoWaitsGetsTheLockAfterThePresentHolder() {
		hold("a", THERE);
		HoldDescriptor waiting = this.endpoint.hold("a", "1h", "maintenance", LocksEndpoint.WhenHeld.WAIT, null,
				"anna");
		assertThat(waiting.outcome()).isEqualTo(HoldOutcome.WAITING);
		assertThat(waiting.holder()).isEqualTo("held by instance 'there@host'");
		assertThat(this.endpoint.lock("a").queue())
			.extracting(LockDescriptor.Queued::instance, LockDescriptor.Queued::operator, LockDescriptor.Queued::reason)
			.containsExactly(tuple("here@host", "anna", "maintenance"));
		this.store.release("a", LockToken.parse(THERE + ":1")).join();
		assertThat(this.endpoint.lock("a").hold()).as("handed over at once").isEqualTo(waiting.hold());
		await().untilAsserted(() -> assertThat(outcomesForOperators()).containsExactly("waiting", "held"));
		assertThat(this.endpoint.lock("a").remaining()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void operatorWhoWaitsInVainIsTold(CapturedOutput output) {
		String hold = hold("a", THERE);
		this.endpoint.hold("a", "1500ms", "maintenance", LocksEndpoint.WhenHeld.WAIT, null, "anna");
		await().untilAsserted(() -> assertThat(outcomesForOperators()).containsExactly("waiting", "given up"));
		assertThat(output).contains(
				"Operator 'anna' did not get lock 'a' in time: others had it. Ask again, for longer. Reason: maintenance");
		assertThat(this.endpoint.lock("a").queue()).isEmpty();
		assertThat(this.endpoint.lock("a").hold()).isEqualTo(hold);
	}

	@Test
	void waitOfAnOperatorEndsWithTheInstance() {
		hold("a", THERE);
		this.endpoint.hold("a", "1h", "maintenance", LocksEndpoint.WhenHeld.WAIT, null, "anna");
		this.endpoint.close();
		assertThat(outcomesForOperators()).containsExactly("waiting", "given up");
		assertThat(this.endpoint.lock("a").queue()).isEmpty();
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> this.endpoint.hold("a", "1h", "maintenance", LocksEndpoint.WhenHeld.WAIT, null, "anna"))
			.withMessage("This instance ends. Ask another one.");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void waitOfAnOperatorIsEndedAtTheInstanceThatWaits(CapturedOutput output) {
		hold("a", THERE);
		String hold = this.endpoint.hold("a", "1h", "maintenance", LocksEndpoint.WhenHeld.WAIT, null, "anna").hold();
		LocksEndpoint elsewhere = endpoint(this.store, Show.ALWAYS);
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> elsewhere.forceRelease("a", Objects.requireNonNull(hold)))
			.withMessageContaining("This hold still waits, at instance 'here@host'. Send the request there");
		assertThat(this.endpoint.forceRelease("a", Objects.requireNonNull(hold), "100%").outcome())
			.isEqualTo(Outcome.RELEASED);
		assertThat(this.endpoint.lock("a").queue()).isEmpty();
		assertThat(outcomesForOperators()).containsExactly("waiting", "cancelled");
		assertThat(output).contains("Operator 'anna' does not wait for lock 'a' any more: '100%' has ended it.");
	}

	@Test
	void holdThatWasJustGrantedAfterAWaitIsNotEndedBeforeItsInstanceKnows() {
		hold("a", THERE);
		String hold = this.endpoint.hold("a", "1h", "maintenance", LocksEndpoint.WhenHeld.WAIT, null, "anna").hold();
		this.store.release("a", LockToken.parse(THERE + ":1")).join();
		LocksEndpoint elsewhere = endpoint(this.store, Show.ALWAYS, THERE);
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> elsewhere.forceRelease("a", Objects.requireNonNull(hold)))
			.withMessageContaining("Ask again in three seconds");
		await().ignoreException(InvalidEndpointRequestException.class)
			.until(() -> elsewhere.forceRelease("a", Objects.requireNonNull(hold)).outcome() == Outcome.RELEASED);
		assertThat(outcomesForOperators()).containsExactly("waiting", "held");
		assertThat(this.endpoint.lock("a").locked()).isFalse();
	}

	@Test
	void placeThatSomebodyTookAwayIsNotTakenAgain() {
		hold("a", THERE);
		this.endpoint.hold("a", "1h", "maintenance", LocksEndpoint.WhenHeld.WAIT, null, "anna");
		String waiter = this.store.describe("a").join().orElseThrow().queue().get(0).token();
		this.store.release("a", LockToken.parse(waiter)).join();
		await().untilAsserted(() -> assertThat(outcomesForOperators()).containsExactly("waiting", "gone"));
		assertThat(this.endpoint.lock("a").queue()).isEmpty();
	}

	@Test
	void waitThatIsEndedWhileTheStoreIsAskedStaysEnded() {
		hold("a", THERE);
		LockStore store = mock(LockStore.class, delegatesTo(this.store));
		CompletableFuture<Optional<StoredLockDetails>> answer = new CompletableFuture<>();
		willReturn(answer).given(store).describe("a");
		LocksEndpoint endpoint = endpoint(store, Show.ALWAYS);
		String hold = Objects
			.requireNonNull(endpoint.hold("a", "1h", "maintenance", LocksEndpoint.WhenHeld.WAIT, null, "anna").hold());
		await().untilAsserted(() -> then(store).should().describe("a"));
		Optional<StoredLockDetails> before = this.store.describe("a").join();
		assertThat(endpoint.forceRelease("a", hold).outcome()).isEqualTo(Outcome.RELEASED);
		answer.complete(before);
		endpoint.close();
		assertThat(this.store.describe("a").join().orElseThrow().queue()).isEmpty();
		then(store).should().acquire(any());
		assertThat(outcomesForOperators()).containsExactly("waiting", "cancelled");
	}

	@Test
	void lockThatIsFreeAfterASilenceIsNotTaken() {
		hold("a", THERE);
		LockStore store = mock(LockStore.class, delegatesTo(this.store));
		CompletableFuture<Optional<StoredLockDetails>> answer = new CompletableFuture<>();
		willReturn(answer).given(store).describe("a");
		LocksEndpoint endpoint = endpoint(store, Show.ALWAYS);
		endpoint.hold("a", "1h", "maintenance", LocksEndpoint.WhenHeld.WAIT, null, "anna");
		this.store.release("a", LockToken.parse(THERE + ":1")).join();
		await().until(() -> this.store.describe("a").join().orElseThrow().age().compareTo(Duration.ofMillis(2500)) > 0);
		this.store.forceRelease("a", this.store.find("a").join().orElseThrow().holder()).join();
		answer.complete(Optional.empty());
		await().untilAsserted(() -> assertThat(outcomesForOperators()).containsExactly("waiting", "gone"));
		assertThat(this.store.find("a").join()).isEmpty();
	}

	@Test
	void storeThatThrowsLeavesNoWaitBehind() {
		LockStore store = mock(LockStore.class);
		given(store.acquire(any())).willThrow(new IllegalStateException("broken"));
		LocksEndpoint endpoint = endpoint(store, Show.ALWAYS);
		for (int i = 0; i < 40; i++) {
			assertThatIllegalStateException()
				.isThrownBy(() -> endpoint.hold("a", "1h", "why", LocksEndpoint.WhenHeld.WAIT, null))
				.withMessage("broken");
		}
	}

	@Test
	void instanceThatEndsWithoutAnAnswerSaysThatTheLockMayBeHeld() {
		hold("a", THERE);
		LockStore store = mock(LockStore.class, delegatesTo(this.store));
		willReturn(new CompletableFuture<>()).given(store).release(eq("a"), any());
		LocksEndpoint endpoint = endpoint(store, Show.ALWAYS);
		endpoint.hold("a", "1h", "maintenance", LocksEndpoint.WhenHeld.WAIT, null, "anna");
		endpoint.close();
		assertThat(outcomesForOperators()).containsExactly("waiting", "unknown");
	}

	@Test
	void storeThatSaysForLongThatALeaseEndsNowIsNotAskedWithoutAPause() throws Exception {
		hold("a", THERE);
		LockStore store = mock(LockStore.class, delegatesTo(this.store));
		AcquireOutcome.Busy ending = new AcquireOutcome.Busy(THERE + ":1", Duration.ZERO);
		willAnswer((call) -> {
			this.store.acquire(call.getArgument(0)).join();
			return CompletableFuture.completedFuture(ending);
		}).given(store).acquire(any());
		CountDownLatch asked = new CountDownLatch(6);
		willAnswer((call) -> {
			asked.countDown();
			return this.store.describe("a");
		}).given(store).describe("a");
		LocksEndpoint endpoint = endpoint(store, Show.ALWAYS);
		long begin = System.nanoTime();
		endpoint.hold("a", "1h", "maintenance", LocksEndpoint.WhenHeld.WAIT, null, "anna");
		assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(6 * 50));
		endpoint.close();
	}

	@Test
	void operatorWhoWaitsTakesALockWhoseLeaseHasEnded() {
		share("a", THERE, Duration.ofMillis(300), 1);
		this.endpoint.hold("a", "1h", "maintenance", LocksEndpoint.WhenHeld.WAIT, null, "anna");
		await().atMost(Duration.ofMillis(900))
			.untilAsserted(() -> assertThat(outcomesForOperators()).containsExactly("waiting", "held"));
	}

	@Test
	void operatorChangesTheEndOfAHold() {
		String hold = Objects.requireNonNull(this.endpoint.hold("a", "1h", "maintenance", null, null, "anna").hold());
		HoldDescriptor longer = this.endpoint.hold("a", "4h", null, null, hold, "bob");
		assertThat(longer.outcome()).isEqualTo(HoldOutcome.HELD);
		assertThat(longer.until()).isEqualTo(NOW.plus(Duration.ofHours(4)));
		assertThat(this.endpoint.lock("a").remaining()).isGreaterThan(Duration.ofHours(3));
		this.endpoint.hold("a", "10m", null, null, hold, "bob");
		LockDescriptor lock = this.endpoint.lock("a");
		assertThat(lock.remaining()).isLessThanOrEqualTo(Duration.ofMinutes(10));
		assertThat(lock.holder()).isEqualTo("anna");
		assertThat(outcomesForOperators()).containsExactly("held", "changed", "changed");
		assertThat(this.endpoint.hold("a", "4h", null, null, "0123456789abcdef").outcome())
			.isEqualTo(HoldOutcome.HELD_BY_ANOTHER);
		String other = hold("b", THERE);
		assertThat(this.endpoint.hold("b", "4h", null, null, other).outcome())
			.as("the hold of an instance is not an operator's")
			.isEqualTo(HoldOutcome.HELD_BY_ANOTHER);
		assertThat(this.endpoint.lock("b").remaining()).isLessThan(Duration.ofMinutes(1));
	}

	@Test
	void nameThatIsNotDeclaredIsWarnedOf() {
		declareJobs("nightly");
		assertThat(this.endpoint.hold("nightly", "1h", "why", null, null).warning()).isNull();
		assertThat(this.endpoint.hold("importer", "1h", "why", null, null).warning()).as("a leadership").isNull();
		assertThat(this.endpoint.hold("nihgtly", "1h", "why", null, null).warning()).contains("Check its spelling");
	}

	@Test
	void noMoreThanSixteenWaitForOperators() {
		for (int i = 0; i < 17; i++) {
			hold("a" + i, THERE);
		}
		for (int i = 0; i < 16; i++) {
			this.endpoint.hold("a" + i, "1h", "why", LocksEndpoint.WhenHeld.WAIT, null, "anna");
		}
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> this.endpoint.hold("a16", "1h", "why", LocksEndpoint.WhenHeld.WAIT, null, "anna"))
			.withMessageContaining("This instance waits for 16 locks for operators");
		assertThat(this.endpoint.hold("b", "1h", "why", LocksEndpoint.WhenHeld.REFUSE, null, "anna").outcome())
			.isEqualTo(HoldOutcome.HELD);
		this.endpoint.close();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					1h    | ' '    | Say why the lock is held
					''    | why    | The duration is ''. Write it as 30s, 45m or 4h.
					soon  | why    | The duration is 'soon'. Write it as 30s, 45m or 4h.
					30    | why    | The duration '30' has no unit. Write 30s for seconds, or another unit such as m or h.
					+07   | why    | The duration '+07' has no unit. Write 7s for seconds, or another unit such as m or h.
					60000 | why    | The duration '60000' has no unit. Write 60000ms for milliseconds, or another unit such as s, m or h.
					0     | why    | The duration is 0s. It must be from 1s to 7d
					30ms  | why    | The duration is 30ms. It must be from 1s to 7d
					-1h   | why    | The duration is -1h. It must be from 1s to 7d
					8d    | why    | The duration is 8d. It must be from 1s to 7d
					999999999999d | why | The duration is 999999999999d. It must be from 1s to 7d
					""")
	void requestOfAnOperatorThatMakesNoSenseIsRefused(String duration, String reason, String problem) {
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> this.endpoint.hold("a", duration, reason, null, null))
			.withMessageContaining(problem);
		assertThat(this.endpoint.lock("a").locked()).isFalse();
		assertThat(this.endpoint.hold("a", "1s", "x".repeat(200), null, null).outcome()).isEqualTo(HoldOutcome.HELD);
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> this.endpoint.hold("a", "7d", "x".repeat(201), null, null))
			.withMessageContaining("The reason has 201 bytes in UTF-8. It must have at most 200.");
	}

	@Test
	void holdWithAnUnknownOutcomeIsReportedAndTakenBack() {
		LockStore store = mock(LockStore.class);
		given(store.acquire(any())).willReturn(
				CompletableFuture.failedFuture(new LockUnavailableException("a", "Redis did not answer.", null)));
		given(store.release(eq("a"), any()))
			.willReturn(
					CompletableFuture.failedFuture(new LockUnavailableException("a", "Redis did not answer.", null)))
			.willReturn(CompletableFuture.completedFuture(ReleaseOutcome.RELEASED));
		LocksEndpoint endpoint = endpoint(store, Show.ALWAYS);
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> endpoint.hold("a", "1h", "why", null, null))
			.withMessageContaining("Redis did not answer. The lock may be held for the operator now, as hold ");
		assertThat(outcomesForOperators()).containsExactly("unknown");
		await().untilAsserted(() -> then(store).should(times(2)).release(eq("a"), any()));
		endpoint.close();
	}

	@Test
	void refusalOfTheStoreIsNoUnknownOutcome() {
		LockStore store = mock(LockStore.class);
		given(store.acquire(any()))
			.willReturn(CompletableFuture.failedFuture(new LockConfigurationException("a", "No rights.", null)));
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> endpoint(store, Show.ALWAYS).hold("a", "1h", "why", null, null));
		assertThat(outcomesForOperators()).isEmpty();
	}

	private List<Object> outcomesForOperators() {
		return List.copyOf(this.published)
			.stream()
			.map((event) -> ((AuditApplicationEvent) event).getAuditEvent())
			.filter((event) -> event.getType().equals(LocksEndpoint.HOLD_AUDIT_TYPE))
			.map((event) -> event.getData().get("outcome"))
			.toList();
	}

	@Test
	void answersCanBeWrittenInANativeImage() {
		RuntimeHints hints = new RuntimeHints();
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, LocksEndpoint.class,
				LocksEndpointWebExtension.class);
		for (Class<?> type : List.of(LocksDescriptor.class, LocksDescriptor.Declared.class, LocksDescriptor.Run.class,
				StoredLocksDescriptor.class, StoredLocksDescriptor.Entry.class, HoldDescriptor.class,
				LocksEndpointWebExtension.Problem.class)) {
			assertThat(RuntimeHintsPredicates.reflection().onType(type)).as(type.getName()).accepts(hints);
		}
	}

	@Test
	void withoutAStoreOnlyThisInstanceIsShown() {
		LocksEndpoint storeless = endpoint(null, Show.ALWAYS);
		assertThat(((LocksDescriptor) storeless.locks(null, null)).store().description()).isEqualTo("no store");
		willReturn(Optional.of(LockInfo.heldElsewhere("pay:1", "there@host", Duration.ofSeconds(24))))
			.given(this.service)
			.find("pay:1");
		LockDescriptor lock = storeless.lock("pay:1");
		assertThat(lock.locked()).isTrue();
		assertThat(lock.holder()).isEqualTo("there@host");
		assertThat(lock.remaining()).isEqualTo(Duration.ofSeconds(24));
		assertThat(lock.hold()).isNull();
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> storeless.locks(LocksEndpoint.Scope.STORE, null))
			.withMessageContaining("no lock store");
		assertThatExceptionOfType(InvalidEndpointRequestException.class)
			.isThrownBy(() -> storeless.forceRelease("a", "b", "root"))
			.withMessageContaining("no lock store");
	}

	@Test
	void controlAndInvisibleCharactersAreShownEscaped() {
		String name = "a\nb\u202e";
		given(this.inspector.held()).willReturn(
				List.of(new HeldHere(name, name, name, Duration.ZERO, Duration.ZERO, 1, false, 1, LockMode.EXCLUSIVE)));
		given(this.inspector.waiting()).willReturn(List.of(new WaitingHere(name, name, name, Duration.ZERO)));
		Held held = new Held("a\\u000Ab\\u202E", "a\\u000Ab\\u202E", "a\\u000Ab\\u202E", NOW, Duration.ZERO, 1, false);
		Waiting waiting = new Waiting(held.name(), held.declaredName(), held.owner(), NOW);
		assertThat(this.endpoint.lock(name))
			.isEqualTo(LockDescriptor.withoutHolder(held.name(), false, null, List.of(held), List.of(waiting)));
		assertThat(instanceLocks().held()).containsExactly(held);
		assertThat(instanceLocks().waiting()).containsExactly(waiting);
	}

	@Test
	void freeLockIsShownWithoutAHolder() {
		assertThat(this.endpoint.lock("pay:2"))
			.isEqualTo(LockDescriptor.withoutHolder("pay:2", false, null, List.of(), List.of(WAITING)));
	}

	@Test
	void unavailableOrRefusingStoreIsShownWithTheProblem() {
		given(this.service.find("pay:1"))
			.willThrow(new LockUnavailableException("pay:1", "Redis did not answer.", null))
			.willThrow(new LockConfigurationException("pay:1", "The key is of another type.", null));
		for (String problem : List.of("Redis did not answer.", "The key is of another type.")) {
			assertThat(this.endpoint.lock("pay:1"))
				.isEqualTo(LockDescriptor.withoutHolder("pay:1", null, problem, List.of(HELD), List.of()));
		}
	}

	private record Declaration(String declaredName, List<String> names, String location, LockOptions options,
			Map<String, String> sources, String onContention, boolean fenced) implements DeclaredLock {

		@Override
		public Match match(String name) {
			return this.declaredName.equals(name) ? Match.DECLARATION
					: name.startsWith("pay:") ? Match.PATTERN : Match.NONE;
		}

	}

	/** Its records consist of the state, the attempt and perhaps the instance. */
	private record ReportJob(String name) implements DeclaredJobs.DeclaredJob {

		@Override
		public String location() {
			return "com.example.Reports.write()";
		}

		@Override
		public Instant next() {
			return NOW.plusSeconds(60);
		}

		@Override
		public Duration catchUp() {
			return Duration.ofHours(2);
		}

		@Override
		public DeclaredJobs.Run read(String record) {
			String[] parts = record.split(" ");
			String state = parts[0];
			return new DeclaredJobs.Run(NOW.minusSeconds(60), state, (parts.length > 2) ? parts[2] : "shop@a\n1",
					NOW.minusSeconds(59), state.equals("running") ? null : NOW.minusSeconds(50),
					Integer.parseInt(parts[1]) > 1, state.equals("failed") ? "com.example.Failure" : null);
		}

		@Override
		public long missedSince(Instant fireTime) {
			return fireTime.equals(NOW.minusSeconds(60)) ? 4 : 0;
		}

	}

	private record HeldHere(String name, String declaredName, String owner, Duration heldFor, Duration remaining,
			long fencingToken, boolean autoRenew, int permits, LockMode mode) implements HeldLock {

	}

	private record WaitingHere(String name, String declaredName, String owner,
			Duration waitedFor) implements WaitingLock {

	}

}
