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

package io.distributedlock.autoconfigure;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.LockValidationException;
import io.distributedlock.annotation.LockedMethodRegistry;
import io.distributedlock.annotation.LossReaction;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.annotation.OncePerFireTime;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.GetMapping;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Starts applications with mistakes of users. Each is told at the start, and nothing is
 * told when it is corrected as the message says; or it stands among those that are not
 * told, with the reason.
 */
@ExtendWith(OutputCaptureExtension.class)
class MistakesOfUsersTests {

	private static final String TEN = "nnnnnnnnnn";

	private static final String HUNDRED = TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN + TEN;

	private static final String LONG = HUNDRED + HUNDRED + HUNDRED + HUNDRED + HUNDRED + HUNDRED + HUNDRED + HUNDRED
			+ HUNDRED + HUNDRED;

	private static final String LENGTHY = LONG + LONG + LONG + LONG + LONG;

	private static final List<Class<?>> MISTAKEN = List.of(Mistakes.class, OfRecord.class, OfText.class,
			InConstructor.class, WithClosing.class, OnClass.class);

	private static final Map<String, String> REPORT = new HashMap<>();

	private static final ApplicationContextRunner RUNNER = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory");

	@BeforeAll
	static void report() {
		RUNNER.withUserConfiguration(MISTAKEN.toArray(Class<?>[]::new)).run((context) -> {
			Throwable failure = context.getStartupFailure();
			while (failure != null && !(failure instanceof LockValidationException)) {
				failure = failure.getCause();
			}
			assertThat(failure).isInstanceOf(LockValidationException.class);
			((LockValidationException) Objects.requireNonNull(failure)).getFindings()
				.forEach((finding) -> REPORT.merge(finding.location().replaceFirst("[(].*", ""),
						finding.problem() + " " + finding.action(), (one, other) -> one + " " + other));
		});
	}

	static Stream<Executable> mistakes() {
		return MISTAKEN.stream()
			.flatMap((type) -> Stream.concat(Stream.of(type.getDeclaredMethods()),
					Stream.of(type.getDeclaredConstructors())))
			.filter((each) -> each.isAnnotationPresent(Told.class) && !each.isSynthetic())
			.map(Executable.class::cast)
			.sorted(Comparator.comparing(Executable::getName));
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void mistakeInAnAnnotationIsTold(Executable mistake) {
		String name = (mistake instanceof Method method) ? method.getName() : "<init>";
		assertThat(REPORT.get(mistake.getDeclaringClass().getName() + "." + name)).isNotNull()
			.contains(mistake.getAnnotation(Told.class).value());
	}

	@Test
	void nothingElseIsTold() {
		assertThat(REPORT).hasSize((int) mistakes().count());
	}

	@Test
	void nothingIsToldOfCorrectedAnnotations() {
		assertThat(Stream.of(Corrected.class.getDeclaredMethods()).map(Method::getName))
			.containsAll(Stream.of(Mistakes.class.getDeclaredMethods())
				.filter((method) -> method.isAnnotationPresent(Told.class))
				.map(Method::getName)
				.toList());
		RUNNER
			.withUserConfiguration(Corrected.class, CorrectedRecord.class, CorrectedText.class,
					CorrectedConstructor.class, CorrectedClosing.class, CorrectedClass.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(LockedMethodRegistry.class).findings()).isEmpty();
			});
	}

	@Test
	void whatIsNotToldHasAReason() {
		RUNNER.withUserConfiguration(NotTellable.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(LockedMethodRegistry.class).findings()).isEmpty();
		});
		assertThat(Stream.of(NotTellable.class.getDeclaredMethods())
			.filter((method) -> method.isAnnotationPresent(NotTold.class))
			.map((method) -> method.getAnnotation(NotTold.class).value())).hasSize(15)
			.allMatch((reason) -> reason.endsWith("."));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			default.timeout=30s | Did you mean 'distributed-lock.defaults.timeout'?
			lock[Correct.pay].timeout=40s | Did you mean 'distributed-lock.locks[Correct.pay].timeout'?
			validation=stict | `'stict' is not one of the values: fail, strict, warn, off.`
			check=yes | `'yes' is not one of the values: warn, fail, strict, strict-if-reachable, off.`
			annotation.order=first | `'first' is not a whole number, or too large.`
			locks[Correct.pay].on-lost=explode | `'explode' is not one of the values: log, interrupt, throw.`
			locks[Corect.pay].timeout=10s | Did you mean distributed-lock.locks[Correct.pay]?
			local-handoffs.count=abc | `'abc' is not a whole number, or too large.`
			metrics.max-names=-1 | The number of metered lock names is -1, but must not be negative.
			shutdown.grace-period=-5s | The grace period at shutdown is -5s, but must not be negative.
			redis.command-timeout=0s | The Redis command timeout is 0s, but must be positive.
			redis.connect-timeout=0s | The Redis connect timeout is 0s, but must be positive.
			redis.fence-retention=0s | The retention of fencing tokens is 0s, but must be positive.
			observations.spans=everything | `'everything' is not one of the values: contended, all, off.`
			web.include-holder=ja | Write true or false, or remove the property.
			renewal.interval=0s | The renewal interval is 0s, but must be positive.
			locks[Correct.pay].permits=two | `'two' is not a whole number, or too large.`
			locks[Correct.pay].mode=read | `'read' is not one of the values: exclusive, shared.`
			defaults.wait-time=forever | 'forever' is not a duration.
			defaults.timeout=1h30m | or an ISO 8601 duration, as in PT1M30S
			annotation.enabled=treu | Write true or false, or remove the property.
			../distributed-locks.defaults.timeout=40s | Did you mean 'distributed-lock.defaults.timeout'?
			""")
	void mistakeInAPropertyIsTold(String mistake, String told, CapturedOutput output) {
		try {
			run(mistake).close();
		}
		catch (RuntimeException ex) {
			assertThat(output).contains("APPLICATION FAILED TO START");
		}
		assertThat(output).contains(told);
	}

	@ParameterizedTest
	@ValueSource(strings = {
			"defaults.timeout=30s validation=fail check=warn annotation.order=5 local-handoffs.count=3 "
					+ "locks[Correct.pay].timeout=40s locks[Correct.pay].on-lost=throw metrics.max-names=0 "
					+ "shutdown.grace-period=0s redis.command-timeout=1s redis.connect-timeout=1s "
					+ "redis.fence-retention=1m observations.spans=all web.include-holder=true renewal.interval=5s "
					+ "locks[Correct.pay].mode=exclusive defaults.wait-time=5m annotation.enabled=true",
			"defaults.timeout=PT1H30M locks[Correct.pay].permits=2", "defaults.timeout=40s" })
	void nothingIsToldOfCorrectedProperties(String corrected, CapturedOutput output) {
		int before = output.length();
		run(corrected.split(" ")).close();
		assertThat(output.toString()
			.substring(before)
			.lines()
			.filter((line) -> line.contains(" WARN ") && !line.contains("InMemoryLockStoreConfiguration"))).isEmpty();
	}

	private static ConfigurableApplicationContext run(String... properties) {
		SpringApplication application = new SpringApplication(Locks.class, Correct.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setRegisterShutdownHook(false);
		return application.run(Stream
			.concat(Stream.of("--spring.main.banner-mode=off", "--distributed-lock.provider=in-memory"),
					Stream.of(properties)
						.map((each) -> "--" + ("distributed-lock." + each).replaceFirst(".*[.][.]/", "")))
			.toArray(String[]::new));
	}

	@Retention(RetentionPolicy.RUNTIME)
	private @interface Told {

		String value();

	}

	@Retention(RetentionPolicy.RUNTIME)
	private @interface NotTold {

		String value();

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class })
	static class Locks {

	}

	static class Correct {

		@DistributedLock(name = "pay:#{#orderId}", timeout = 60)
		public void pay(long orderId) {
		}

	}

	record OfRecord() {

		@Told("Remove 'final' from the class (a record is always final")
		@DistributedLock
		public void pay() {
		}

	}

	static class CorrectedRecord {

		@DistributedLock
		public void pay() {
		}

	}

	static class Generic<T> {

		@DistributedLock("x:#{#value.length()}")
		public void run(T value) {
		}

	}

	static class OfText extends Generic<Thing> {

		@Told("reads length() of #value of type io.distributedlock.autoconfigure.MistakesOfUsersTests$Thing, which has no such method.")
		@Override
		public void run(Thing value) {
		}

	}

	static class CorrectedText extends Generic<String> {

		@Override
		public void run(String value) {
		}

	}

	public static class OpenThing {

	}

	public static final class Thing {

	}

	static class InConstructor {

		@Told("It calls InConstructor.pay(), which is annotated with @DistributedLock, on this object and not through its proxy")
		InConstructor() {
			pay();
		}

		@DistributedLock
		public void pay() {
		}

	}

	static class CorrectedConstructor {

		CorrectedConstructor(CorrectedRecord other) {
			other.pay();
		}

	}

	static class WithClosing implements AutoCloseable {

		@Told("The method is that of AutoCloseable, and Spring calls such a method on the bean itself")
		@Override
		@DistributedLock
		public void close() {
		}

	}

	static class CorrectedClosing {

		@EventListener(ContextClosedEvent.class)
		@DistributedLock
		public void close() {
		}

	}

	@DistributedLock("c:#{#id}")
	static class OnClass {

		public void pay(long id) {
		}

		@Told("There is no parameter 'id'. The method has no parameters: write the expression without #id, or add the parameter.")
		public void count() {
		}

	}

	@DistributedLock("c")
	static class CorrectedClass {

		public void pay(long id) {
		}

		public void count() {
		}

	}

	static class Mistakes {

		@Told("It has 5000 bytes in UTF-8, and a name has at most 4096. Write a shorter name.")
		@DistributedLock(LENGTHY)
		public void longName() {
		}

		@Told("Write == to compare, as in #amount == 100.")
		@DistributedLock(condition = "#amount = 100")
		public void assignment(int amount) {
		}

		@Told("Did you mean #id?")
		@DistributedLock("order:#{id}")
		public void templateWithoutMark(long id) {
		}

		@Told("No ending suffix '}'")
		@DistributedLock("order:#{#id")
		public void unterminated(long id) {
		}

		@Told("as in ${some.property:value}")
		@DistributedLock("order:${some.name")
		public void unterminatedPlaceholder(long id) {
		}

		@Told("#lock is the handle, which does not exist before the lock is held. Use the other arguments only.")
		@DistributedLock("a:#{#lock.name()}")
		public void handleInName(LockHandle lock, long id) {
		}

		@Told("Name all locks in one annotation and take one LockHandle")
		@DistributedLock("a")
		@DistributedLock("b")
		public void twoHandles(LockHandle one, LockHandle two) {
		}

		@Told("Correct the cron expression, or the zone.")
		@Scheduled(cron = "0 0 3 * * *", zone = "Europe/Berln")
		@OncePerFireTime
		public void wrongZone() {
		}

		@Told("must consist of 6 fields")
		@Scheduled(cron = "0 3 * * *")
		@OncePerFireTime
		public void fiveFields() {
		}

		@Told("Remove the parameters: LockContext.current() has the handle.")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(catchUp = "2h")
		public void lateJobWithHandle(LockHandle lock) {
		}

		@Told("Remove @Async: the scheduler's thread then does the work. Or remove catchUp.")
		@Async
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(catchUp = "2h")
		public void lateAsyncJob() {
		}

		@Told("@OncePerFireTime cannot work. The method returns boolean, which has no empty value. Return Optional or void: a call")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime
		public boolean answeringJob() {
			return true;
		}

		@Told("nothing has a value for ${job.name}")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime("${job.name}")
		public void jobOfNoProperty() {
		}

		@Told("Move the work under the other lock to a method of another bean.")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime
		@DistributedLock("b")
		public void jobWithLock() {
		}

		@Told("@OncePerFireTime(catchUp = \"2 hours\") cannot work. '2 hours' is not a duration. Write \"2h\".")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(catchUp = "2 hours")
		public void catchUpInWords() {
		}

		@Told("@OncePerFireTime(timeout = \"2 hours\") cannot work.")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(timeout = "2 hours")
		public void jobWithTimeoutInWords() {
		}

		@Told("@OncePerFireTime(timeout = \"30000\") cannot work. '30000' has no unit. Write 30000ms or 30000s.")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(timeout = "30000")
		public void jobWithNumber() {
		}

		@Told("Add maxHold, longer than the work ever takes, as in maxHold = \"1h\".")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(maxHold = "")
		public void endlessJob() {
		}

		@Told("Move the job to a method of another bean that returns an Optional")
		@GetMapping("/import")
		@OncePerFireTime(fireTime = "#time")
		public String jobOfRequest(Instant time) {
			return "x";
		}

		@Told("which is annotated with @OncePerFireTime, on this object")
		public void callsJob() {
			jobCalled();
		}

		@Told("which is annotated with @DistributedLock, on this object")
		public void callsOverloadOfJob() {
			jobCalled("again");
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime
		public void jobCalled() {
		}

		@DistributedLock
		public void jobCalled(String reason) {
		}

		@Told("Did you mean #what?")
		@OncePerFireTime(fireTime = "#when")
		public void fireTimeOfNothing(Instant what) {
		}

		@Told("Write fallbackMethod = \"busy\"")
		@DistributedLock(fallbackMethod = "Other.busy")
		public void fallbackOfAnotherClass() {
		}

		@Told("Declare void swapped(String, int, LockNotAcquiredException)")
		@DistributedLock(fallbackMethod = "swapped")
		public void fallbackWithSwappedParameters(String a, int b) {
		}

		@Told("Declare void buzy(LockNotAcquiredException), or the same without the exception.")
		@DistributedLock(fallbackMethod = "buzy")
		public void misspeltFallback() {
		}

		@Told("Return java.lang.String, as the locked method does.")
		@DistributedLock(fallbackMethod = "any")
		public String fallbackWithAnyResult() {
			return "";
		}

		@Told("as in \"#ids.!['order:' + #this]\"")
		@DistributedLock("order:#{#ids}")
		public void varargs(String... ids) {
		}

		@Told("'30min' is not a duration. Write \"30m\".")
		@DistributedLock(timeoutString = "30min")
		public void minutes() {
		}

		@Told("\"500ms\"")
		@DistributedLock(timeoutString = "1.5s")
		public void fractionOfASecond() {
		}

		@Told("\"PT30S\"")
		@DistributedLock(timeoutString = "PT30")
		public void isoWithoutUnit() {
		}

		@Told("Set timeout to a lease from 10ms to 3650d, such as timeout = 30.")
		@DistributedLock(timeout = 0)
		public void zeroLease() {
		}

		@Told("Set timeout to a lease from 10ms to 3650d")
		@DistributedLock(timeout = Integer.MAX_VALUE)
		public void hugeLease() {
		}

		@Told("or remove it: then the lease is renewed after every third of it")
		@DistributedLock(autoRenew = true, renewInterval = 0)
		public void zeroRenewal() {
		}

		@Told("must not be negative; zero means none")
		@DistributedLock(minHoldString = "-1s")
		public void negativeMinHold() {
		}

		@Told("Remove permits, or set it to 2 or more")
		@DistributedLock(permits = -3)
		public void negativePermits() {
		}

		@Told("or one future or publisher")
		@DistributedLock
		public Optional<CompletableFuture<String>> optionalFuture() {
			return Optional.empty();
		}

		@Told("The name is blank.")
		@DistributedLock({ "a", "" })
		public void blankAmongNames() {
		}

		@Told("There is no class for T(java.tim.LocalDate). Write the name of a class with its package, as in T(java.time.LocalDate).")
		@DistributedLock("a:#{T(java.tim.LocalDate).EPOCH}")
		public void unknownClass() {
		}

		@Told("reads systemProperties of #root, which has no such property")
		@DistributedLock("a:#{systemProperties['user.name']}")
		public void systemProperties() {
		}

		@Told("Known are #id (or #p0).")
		@DistributedLock("a:#{#p1}")
		public void argumentBeyondTheLast(long id) {
		}

		@Told("The method has no parameters: write the expression without #result, or add the parameter.")
		@DistributedLock("a:#{#result}")
		public String result() {
			return "";
		}

		@Told("reads $id of #root")
		@DistributedLock("a:#{$id}")
		public void dollar(long id) {
		}

		@Told("Did you mean #amount?")
		@DistributedLock(condition = "amount > 100")
		public void conditionWithoutMark(int amount) {
		}

		@Told("reads String of #root, which has no such property")
		@DistributedLock(condition = "#a instanceof String")
		public void instanceOf(Object a) {
		}

		@Told("The expression cannot be parsed")
		@DistributedLock(condition = "#a > 1 & #a < 9")
		public void singleAnd(int a) {
		}

		@Told("Write an expression that is true or false, as in #amount > 100.")
		@DistributedLock(condition = "#a => 1")
		public void arrow(int a) {
		}

		@Told("The lease is 30ns, but must be at least 10ms.")
		@DistributedLock(timeout = 30, timeUnit = TimeUnit.NANOSECONDS)
		public void nanoseconds() {
		}

		@Told("If milliseconds are meant, write waitTime = 5")
		@DistributedLock(timeout = 5, waitTime = 5000)
		public void waitInMilliseconds() {
		}

		@Told("Remove 'final' from the method")
		@DistributedLock
		protected final void protectedAndFinal() {
		}

		@Told("Return a collection, or the value.")
		@DistributedLock
		public Runnable runnable() {
			return () -> {
			};
		}

		@Told("Return Optional or void, or replace onContention = SKIP by a fallbackMethod")
		@Scheduled(fixedDelay = 1000)
		@DistributedLock(onContention = OnContention.SKIP)
		public int scheduledNumber() {
			return 1;
		}

		void swapped(int b, String a) {
		}

		Object any() {
			return "";
		}

	}

	static class Corrected {

		@DistributedLock("n")
		public void longName() {
		}

		@DistributedLock(condition = "#amount == 100")
		public void assignment(int amount) {
		}

		@DistributedLock("order:#{#id}")
		public void templateWithoutMark(long id) {
		}

		@DistributedLock("order:#{#id}")
		public void unterminated(long id) {
		}

		@DistributedLock("order:${some.name:value}")
		public void unterminatedPlaceholder(long id) {
		}

		@DistributedLock("a:#{#id}")
		public void handleInName(LockHandle lock, long id) {
		}

		@DistributedLock({ "a", "b" })
		public void twoHandles(LockHandle both) {
		}

		@Scheduled(cron = "0 0 3 * * *", zone = "Europe/Berlin")
		@OncePerFireTime
		public void wrongZone() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime
		public void fiveFields() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(catchUp = "2h")
		public void lateJobWithHandle() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(catchUp = "2h")
		public CompletableFuture<Void> lateAsyncJob() {
			return CompletableFuture.completedFuture(null);
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime
		public void answeringJob() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime("${job.name:report}")
		public void jobOfNoProperty() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime
		public void jobWithLock() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(catchUp = "2h")
		public void catchUpInWords() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(timeout = "2m")
		public void jobWithTimeoutInWords() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(timeout = "30000ms")
		public void jobWithNumber() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(maxHold = "1h")
		public void endlessJob() {
		}

		@OncePerFireTime(fireTime = "#time")
		public Optional<String> jobOfRequest(Instant time) {
			return Optional.of("x");
		}

		public void callsJob() {
		}

		public void callsOverloadOfJob() {
		}

		@OncePerFireTime(fireTime = "#what")
		public void fireTimeOfNothing(Instant what) {
		}

		@DistributedLock(fallbackMethod = "busy")
		public void fallbackOfAnotherClass() {
		}

		@DistributedLock(fallbackMethod = "swapped")
		public void fallbackWithSwappedParameters(String a, int b) {
		}

		@DistributedLock(fallbackMethod = "busy")
		public void misspeltFallback() {
		}

		@DistributedLock(fallbackMethod = "any")
		public String fallbackWithAnyResult() {
			return "";
		}

		@DistributedLock("#ids.!['order:' + #this]")
		public void varargs(String... ids) {
		}

		@DistributedLock(timeoutString = "30m")
		public void minutes() {
		}

		@DistributedLock(timeoutString = "1500ms")
		public void fractionOfASecond() {
		}

		@DistributedLock(timeoutString = "PT30S")
		public void isoWithoutUnit() {
		}

		@DistributedLock(timeoutString = "30s")
		public void zeroLease() {
		}

		@DistributedLock(timeoutString = "3650d")
		public void hugeLease() {
		}

		@DistributedLock(autoRenew = true)
		public void zeroRenewal() {
		}

		@DistributedLock(minHoldString = "0s")
		public void negativeMinHold() {
		}

		@DistributedLock(permits = 3)
		public void negativePermits() {
		}

		@DistributedLock
		public CompletableFuture<String> optionalFuture() {
			return CompletableFuture.completedFuture("");
		}

		@DistributedLock("a")
		public void blankAmongNames() {
		}

		@DistributedLock("a:#{T(java.time.LocalDate).EPOCH}")
		public void unknownClass() {
		}

		@DistributedLock("a:#{@systemProperties['user.name']}")
		public void systemProperties() {
		}

		@DistributedLock("a:#{#p0}")
		public void argumentBeyondTheLast(long id) {
		}

		@DistributedLock("a")
		public String result() {
			return "";
		}

		@DistributedLock("a:#{#id}")
		public void dollar(long id) {
		}

		@DistributedLock(condition = "#amount > 100")
		public void conditionWithoutMark(int amount) {
		}

		@DistributedLock(condition = "#a instanceof T(String)")
		public void instanceOf(Object a) {
		}

		@DistributedLock(condition = "#a > 1 && #a < 9")
		public void singleAnd(int a) {
		}

		@DistributedLock(condition = "#a >= 1")
		public void arrow(int a) {
		}

		@DistributedLock(timeout = 30)
		public void nanoseconds() {
		}

		@DistributedLock(timeout = 5, waitTime = 5)
		public void waitInMilliseconds() {
		}

		@DistributedLock
		protected void protectedAndFinal() {
		}

		@DistributedLock
		public void runnable() {
		}

		@Scheduled(fixedDelay = 1000)
		@DistributedLock(onContention = OnContention.SKIP)
		public void scheduledNumber() {
		}

		void busy() {
		}

		void swapped(String a, int b, LockNotAcquiredException busy) {
		}

		String any() {
			return "";
		}

	}

	static class NotTellable {

		@NotTold("The check follows the receiver of a call no further than this, so that what it reports is true.")
		public void alias() {
			NotTellable me = this;
			me.locked();
		}

		@NotTold("An object that is no bean has no locks, and the check sees calls on this only.")
		public void newObject() {
			new NotTellable().locked();
		}

		@NotTold("An anonymous class is a class file of its own, which the check does not read.")
		public Runnable anonymousClass() {
			return new Runnable() {
				@Override
				public void run() {
					locked();
				}
			};
		}

		@NotTold("Each call says so.")
		@DistributedLock("order:#{null}")
		public void nullInName() {
		}

		@NotTold("An index may be an expression, and each call says so.")
		@DistributedLock("a:#{#root.args[1]}")
		public void argumentByPosition(long id) {
		}

		@NotTold("It does nothing, and harms nobody.")
		@DistributedLock(timeUnit = TimeUnit.MINUTES)
		public void unitAlone() {
		}

		@NotTold("The unit of the text counts, as documented.")
		@DistributedLock(timeoutString = "30s", timeUnit = TimeUnit.MINUTES)
		public void unitBesideText() {
		}

		@NotTold("What a method returns is not known: a static method may be the right way to a name.")
		@DistributedLock("a:#{T(java.util.UUID).randomUUID()}")
		public void randomName() {
		}

		@NotTold("What a method returns is not known.")
		@DistributedLock("a:#{T(java.lang.Thread).currentThread().name}")
		public void nameOfTheThread() {
		}

		@NotTold("A subclass may have a text, and a call without one is refused.")
		@DistributedLock("a:#{#thing}")
		public void objectWithoutText(OpenThing thing) {
		}

		@NotTold("The lock is taken once.")
		@DistributedLock({ "a", "a" })
		public void sameNameTwice() {
		}

		@NotTold("It is what it says: no limit.")
		@DistributedLock(permits = Integer.MAX_VALUE)
		public void manyPermits() {
		}

		@NotTold("A wait costs nothing but the thread of the caller, which wanted it.")
		@DistributedLock(waitTimeString = "9999d")
		public void longWait() {
		}

		@NotTold("Nobody has locked equals so far; proxies answer it themselves.")
		@Override
		@DistributedLock
		public boolean equals(Object other) {
			return other instanceof NotTellable;
		}

		@NotTold("The documentation says that only threads are interrupted; a class may have the attribute for all of its methods.")
		@DistributedLock(onLost = LossReaction.INTERRUPT)
		public CompletableFuture<Void> interruptedFuture() {
			return CompletableFuture.completedFuture(null);
		}

		@DistributedLock
		public void locked() {
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

}
