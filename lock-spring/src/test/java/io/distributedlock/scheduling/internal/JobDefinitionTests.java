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

package io.distributedlock.scheduling.internal;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockConfiguration;
import io.distributedlock.annotation.LockValidationException;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.annotation.SuppressLockWarnings;
import io.distributedlock.internal.DeclaredJobs;
import io.distributedlock.internal.WallClock;
import io.distributedlock.leadership.annotation.LeaderOnly;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.LockStore;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.MapPropertySource;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for what the start says about jobs that cannot work, and those that can.
 */
class JobDefinitionTests {

	private static final Set<Class<?>> WARNED = Set.of(InBerlin.class, InNewYork.class, HeldForAPeriod.class,
			HeldForLong.class, RepeatedForTooShort.class, FreeTooLate.class, TakenForLong.class,
			TakenForLongAndLate.class);

	@ParameterizedTest
	@ValueSource(classes = { FixedDelay.class, NotScheduled.class, WrongCron.class, NeverFires.class, WrongZone.class,
			NoDuration.class, ZeroRate.class, Retried.class, LateLeader.class, TwoLocks.class, LateAndAsync.class,
			LatePublisher.class, LateWithParameter.class, NoTimeToCatchUp.class, UnknownArgument.class,
			UnknownProperty.class, TwoNames.class, SameName.class, WithPermits.class, ReturnsPrimitive.class,
			TimeoutInWords.class, ShortTimeout.class, ShortMaxHold.class, LongTimeout.class, MaxHoldInWords.class,
			CatchUpWithoutUnit.class, TimeoutWithoutUnit.class, MaxHoldWithoutUnit.class, Composed.class,
			ComposedFromAttributes.class, UnknownPlaceholder.class, BlankName.class, Deferred.class,
			WrongOtherLock.class })
	void jobThatCannotWorkEndsTheStartWithItsFix(Class<?> type) {
		assertThatThrownBy(() -> start(type).close()).hasMessageContainingAll(type.getAnnotation(Says.class).value());
	}

	@Test
	void messageAboutAJobNamesItsAnnotationAndNoAttributeThatThatDoesNotHave() {
		List<Class<?>> mistaken = Stream.of(JobDefinitionTests.class.getDeclaredClasses())
			.filter((type) -> type.isAnnotationPresent(Says.class) && type != WrongOtherLock.class
					&& !WARNED.contains(type))
			.toList();
		assertThat(mistaken).hasSizeGreaterThan(25)
			.allSatisfy((type) -> assertThat(messageOfDefinition(type)
				.replace("Or use @DistributedLock with onContention = OnContention.SKIP and a minHold.", ""))
				.startsWith("@OncePerFireTime")
				.doesNotContain("@DistributedLock", "timeoutString", "maxHoldString", "onContention", "fallbackMethod",
						"(fireTime = \"\")", "(catchUp = \"\")"));
	}

	@Test
	void callOfAJobThatCannotWorkNamesItsAnnotation() {
		try (AnnotationConfigApplicationContext context = start(Disabled.class, Expression.class)) {
			assertThatThrownBy(() -> context.getBean(Disabled.class).run())
				.hasMessageStartingWith("@OncePerFireTime on " + Disabled.class.getName() + ".run(): ");
			assertThatThrownBy(() -> context.getBean(Expression.class).run("a", null))
				.hasMessageStartingWith("@OncePerFireTime(fireTime = \"null\") on ");
		}
	}

	private static String messageOfDefinition(Class<?> type) {
		Throwable failure = catchThrowable(() -> start(type).close());
		while (!(failure instanceof LockValidationException)) {
			failure = Objects.requireNonNull(failure).getCause();
		}
		return ((LockValidationException) failure).getFindings()
			.stream()
			.map((finding) -> finding.problem() + " " + finding.action())
			.filter((message) -> !message.startsWith("@LeaderOnly"))
			.findFirst()
			.orElseThrow();
	}

	@ParameterizedTest
	@ValueSource(classes = { Cron.class, TwoSchedules.class, Rate.class, RateOfText.class, Disabled.class,
			Expression.class, EmptyCron.class, CronOfExpression.class, LateExpression.class, NamedByMethod.class,
			LateFuture.class })
	@ExtendWith(OutputCaptureExtension.class)
	void jobThatCanWorkStartsWithoutAWarning(Class<?> type, CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = start(type)) {
			assertThat(context.getBeansOfType(type)).isNotEmpty();
			assertThat(output).doesNotContain("WARN");
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { InBerlin.class, InNewYork.class, HeldForAPeriod.class, HeldForLong.class,
			RepeatedForTooShort.class, FreeTooLate.class, TakenForLong.class, TakenForLongAndLate.class })
	@ExtendWith(OutputCaptureExtension.class)
	void scheduleThatItsAuthorMayNotExpectIsAWarningWithItsFix(Class<?> type, CapturedOutput output) {
		start(type).close();
		assertThat(output.toString().lines().filter((line) -> line.contains("WARN"))).singleElement()
			.asString()
			.endsWith(type.getName() + ".run(): " + type.getAnnotation(Says.class).value()[0]);
	}

	@ParameterizedTest
	@ValueSource(classes = { Suppressed.class, HeldByDefault.class, HeldForLessThanAPeriod.class,
			HeldForAnInevitableTime.class, NeverRepeated.class })
	@ExtendWith(OutputCaptureExtension.class)
	void scheduleThatIsMeantIsNotWarnedOf(Class<?> type, CapturedOutput output) {
		start(type).close();
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void jobsWithoutAZoneAreToldWhereTheZoneOfTheJvmIsNotUtc(CapturedOutput output) {
		startIn("Europe/Berlin", InBerlin.class);
		startIn("Europe/Berlin", Disabled.class);
		startIn("UTC", AtHalfPastTwo.class);
		startIn("Etc/UTC", AtHalfPastTwo.class);
		assertThat(output).doesNotContain("without a zone");
		startIn("Asia/Tokyo", AtHalfPastTwo.class, NamedByMethod.class, AtFour.class);
		assertThat(output).contains(
				"Jobs with a cron expression without a zone fire in Asia/Tokyo, the default zone of this JVM: 'four', 'job'. If the default zone of another instance differs, the job runs twice. Add a zone to @Scheduled, as in zone = \"UTC\".");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void frequentJobsWithoutAMaxHoldAreTold(CapturedOutput output) {
		start(HeldForLessThanAPeriod.class, AtFour.class).close();
		assertThat(output).doesNotContain("keep their locks for a day");
		start(HeldByDefault.class).close();
		assertThat(output).contains(
				"These jobs keep their locks for a day if a run hangs, and no instance runs them meanwhile: 'job'. Set maxHold to at least twice the longest run.");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void jobsThatAreRepeatedOnlyAfterACrashAreTold(CapturedOutput output) {
		start(RepeatedHardlyEver.class).close();
		assertThat(output).doesNotContain("but not if it hangs");
		start(RepeatedOnlyAfterCrash.class).close();
		assertThat(output.toString().lines().filter((line) -> line.contains("but not if it hangs"))).singleElement()
			.asString()
			.contains("INFO")
			.endsWith(
					"A run of these jobs is repeated if its instance dies, but not if it hangs, because their catchUp is not longer than their maxHold: 'half', 'job'. Set catchUp to more than maxHold and the lease together.");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void callByHandOfAJobThatIsScheduledIsWarnedOfWithItsFix(CapturedOutput output) {
		start(CalledByHand.class).close();
		assertThat(output.toString().lines().filter((line) -> line.contains("WARN"))).singleElement()
			.asString()
			.contains("CalledByHand.byHand()", "CalledByHand.run(), which is annotated with @OncePerFireTime")
			.endsWith(
					"To run the work by hand as well, move it to a method of its own with @DistributedLock, in another bean, and let both methods call that.");
	}

	private static void startIn(String zone, Class<?>... types) {
		TimeZone before = TimeZone.getDefault();
		TimeZone.setDefault(TimeZone.getTimeZone(zone));
		try {
			start(types).close();
		}
		finally {
			TimeZone.setDefault(before);
		}
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void zoneOfTheJvmIsNamedIfNoOtherIsGiven(CapturedOutput output) {
		startIn("Europe/Berlin", AtHalfPastTwo.class);
		assertThat(output).contains(
				"It fires at 02:30 in Europe/Berlin, the default zone of this JVM, where clocks change at that time: ");
	}

	@Test
	void jobsAreDeclaredWithTheirNextFireTime() {
		try (AnnotationConfigApplicationContext context = start(Cron.class)) {
			List<DeclaredJobs.DeclaredJob> jobs = context.getBean(DeclaredJobs.class).jobs();
			assertThat(jobs).singleElement().satisfies((job) -> {
				assertThat(job.name()).isEqualTo("nightly");
				assertThat(job.location()).isEqualTo(Cron.class.getName() + ".run()");
				assertThat(job.next()).isNotNull();
				assertThat(job.catchUp()).isNull();
			});
		}
	}

	private static AnnotationConfigApplicationContext start(Class<?>... types) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment()
			.getPropertySources()
			.addFirst(
					new MapPropertySource("test", Map.of("some.cron", "0 0 3 * * *", "off", "-", "some.hold", " 60 ")));
		context.registerBean(LockStore.class, () -> new InMemoryLockStore());
		context.registerBean(WallClock.class, () -> () -> Instant.parse("2026-11-27T03:00:00Z"));
		context.registerBean(LockOptionsCustomizer.class,
				() -> (name, options) -> name.equals("permits") ? options.withPermits(2) : options);
		context.registerBean(ScheduledAnnotationBeanPostProcessor.class, CallsNothing::new);
		context.register(types);
		context.register(DistributedLockConfiguration.class);
		try {
			context.refresh();
			return context;
		}
		catch (RuntimeException ex) {
			context.close();
			throw ex;
		}
	}

	/** As with {@code @EnableScheduling}. */
	static class CallsNothing extends ScheduledAnnotationBeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return bean;
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Says {

		String[] value();

	}

	@Says({ "Its @Scheduled has a fixedDelay", "Use a cron expression or a fixedRate",
			"@OncePerFireTime cannot work. " })
	static class FixedDelay {

		@Scheduled(fixedDelay = 1000)
		@OncePerFireTime("job")
		public void run() {
		}

	}

	@Says({ "Its fire times are unknown", "fireTime = \"#context.scheduledFireTime\"" })
	static class NotScheduled {

		@OncePerFireTime("job")
		public void run() {
		}

	}

	@Says({ "Its @Scheduled has no fire times", "0 0 3 * *" })
	static class WrongCron {

		@Scheduled(cron = "0 0 3 * *")
		@OncePerFireTime("job")
		public void run() {
		}

	}

	@Says({ "Its cron expression '0 0 3 31 2 *' never fires" })
	static class NeverFires {

		@Scheduled(cron = "0 0 3 31 2 *")
		@OncePerFireTime("job")
		public void run() {
		}

	}

	@Says({ "Its @Scheduled has no fire times", "Europe/Atlantis" })
	static class WrongZone {

		@Scheduled(cron = "0 0 3 * * *", zone = "Europe/Atlantis")
		@OncePerFireTime("job")
		public void run() {
		}

	}

	@Says({ "@OncePerFireTime(catchUp = \"soon\")", "'soon' is not a duration" })
	static class NoDuration {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(name = "job", catchUp = "soon")
		public void run() {
		}

	}

	@Says({ "The fixedRate of its @Scheduled is less than a millisecond" })
	static class ZeroRate {

		@Scheduled(fixedRate = 0)
		@OncePerFireTime("job")
		public void run() {
		}

	}

	@Says({ "It is @Retryable", "Let the method call a @Retryable method of another bean" })
	static class Retried {

		@Retryable
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime("job")
		public void run() {
		}

	}

	@Says({ "It is @LeaderOnly as well", "Remove one of the two" })
	static class LateLeader {

		@LeaderOnly("jobs")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(name = "job", catchUp = "2h")
		public void run() {
		}

	}

	@Says({ "The method has another lock as well", "Move the work under the other lock" })
	static class TwoLocks {

		@DistributedLock(name = "other", onContention = OnContention.SKIP)
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime("job")
		public void run() {
		}

	}

	@Says({ "The method is @Async, a suspending function, or returns a publisher", "remove catchUp" })
	static class LateAndAsync {

		@Async
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(name = "job", catchUp = "2h")
		public void run() {
		}

	}

	@Says({ "The method is @Async, a suspending function, or returns a publisher", "remove catchUp" })
	static class LatePublisher {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(name = "job", catchUp = "2h")
		public Mono<String> run() {
			return Mono.empty();
		}

	}

	@Says({ "The method has parameters", "LockContext.current()" })
	static class LateWithParameter {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(name = "job", catchUp = "2h")
		public void run(LockHandle handle) {
		}

	}

	@Says({ "A run can be late only by a positive time", "\"2h\"" })
	static class NoTimeToCatchUp {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(name = "job", catchUp = "0s")
		public void run() {
		}

	}

	@Says({ "@OncePerFireTime(fireTime = \"#tyme\")", "There is no parameter 'tyme'. Did you mean #time?" })
	static class UnknownArgument {

		@OncePerFireTime(name = "job", fireTime = "#tyme")
		public void run(String time) {
		}

	}

	@Says({ "@OncePerFireTime(fireTime = \"now\") reads now of #root, which has no such property." })
	static class UnknownProperty {

		@OncePerFireTime(name = "job", fireTime = "now")
		public void run(Instant now) {
		}

	}

	@Says({ "A job has one name", "Write one name" })
	static class TwoNames {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime({ "job", "other" })
		public void run() {
		}

	}

	@Says({ "has this name as well", "Give each job a name of its own" })
	static class SameName {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime("job")
		public void run() {
		}

		@Scheduled(cron = "0 0 4 * * *")
		@OncePerFireTime("job")
		public void other() {
		}

	}

	@Says({ "The configuration lets several hold the lock", "Remove the permits" })
	static class WithPermits {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime("permits")
		public void run() {
		}

	}

	@Says({ "@OncePerFireTime cannot work. ", "The method returns int, which has no empty value.",
			"Return Optional or void: a call for a fire time that was run is skipped." })
	static class ReturnsPrimitive {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime("job")
		public int run() {
			return 0;
		}

	}

	@Says({ "@OncePerFireTime(timeout = \"2 hours\") cannot work. ", "'2 hours' is not a duration. ", "Write \"2h\"." })
	static class TimeoutInWords {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(name = "job", timeout = "2 hours")
		public void run() {
		}

	}

	@Says({ "@OncePerFireTime(timeout = \"5ms\") cannot work. ",
			"Set timeout to a lease from 10ms to 3650d, such as 30s." })
	static class ShortTimeout {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(name = "job", timeout = "5ms")
		public void run() {
		}

	}

	@Says({ "@OncePerFireTime(maxHold = \"10s\") cannot work. ",
			"Set timeout = \"10s\": a lease that is renewed is no limit on the run. Or set maxHold, a day by default, to at least twice the longest run, and no less than the lease." })
	static class ShortMaxHold {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(name = "job", timeout = "1m", maxHold = "10s")
		public void run() {
		}

	}

	@Says({ "@OncePerFireTime(maxHold = \"24h\") cannot work. ",
			"Set timeout = \"30s\": a lease that is renewed is no limit on the run. Or set maxHold, a day by default, to at least twice the longest run, and no less than the lease." })
	static class LongTimeout {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(name = "job", timeout = "25h")
		public void run() {
		}

	}

	@Says({ "@OncePerFireTime(maxHold = \"long\") cannot work. ", "'long' is not a duration." })
	static class MaxHoldInWords {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(name = "job", maxHold = "long")
		public void run() {
		}

	}

	@Says({ "@OncePerFireTime(catchUp = \"4\") cannot work. '4' has no unit. ", "Write 4h, 4m or 4s." })
	static class CatchUpWithoutUnit {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(name = "job", catchUp = "4")
		public void run() {
		}

	}

	@Says({ "@OncePerFireTime(timeout = \"+30\") cannot work. '+30' has no unit. ", "Write 30h, 30m or 30s." })
	static class TimeoutWithoutUnit {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(name = "job", timeout = "+30")
		public void run() {
		}

	}

	@Says({ "@OncePerFireTime(maxHold = \"${some.hold}\") cannot work. '60' has no unit. ", "Write 60h, 60m or 60s." })
	static class MaxHoldWithoutUnit {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(name = "job", maxHold = "${some.hold}")
		public void run() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@OncePerFireTime(catchUp = "2 hours")
	@interface Nightly {

	}

	@Says({ "@OncePerFireTime(catchUp = \"2 hours\") cannot work. ", "'2 hours' is not a duration. ", "Write \"2h\"." })
	static class Composed {

		@Scheduled(cron = "0 0 3 * * *")
		@Nightly
		public void run() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@OncePerFireTime
	@interface Leased {

		@AliasFor(annotation = OncePerFireTime.class, attribute = "timeout")
		String lease();

	}

	@Says({ "@OncePerFireTime(timeout = \"2 hours\") cannot work. ", "'2 hours' is not a duration. ", "Write \"2h\"." })
	static class ComposedFromAttributes {

		@Scheduled(cron = "0 0 3 * * *")
		@Leased(lease = "2 hours")
		public void run() {
		}

	}

	@Says({ "@OncePerFireTime(name = \"${no.such.name}\") cannot work. ", "nothing has a value for ${no.such.name}" })
	static class UnknownPlaceholder {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime("${no.such.name}")
		public void run() {
		}

	}

	@Says({ "@OncePerFireTime(name = \" \") cannot work. ", "The name is blank." })
	static class BlankName {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(" ")
		public void run() {
		}

	}

	@Says({ "@OncePerFireTime cannot work. ", "It is not known when the work of a method that returns" })
	static class Deferred {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime("job")
		public Callable<String> run() {
			return () -> "";
		}

	}

	@Says({ "@DistributedLock(timeoutString = \"2 hours\") cannot work. " })
	static class WrongOtherLock {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime("job")
		@DistributedLock(name = "other", timeoutString = "2 hours")
		public void run() {
		}

	}

	@Says("It fires at 02:30 in Europe/Berlin, where clocks change at that time: it does not fire on 2027-03-28, and it fires twice on 2027-10-31. Write zone = \"UTC\". Or choose a time that is not within 02:00 to 03:00.")
	static class InBerlin {

		@Scheduled(cron = "0 30 2 * * *", zone = "Europe/Berlin")
		@OncePerFireTime("job")
		public void run() {
		}

	}

	@Says("It fires at 01:30 in America/New_York, where clocks change at that time: it fires twice on 2027-11-07. Write zone = \"UTC\". Or choose a time that is not within 01:00 to 02:00 or 02:00 to 03:00.")
	static class InNewYork {

		@Scheduled(cron = "0 30 1 * * *", zone = "America/New_York")
		@OncePerFireTime("job")
		public void run() {
		}

	}

	@Says("Its maxHold is 1h, and the time between two fire times is 1h: a run that hangs costs more than one of them. Set maxHold to less than 1h, and to at least twice your longest run. If runs may take longer than that, say so with @SuppressLockWarnings.")
	static class HeldForAPeriod {

		@Scheduled(cron = "0 0 * * * *", zone = "UTC")
		@OncePerFireTime(name = "job", maxHold = "1h")
		public void run() {
		}

	}

	@Says("Its maxHold is 5m, and the time between two fire times is 1m: a run that hangs costs more than one of them. Set maxHold to less than 1m, and to at least twice your longest run. If runs may take longer than that, say so with @SuppressLockWarnings.")
	static class HeldForLong {

		@Scheduled(fixedRate = 60_000)
		@OncePerFireTime(name = "job", maxHold = "5m")
		public void run() {
		}

	}

	@Says("Its catchUp is 10m, and its maxHold 1h20m: a run whose instance dies later than 10m after the fire time is not repeated. Set catchUp to more than your longest run and the lease, such as 1h21m. If runs are always shorter than 10m, say so with @SuppressLockWarnings.")
	static class RepeatedForTooShort {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(name = "job", catchUp = "10m", maxHold = "80m")
		public void run() {
		}

		@Bean
		static TaskScheduler taskScheduler() {
			return new ThreadPoolTaskScheduler();
		}

	}

	@Says("Its catchUp is 40s, and its timeout 50s: if the instance dies during the run, the lock is free too late to repeat the run. Set catchUp to several times the timeout. Or set a shorter timeout, which is no limit on the run: it is renewed.")
	static class FreeTooLate {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(name = "job", timeout = "50s", catchUp = "40s")
		public void run() {
		}

		@Bean
		static TaskScheduler taskScheduler() {
			return new ThreadPoolTaskScheduler();
		}

	}

	@Says("Its timeout is 40m: if the instance dies, its lock stays taken for that long, and nobody repeats or runs the job meanwhile. Remove timeout, or set a shorter one: it is renewed, and no limit on the run. To limit the run, set maxHold to at least twice your longest run.")
	static class TakenForLong {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(name = "job", timeout = "40m")
		public void run() {
		}

	}

	@Says("Its catchUp is 30m, and its timeout 40m: if the instance dies during the run, the lock is free too late to repeat the run. Set catchUp to several times the timeout. Or set a shorter timeout, which is no limit on the run: it is renewed.")
	static class TakenForLongAndLate {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(name = "job", timeout = "40m", catchUp = "30m")
		public void run() {
		}

		@Bean
		static TaskScheduler taskScheduler() {
			return new ThreadPoolTaskScheduler();
		}

	}

	static class NeverRepeated {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(name = "job", timeout = "50s", catchUp = "40s", maxHold = "80m", repeat = false)
		public void run() {
		}

		@Bean
		static TaskScheduler taskScheduler() {
			return new ThreadPoolTaskScheduler();
		}

	}

	static class Suppressed {

		@SuppressLockWarnings
		@Scheduled(cron = "0 30 2 * * *", zone = "Europe/Berlin")
		@OncePerFireTime(name = "job", maxHold = "36h")
		public void run() {
		}

	}

	static class CalledByHand {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("job")
		public void run() {
		}

		public void byHand() {
			run();
		}

	}

	static class HeldByDefault {

		@Scheduled(cron = "0 0 * * * *", zone = "UTC")
		@OncePerFireTime("job")
		public void run() {
		}

	}

	static class RepeatedOnlyAfterCrash {

		@Scheduled(cron = "0 0 4 * * *", zone = "UTC")
		@OncePerFireTime(name = "job", maxHold = "2h", catchUp = "2h")
		public void run() {
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(name = "half", maxHold = "2h", catchUp = "1h")
		public void half() {
		}

		@Scheduled(cron = "0 0 5 * * *", zone = "UTC")
		@OncePerFireTime(name = "longer", maxHold = "2h", catchUp = "121m")
		public void longer() {
		}

		@Scheduled(cron = "0 0 5 * * *", zone = "UTC")
		@OncePerFireTime(name = "default", catchUp = "3h")
		public void byDefault() {
		}

		@Scheduled(cron = "0 0 5 * * *", zone = "UTC")
		@OncePerFireTime(name = "once", maxHold = "2h", catchUp = "2h", repeat = false)
		public void notRepeated() {
		}

	}

	/** A warning says it. */
	static class RepeatedHardlyEver {

		@Scheduled(cron = "0 0 4 * * *", zone = "UTC")
		@OncePerFireTime(name = "job", maxHold = "2h", catchUp = "59m")
		public void run() {
		}

		@Scheduled(cron = "0 0 5 * * *", zone = "UTC")
		@OncePerFireTime(name = "leased", maxHold = "1m", timeout = "50s", catchUp = "50s")
		public void leased() {
		}

	}

	static class HeldForLessThanAPeriod {

		@Scheduled(cron = "0 0 * * * *", zone = "UTC")
		@OncePerFireTime(name = "job", maxHold = "59m")
		public void run() {
		}

	}

	/** It is at least the lease. */
	static class HeldForAnInevitableTime {

		@Scheduled(fixedRate = 10_000)
		@OncePerFireTime(name = "job", maxHold = "30s")
		public void run() {
		}

	}

	static class AtFour {

		@Scheduled(cron = "0 0 4 * * *")
		@OncePerFireTime("four")
		public void run() {
		}

	}

	static class AtHalfPastTwo {

		@Scheduled(cron = "0 30 2 * * *")
		@OncePerFireTime("job")
		public void run() {
		}

	}

	static class Cron {

		@Scheduled(cron = "${some.cron}", zone = "${some.zone:UTC}")
		@OncePerFireTime("nightly")
		public void run() {
		}

	}

	static class TwoSchedules {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS)
		@OncePerFireTime("job")
		public void run() {
		}

	}

	static class Rate {

		@Scheduled(fixedRate = 1000)
		@OncePerFireTime("job")
		public void run() {
		}

	}

	static class RateOfText {

		@Scheduled(fixedRateString = "${some.rate:PT1M}")
		@OncePerFireTime(name = "job", maxHold = "50s")
		public void run() {
		}

	}

	static class Disabled {

		@Scheduled(cron = "${off}")
		@OncePerFireTime("job")
		public void run() {
		}

	}

	static class Expression {

		@OncePerFireTime(name = "'job:' + #tenant", fireTime = "#time")
		public void run(String tenant, Instant time) {
		}

	}

	static class EmptyCron {

		@Scheduled(cron = "${no.cron:}")
		@OncePerFireTime("job")
		public void run() {
		}

	}

	static class CronOfExpression {

		@Scheduled(cron = "#{'0 0 ' + 3 + ' * * *'}", zone = "UTC")
		@OncePerFireTime("job")
		public void run() {
		}

	}

	static class LateExpression {

		@OncePerFireTime(name = "job", fireTime = "#time", catchUp = "2h")
		public void run(Instant time) {
		}

	}

	static class NamedByMethod {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime
		public void run() {
		}

	}

	static class LateFuture {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(name = "job", catchUp = "1h")
		public CompletableFuture<String> run() {
			return CompletableFuture.completedFuture("");
		}

		@Bean
		static TaskScheduler taskScheduler() {
			return new ThreadPoolTaskScheduler();
		}

	}

}
