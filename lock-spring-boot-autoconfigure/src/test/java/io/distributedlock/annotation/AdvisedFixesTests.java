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

package io.distributedlock.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.example.elsewhere.PackagePrivateLock;
import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.ResolvableType;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.web.bind.annotation.GetMapping;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applies each fix that the report at start-up proposes. Each method with a mistake has
 * its counterparts, whose annotations are what the report says: nothing is reported about
 * them, and they take their lock.
 */
class AdvisedFixesTests {

	private static final Map<Class<?>, Object> ARGUMENTS = Map.ofEntries(Map.entry(String.class, "x"),
			Map.entry(long.class, 1L), Map.entry(int.class, 101), Map.entry(Integer.class, 1),
			Map.entry(boolean.class, true), Map.entry(char.class, 'x'), Map.entry(UUID.class, new UUID(0, 1)),
			Map.entry(Order.class, new Order(1, "new")), Map.entry(OwnText.class, new OwnText(1, "new")),
			Map.entry(Tenant.class, new Tenant(2)), Map.entry(State.class, State.NEW),
			Map.entry(List.class, List.of(1L)), Map.entry(Map.class, Map.of("id", 1L)));

	private static final Map<String, String> REPORT = new HashMap<>();

	private static final List<String> ACQUIRED = new CopyOnWriteArrayList<>();

	private static final ApplicationContextRunner RUNNER = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory")
		.withBean("tenants", Tenants.class)
		.withBean(LockListener.class, () -> (event) -> {
			if (event instanceof LockEvent.Acquired) {
				ACQUIRED.add(event.declaredName());
			}
		});

	@BeforeAll
	static void start() {
		RUNNER.withBean(Mistakes.class)
			.run((context) -> refusal(context).getFindings()
				.forEach((finding) -> REPORT.merge(nameOf(finding.location()), finding.action(),
						(one, other) -> one + " " + other)));
	}

	private static LockValidationException refusal(AssertableApplicationContext context) {
		Throwable failure = context.getStartupFailure();
		while (failure != null && !(failure instanceof LockValidationException)) {
			failure = failure.getCause();
		}
		assertThat(failure).isNotNull();
		return (LockValidationException) failure;
	}

	private static String nameOf(String location) {
		return location.replaceFirst("[(].*", "").replaceFirst(".*[.]", "");
	}

	static Stream<Method> fixes() {
		return Stream.of(Fixed.class.getDeclaredMethods())
			.filter((method) -> method.isAnnotationPresent(Fix.class))
			.sorted(Comparator.comparing(Method::getName));
	}

	@ParameterizedTest
	@MethodSource("fixes")
	void reportProposesTheFix(Method method) {
		Fix fix = method.getAnnotation(Fix.class);
		assertThat(REPORT.get(fix.of())).as(fix.of()).isNotNull().contains(fix.advice());
	}

	@Test
	void eachMistakeIsFixed() {
		assertThat(fixes().map((method) -> method.getAnnotation(Fix.class).of())).containsAll(REPORT.keySet());
	}

	@Test
	void nothingIsReportedAboutTheFixesAndEachTakesItsLock() {
		RUNNER.withBean(Fixed.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(LockedMethodRegistry.class).findings()).isEmpty();
			Fixed bean = context.getBean(Fixed.class);
			assertThat(fixes().filter((method) -> !method.isAnnotationPresent(NotCalled.class)))
				.allSatisfy((method) -> {
					ACQUIRED.clear();
					Object result = method.invoke(bean,
							Stream.of(method.getGenericParameterTypes())
								.map((type) -> argument(type, context))
								.toArray());
					if (result instanceof CompletableFuture<?> future) {
						future.join();
					}
					assertThat(ACQUIRED.isEmpty()).isEqualTo(method.isAnnotationPresent(Unlocked.class));
				});
		});
	}

	private static Object argument(Type type, ApplicationContext context) {
		Class<?> raw = Objects.requireNonNull(ResolvableType.forType(type).resolve());
		if (raw == Optional.class) {
			return Optional.of(argument(ResolvableType.forType(type).getGeneric().getType(), context));
		}
		return (raw == ContextRefreshedEvent.class) ? new ContextRefreshedEvent(context)
				: Objects.requireNonNull(ARGUMENTS.get(raw));
	}

	static Stream<Pair> pairs() {
		return Stream.of(new Pair("Remove 'final' from the class", List.of(FinalClass.class), List.of(OpenClass.class)),
				new Pair("Move the locked method to another bean", List.of(SelfCalling.class),
						List.of(Calling.class, Called.class)),
				new Pair("or inject this bean into itself with @Lazy, and call that", List.of(SelfCalling.class),
						List.of(SelfInjected.class)),
				new Pair("Put the annotation on the method of the bean that is to be locked.",
						List.of(LockedFactory.class), List.of(Factory.class)),
				new Pair("Make the method protected or public.", List.of(InAnotherPackage.class),
						List.of(OnlyProtected.class)),
				new Pair("Move the locked method to another bean.", List.of(Aspects.class, LockedAspect.class),
						List.of(Aspects.class, PlainAspect.class, Called.class)),
				new Pair("Import io.distributedlock.annotation.DistributedLock.", List.of(Namesake.class),
						List.of(Imported.class)),
				new Pair("Give each job a name of its own.", List.of(TwoJobs.class), List.of(OtherJobs.class)),
				new Pair("put @Cacheable on a method of another bean, which calls this one",
						List.of(Caches.class, CachedAndLocked.class),
						List.of(Caches.class, Cached.class, LoadedUnderLock.class)),
				new Pair("Add the method to an interface", List.of(BehindAnInterface.class),
						List.of(InTheInterface.class), "spring.aop.proxy-target-class=false",
						"spring.aop.proxy-target-class=false"),
				new Pair("or with Spring Boot 'spring.aop.proxy-target-class=true'", List.of(BehindAnInterface.class),
						List.of(BehindAnInterface.class), "spring.aop.proxy-target-class=false",
						"spring.aop.proxy-target-class=true"),
				new Pair("with Spring Boot 'distributed-lock.annotation.order', to less than",
						List.of(Transactions.class, Transactional.class),
						List.of(Transactions.class, Transactional.class), "distributed-lock.annotation.order=1",
						"distributed-lock.annotation.order=-1"),
				new Pair("Set minHoldString to at most the lease, or make the lease longer", List.of(LongMinHold.class),
						List.of(LongMinHold.class), "", "distributed-lock.defaults.timeout=5m"),
				beyond("Set maxHold = \"2h\", or a shorter time; with Spring Boot", "2h", Nightly.class,
						NightlyWithinTheLimit.class),
				beyond("'distributed-lock.annotation.max-hold-limit'. And set catchUp to more than your longest run and the lease, such as 2h1m.",
						"2h", LongerThanLateRuns.class, LongLateRuns.class),
				beyond("Set maxHold to less than 1h, and to at least twice your longest run. If runs may take longer than that, say so with @SuppressLockWarnings; with Spring Boot, a property of this lock overrides it. The limit is 'distributed-lock.annotation.max-hold-limit'.",
						"2h", Hourly.class, HourlyWithinAPeriod.class),
				beyond("Set maxHold = \"1m\", or a shorter time, and a timeout no longer than that; with Spring Boot",
						"1m", LongLease.class, ShortLease.class),
				beyond("Set maxHoldString = \"10s\", or a shorter time, and a timeout no longer than that; with Spring Boot",
						"10s", Renewed.class, RenewedBriefly.class),
				beyond("Set maxHoldString = \"10s\", or a shorter time, and a timeout and a minHold no longer than that, and a renewInterval of at most half of that; with Spring Boot",
						"10s", RenewedSlowly.class, RenewedFast.class),
				beyond("Set timeoutString = \"10s\" in place of timeout, or a shorter time, and a minHold no longer than that; with Spring Boot",
						"10s", Leased.class, LeasedBriefly.class),
				new Pair("Register it with a bean definition", List.of(), List.of(OpenClass.class)));
	}

	@ParameterizedTest
	@MethodSource("pairs")
	void applicationThatIsChangedAsAdvisedHasNoFindings(Pair pair) {
		runner(pair.mistake(), pair.mistaken()).withInitializer((context) -> {
			if (pair.mistake().isEmpty()) {
				context.getBeanFactory().registerSingleton("finished", new OpenClass());
			}
		})
			.run((context) -> assertThat((context.getStartupFailure() != null) ? refusal(context).getFindings()
					: context.getBean(LockedMethodRegistry.class).findings())
				.singleElement()
				.satisfies((finding) -> assertThat(finding.action()).contains(pair.advice())));
		runner(pair.fixed(), pair.corrected()).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(LockedMethodRegistry.class).findings()).isEmpty();
		});
	}

	@Test
	void limitOfHoldsAsksForNothingThatASuppressedWarningIsAbout() {
		String limit = "distributed-lock.annotation.max-hold-limit=2h";
		runner(List.of(SuppressedHourly.class), limit)
			.run((context) -> assertThat(refusal(context).getFindings()).singleElement()
				.satisfies((finding) -> assertThat(finding.action()).startsWith("Set maxHold = \"2h\"")
					.endsWith("The limit is 'distributed-lock.annotation.max-hold-limit'.")));
		runner(List.of(SuppressedWithinTheLimit.class), limit).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(LockedMethodRegistry.class).findings()).isEmpty();
		});
	}

	private static Pair beyond(String advice, String limit, Class<?> mistake, Class<?> fixed) {
		String property = "distributed-lock.annotation.max-hold-limit=" + limit;
		return new Pair(advice, List.of(mistake), List.of(fixed), property, property);
	}

	@Test
	void holdBeyondTheLimitWithLateRunsThatAreTooShortIsToldWithBothValues() {
		String limit = "distributed-lock.annotation.max-hold-limit=2h";
		runner(List.of(TooShortLateRuns.class), limit).run((context) -> assertThat(refusal(context).getFindings())
			.extracting(LockFinding::action)
			.satisfiesExactlyInAnyOrder((action) -> assertThat(action).contains(
					"Set maxHold = \"2h\", or a shorter time; with Spring Boot",
					"'distributed-lock.annotation.max-hold-limit'. And set catchUp to more than your longest run and the lease, such as 2h1m.")
				.doesNotContain("timeout"),
					(action) -> assertThat(action).startsWith("Set catchUp to several times the timeout.")));
		runner(List.of(LongLateRuns.class), limit).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(LockedMethodRegistry.class).findings()).isEmpty();
		});
	}

	private static ApplicationContextRunner runner(List<Class<?>> beans, String property) {
		return RUNNER.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
			.withPropertyValues(property)
			.withUserConfiguration(beans.toArray(Class<?>[]::new));
	}

	/**
	 * An application with one mistake, and the same as the report advises.
	 */
	private record Pair(String advice, List<Class<?>> mistake, List<Class<?>> fixed, String mistaken,
			String corrected) {

		Pair(String advice, List<Class<?>> mistake, List<Class<?>> fixed) {
			this(advice, mistake, fixed, "a=b", "a=b");
		}

	}

	static class Nightly {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime
		public void run() {
		}

	}

	static class NightlyWithinTheLimit {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(maxHold = "2h")
		public void run() {
		}

	}

	static class LongerThanLateRuns {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(maxHold = "6h", catchUp = "30m")
		public void run() {
		}

	}

	static class TooShortLateRuns {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(catchUp = "10s")
		public void run() {
		}

	}

	static class LongLateRuns {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(maxHold = "2h", catchUp = "2h1m")
		public void run() {
		}

	}

	static class Hourly {

		@Scheduled(cron = "0 0 * * * *", zone = "UTC")
		@OncePerFireTime
		public void run() {
		}

	}

	static class HourlyWithinAPeriod {

		@Scheduled(cron = "0 0 * * * *", zone = "UTC")
		@OncePerFireTime(maxHold = "59m")
		public void run() {
		}

	}

	static class SuppressedHourly {

		@SuppressLockWarnings
		@Scheduled(cron = "0 0 * * * *", zone = "UTC")
		@OncePerFireTime
		public void run() {
		}

	}

	static class SuppressedWithinTheLimit {

		@SuppressLockWarnings
		@Scheduled(cron = "0 0 * * * *", zone = "UTC")
		@OncePerFireTime(maxHold = "2h")
		public void run() {
		}

	}

	static class LongLease {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(timeout = "5m")
		public void run() {
		}

	}

	static class ShortLease {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(timeout = "1m", maxHold = "1m")
		public void run() {
		}

	}

	static class Renewed {

		@DistributedLock(autoRenew = true)
		public void run() {
		}

	}

	static class RenewedBriefly {

		@DistributedLock(autoRenew = true, timeoutString = "10s", maxHoldString = "10s")
		public void run() {
		}

	}

	static class RenewedSlowly {

		@DistributedLock(autoRenew = true, timeout = 60, minHold = 20, renewInterval = 6)
		public void run() {
		}

	}

	static class RenewedFast {

		@DistributedLock(autoRenew = true, timeout = 10, maxHoldString = "10s", minHold = 10, renewInterval = 5)
		public void run() {
		}

	}

	static class Leased {

		@DistributedLock(timeout = 30, minHold = 20)
		public void run() {
		}

	}

	static class LeasedBriefly {

		@DistributedLock(timeoutString = "10s", minHold = 10)
		public void run() {
		}

	}

	static final class FinalClass {

		@DistributedLock
		public void run() {
		}

	}

	static class OpenClass {

		@DistributedLock
		public void run() {
		}

	}

	static class SelfCalling {

		public void checkout() {
			pay();
		}

		@DistributedLock
		public void pay() {
		}

	}

	static class Called {

		@DistributedLock
		public void pay() {
		}

	}

	static class Calling {

		private final Called other;

		Calling(Called other) {
			this.other = other;
		}

		public void checkout() {
			this.other.pay();
		}

	}

	static class SelfInjected {

		private final SelfInjected self;

		SelfInjected(@Lazy SelfInjected self) {
			this.self = self;
		}

		public void checkout() {
			this.self.pay();
		}

		@DistributedLock
		public void pay() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LockedFactory {

		@Bean
		@DistributedLock
		Text text() {
			return new Text();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Factory {

		@Bean
		OpenClass text() {
			return new OpenClass();
		}

	}

	static class Text {

	}

	static class InAnotherPackage extends PackagePrivateLock {

	}

	static class OnlyProtected {

		@DistributedLock
		protected void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class Aspects {

	}

	@Aspect
	static class LockedAspect {

		@DistributedLock
		public void run() {
		}

	}

	@Aspect
	static class PlainAspect {

	}

	static class Namesake {

		@AdvisedFixesTests.Other.DistributedLock("a")
		public void run() {
		}

	}

	static class Imported {

		@DistributedLock("a")
		public void run() {
		}

	}

	static class Other {

		@Retention(RetentionPolicy.RUNTIME)
		@interface DistributedLock {

			String value();

		}

	}

	static class TwoJobs {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime("report")
		public void one() {
		}

		@Scheduled(cron = "0 0 4 * * *")
		@OncePerFireTime("report")
		public void two() {
		}

	}

	static class OtherJobs {

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime("report")
		public void one() {
		}

		@Scheduled(cron = "0 0 4 * * *")
		@OncePerFireTime("other-report")
		public void two() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(proxyTargetClass = true)
	static class Caches {

		@Bean
		ConcurrentMapCacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

	static class CachedAndLocked {

		@Cacheable("books")
		@DistributedLock("book:#{#p0}")
		public String load(String isbn) {
			return isbn;
		}

	}

	static class Cached {

		private final LoadedUnderLock books;

		Cached(LoadedUnderLock books) {
			this.books = books;
		}

		@Cacheable("books")
		public String book(String isbn) {
			return this.books.load(isbn);
		}

	}

	static class LoadedUnderLock {

		private final ConcurrentMapCacheManager caches;

		LoadedUnderLock(ConcurrentMapCacheManager caches) {
			this.caches = caches;
		}

		@DistributedLock("book:#{#p0}")
		public String load(String isbn) {
			return Objects.requireNonNull(
					Objects.requireNonNull(this.caches.getCache("books")).get(isbn, () -> isbn + " from the database"));
		}

	}

	public interface Shop {

		void open();

	}

	public interface PayingShop extends Shop {

		void pay();

	}

	static class BehindAnInterface implements Shop {

		@Override
		public void open() {
		}

		@DistributedLock
		public void pay() {
		}

	}

	static class InTheInterface implements PayingShop {

		@Override
		public void open() {
		}

		@Override
		@DistributedLock
		public void pay() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true, order = 0)
	static class Transactions {

	}

	static class Transactional {

		@org.springframework.transaction.annotation.Transactional
		@DistributedLock
		public void pay() {
		}

	}

	static class LongMinHold {

		@DistributedLock(minHoldString = "2m")
		public void run() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	private @interface Fix {

		String of();

		String advice();

	}

	/**
	 * The lease may be over before the call is.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	private @interface NotCalled {

	}

	/**
	 * The fix is a condition that the arguments do not meet, for example.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	private @interface Unlocked {

	}

	enum State {

		NEW, OLD

	}

	public record Order(long id, String state) {
	}

	public static final class Token {

	}

	public record OwnText(long id, String state) {

		@Override
		public String toString() {
			return Long.toString(this.id);
		}

	}

	public record Tenant(int parallelExports) {
	}

	public static class Tenants {

		public String of(long id) {
			return "tenant:" + id;
		}

	}

	static class Mistakes {

		@DistributedLock
		private void hidden() {
		}

		@DistributedLock
		public static void ofTheClass() {
		}

		@DistributedLock
		public final void fixed() {
		}

		@PostConstruct
		@DistributedLock
		public void warmUp() {
		}

		@PreDestroy
		@DistributedLock
		public void flush() {
		}

		@DistributedLock("@tenant.of(#id)")
		public void missingBean(long id) {
		}

		@DistributedLock("order:#{#order.idd}")
		public void property(Order order) {
		}

		@DistributedLock("order:#{#order.idd()}")
		public void method(Order order) {
		}

		@DistributedLock("'x:' + orderId")
		public void forgottenMark(String orderId) {
		}

		@DistributedLock("pay:#{#oderId}")
		public void parameter(String orderId) {
		}

		@DistributedLock("'pay:' #orderId")
		public void syntax(String orderId) {
		}

		@DistributedLock(" ")
		public void blankName() {
		}

		@DistributedLock("pay:${order.id}")
		public void placeholder(Order order) {
		}

		@DistributedLock("pay:${no.such}")
		public void noProperty() {
		}

		@DistributedLock(condition = "#text + 'a'")
		public void noCondition(String text, int amount) {
		}

		@DistributedLock(condition = "false")
		public void never(int amount) {
		}

		@DistributedLock(condition = "true")
		public void always() {
		}

		@DistributedLock(condition = "${lock.off:false}")
		public void neverByProperty() {
		}

		@DistributedLock(condition = "${lock.empty:}")
		public void emptyProperty() {
		}

		@DistributedLock(condition = "#on == 'true'")
		public void booleanAndText(boolean on) {
		}

		@DistributedLock(condition = "#state == 'NEW'")
		public void enumAndText(State state) {
		}

		@DistributedLock(condition = "#n == '1'")
		public void numberAndText(long n) {
		}

		@DistributedLock(condition = "#n != #text")
		public void numberAndArgument(Integer n, String text) {
		}

		@DistributedLock(condition = "#text == 1")
		public void textAndNumber(String text) {
		}

		@DistributedLock(condition = "#letter == 'x'")
		public void characterAndText(char letter) {
		}

		@DistributedLock(condition = "#id == 'x'")
		public void idAndText(UUID id) {
		}

		@DistributedLock(condition = "#n == null")
		public void primitiveAndNull(long n) {
		}

		@DistributedLock(permitsString = "2.5")
		public void fraction() {
		}

		@DistributedLock(permitsString = "99999999999")
		public void tooMany() {
		}

		@DistributedLock(permitsString = "0")
		public void noPermits() {
		}

		@DistributedLock(permits = 2, mode = LockMode.SHARED)
		public void permitsAndShared() {
		}

		@DistributedLock(permits = 1)
		public void onePermit() {
		}

		@DistributedLock("'order:' + #ids")
		public void collection(List<Long> ids) {
		}

		@DistributedLock("'order:' + #ids")
		public void optionalCollection(Optional<List<Long>> ids) {
		}

		@DistributedLock("'order:' + #ids")
		public void map(Map<String, Long> ids) {
		}

		@DistributedLock("'order:' + #ids")
		public void optionalMap(Optional<Map<String, Long>> ids) {
		}

		@DistributedLock("order:#{#order}")
		public void record(Order order) {
		}

		@DistributedLock("#orderId")
		public void bareVariable(String orderId) {
		}

		@DistributedLock("#{#customer}")
		public void bareTemplate(long customer) {
		}

		@DistributedLock("#p0")
		public void barePosition(long id) {
		}

		@DistributedLock("#orderIds")
		public void bareIds(List<Long> orderIds) {
		}

		@DistributedLock("pay:{orderId}")
		public void braces(String orderId) {
		}

		@DistributedLock("'pay:#orderId'")
		public void quotedWhole(long orderId) {
		}

		@DistributedLock("pay:$orderId")
		public void shellVariable(long orderId) {
		}

		@DistributedLock("orderId")
		public void parameterName(String orderId) {
		}

		@DistributedLock("order.id")
		public void parameterPath(Order order) {
		}

		@DistributedLock("{orderId}")
		public void wholeBraces(String orderId) {
		}

		@DistributedLock("pay:%s")
		public void format(String orderId) {
		}

		@DistributedLock("currentTenant()")
		public void call() {
		}

		@DistributedLock("nightly ")
		public void trailingBlank() {
		}

		@DistributedLock(timeout = -1)
		public void endlessLease() {
		}

		@DistributedLock(waitTime = -1)
		public void endlessWait() {
		}

		@DistributedLock(timeout = 30, timeoutString = "1m")
		public void twoLeases() {
		}

		@DistributedLock(timeout = 30000, maxHold = 5, autoRenew = true)
		public void millisecondsBesideAShortHold() {
		}

		@DistributedLock(timeout = 20000, maxHold = 60, autoRenew = true)
		public void millisecondsBesideAHold() {
		}

		@DistributedLock("pay:${#order.id}")
		public void placeholderOfAVariable(Order order) {
		}

		@DistributedLock(timeoutString = "half a minute")
		public void noDuration() {
		}

		@DistributedLock(timeoutString = "90 minutes", waitTimeString = "2 Mins")
		public void durationsInWords() {
		}

		@DistributedLock(timeoutString = "30sec", waitTimeString = "500 millis")
		public void shortDurationsInWords() {
		}

		@DistributedLock(timeoutString = "4000d")
		public void longLease() {
		}

		@DistributedLock(timeout = 0)
		public void zeroLease() {
		}

		@DistributedLock(timeout = 5, timeUnit = TimeUnit.MILLISECONDS)
		public void tinyLease() {
		}

		@DistributedLock(timeout = 10, minHold = 20)
		public void longMinHold() {
		}

		@DistributedLock(autoRenew = true, timeout = 10, renewInterval = 6)
		public void lateRenewal() {
		}

		@DistributedLock(autoRenew = true, timeout = 10, maxHold = 5)
		public void shortMaxHold() {
		}

		@DistributedLock(onContention = OnContention.SKIP, fallbackMethod = "other")
		public void twoAnswers() {
		}

		@DistributedLock(name = "two", timeout = 10)
		@DistributedLock(name = "two", timeout = 20)
		public void twoLocks(int amount) {
		}

		@DistributedLock(fallbackMethod = "alone")
		public void lockedFallback() {
		}

		@DistributedLock(fallbackMethod = "busyWith")
		public int noFallback(String item, int number) {
			return 1;
		}

		@DistributedLock(fallbackMethod = "other()")
		public void fallbackWithBrackets() {
		}

		@DistributedLock(fallbackMethod = "ownFallback")
		public void ownFallback() {
		}

		@DistributedLock(fallbackMethod = "text")
		public int otherResult() {
			return 1;
		}

		@DistributedLock(onContention = OnContention.SKIP)
		public boolean skippedNumber() {
			return true;
		}

		@DistributedLock(maxHold = 60)
		public void notRenewed() {
		}

		@DistributedLock(timeout = 30000)
		public void milliseconds() {
		}

		@DistributedLock(timeoutString = "30000")
		public void millisecondsInText() {
		}

		@DistributedLock(timeout = 30, timeUnit = TimeUnit.MILLISECONDS)
		public void shortLease() {
		}

		@DistributedLock
		public Callable<String> callable() {
			return () -> "done";
		}

		@DistributedLock
		public Object anything() {
			return "x";
		}

		@DistributedLock
		public Stream<String> stream() {
			return Stream.of("x");
		}

		@DistributedLock
		public List<CompletableFuture<String>> manyFutures() {
			return List.of();
		}

		@Scheduled(fixedDelay = 5000)
		@DistributedLock
		public void refusedSchedule() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(onContention = OnContention.SKIP)
		public void shortCron() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock
		public void refusedNightly() {
		}

		@Scheduled(fixedRate = 60_000)
		@DistributedLock
		public void refusedRate() {
		}

		@DistributedLock("stock:#text")
		public void textAndVariable(String text) {
		}

		@DistributedLock("stock-#text")
		public void textAndVariableOfAnExpression(String text) {
		}

		@DistributedLock("#{#text.id}")
		public void propertyOfText(String text) {
		}

		@DistributedLock("pay:#{#map.id}")
		public void propertyOfMap(Map<String, Object> map) {
		}

		@DistributedLock("pay:#{#token}")
		public void objectWithoutText(Token token) {
		}

		@DistributedLock(timeoutString = "#{#text}")
		public void leaseOfCall(String text) {
		}

		@Scheduled(fixedRate = 60_000)
		@DistributedLock(onContention = OnContention.SKIP)
		public void shortRate() {
		}

		@Scheduled(fixedRate = 10_000)
		@DistributedLock(onContention = OnContention.SKIP, minHold = 10)
		public void longRate() {
		}

		@Scheduled(fixedDelay = 5000)
		@DistributedLock(autoRenew = true, onContention = OnContention.SKIP)
		public void hanging() {
		}

		@TransactionalEventListener
		@DistributedLock
		public void refusedEvent(Order order) {
		}

		@EventListener
		@DistributedLock
		public void refusedStart(ContextRefreshedEvent event) {
		}

		@GetMapping("/run")
		@DistributedLock(onContention = OnContention.SKIP)
		public String skippedRequest() {
			return "x";
		}

		@Async
		@DistributedLock
		public String asyncText() {
			return "x";
		}

		@DistributedLock(name = "export", permits = 3)
		public void fewPermits() {
		}

		@DistributedLock(name = "export", permits = 5)
		public void morePermits() {
		}

		@DistributedLock(name = "archive", mode = LockMode.SHARED)
		public void onlyShared() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime({ "a", "b" })
		public void twoNamedJob() {
		}

		@OncePerFireTime
		public void jobWithoutFireTimes() {
		}

		@Scheduled(fixedDelay = 5000)
		@OncePerFireTime
		public void jobWithDelay() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime
		public boolean answeringJob() {
			return true;
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(timeout = "2m", maxHold = "1m")
		public void jobWithLongLease() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(timeout = "40m")
		public void jobTakenForLong() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(catchUp = "-2h")
		public void jobWithParameter() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(catchUp = "0s")
		public void jobThatIsNeverLate() {
		}

		@Scheduled(cron = "0 30 2 * * *", zone = "Europe/Berlin")
		@OncePerFireTime
		public void jobAtAChangeOfTheClocks() {
		}

		@Scheduled(cron = "0 0 * * * *", zone = "UTC")
		@OncePerFireTime(maxHold = "2h")
		public void jobHeldForTwoPeriods() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(catchUp = "4")
		public void jobWithoutUnit() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(timeout = "30000")
		public void jobWithLargeNumber() {
		}

		@Async
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(catchUp = "2h")
		public void lateAsyncJob() {
		}

		@Scheduled(cron = "0 0 3 30 2 *")
		@OncePerFireTime
		public void wrongCron() {
		}

		@DistributedLock
		public void alone() {
		}

		void other() {
		}

		void busyWith(String item) {
		}

		String text() {
			return "x";
		}

		public String currentTenant() {
			return "a";
		}

	}

	static class Fixed {

		@Fix(of = "hidden", advice = "Remove 'private' from the method")
		@DistributedLock
		public void hidden() {
		}

		@Fix(of = "ofTheClass", advice = "Make it a method of the bean")
		@DistributedLock
		public void ofTheClass() {
		}

		@Fix(of = "fixed", advice = "Remove 'final' from the method")
		@DistributedLock
		public void fixed() {
		}

		@Fix(of = "warmUp", advice = "Replace it by a method with @EventListener(ApplicationReadyEvent.class)")
		@EventListener(ApplicationReadyEvent.class)
		@DistributedLock(onContention = OnContention.SKIP)
		public void warmUp() {
		}

		@Fix(of = "flush", advice = "Replace it by a method with @EventListener(ContextClosedEvent.class)")
		@EventListener(ContextClosedEvent.class)
		@DistributedLock
		public void flush() {
		}

		@Fix(of = "missingBean", advice = "Did you mean @tenants?")
		@DistributedLock("@tenants.of(#id)")
		public void missingBean(long id) {
		}

		@Fix(of = "property", advice = "Did you mean id?")
		@DistributedLock("order:#{#order.id}")
		public void property(Order order) {
		}

		@Fix(of = "method", advice = "Did you mean id?")
		@DistributedLock("order:#{#order.id()}")
		public void method(Order order) {
		}

		@Fix(of = "forgottenMark", advice = "Did you mean #orderId?")
		@DistributedLock("'x:' + #orderId")
		public void forgottenMark(String orderId) {
		}

		@Fix(of = "parameter", advice = "Did you mean #orderId? Known are #orderId (or #p0)")
		@DistributedLock("pay:#{#orderId}")
		public void parameter(String orderId) {
		}

		@Fix(of = "parameter", advice = "(or #p0)")
		@DistributedLock("pay:#{#p0}")
		public void parameterOtherwise(String orderId) {
		}

		@Fix(of = "syntax", advice = "Write a template, as in pay:#{#orderId}")
		@DistributedLock("pay:#{#orderId}")
		public void syntax(String orderId) {
		}

		@Fix(of = "syntax", advice = "as in 'pay:' + #orderId")
		@DistributedLock("'pay:' + #orderId")
		public void syntaxOtherwise(String orderId) {
		}

		@Fix(of = "blankName", advice = "Leave the attribute out")
		@DistributedLock
		public void blankName() {
		}

		@Fix(of = "placeholder", advice = "Did you mean #{#order.id}?")
		@DistributedLock("pay:#{#order.id}")
		public void placeholder(Order order) {
		}

		@Fix(of = "noProperty", advice = "give a default value after a colon, as in ${some.property:value}")
		@DistributedLock("pay:${no.such:shop}")
		public void noProperty() {
		}

		@Fix(of = "noCondition", advice = "Write an expression that does, as in #amount > 100.")
		@DistributedLock(condition = "#amount > 100")
		public void noCondition(String text, int amount) {
		}

		@Fix(of = "never", advice = "Write a condition that depends on the arguments, as in #amount > 100.")
		@DistributedLock(condition = "#amount > 100")
		public void never(int amount) {
		}

		@Fix(of = "always", advice = "Or remove the condition.")
		@DistributedLock
		public void always() {
		}

		@Fix(of = "neverByProperty", advice = "Give the property another value.")
		@DistributedLock(condition = "${lock.on:true}")
		public void neverByProperty() {
		}

		@Fix(of = "neverByProperty", advice = "say so with @SuppressLockWarnings")
		@SuppressLockWarnings
		@Unlocked
		@DistributedLock(condition = "${lock.off:false}")
		public void neverByPropertyOtherwise() {
		}

		@Fix(of = "emptyProperty", advice = "write a default value after a colon, as in ${some.property:value}")
		@DistributedLock(condition = "${lock.empty:true}")
		public void emptyProperty() {
		}

		@Fix(of = "booleanAndText", advice = "Write #on == true.")
		@DistributedLock(condition = "#on == true")
		public void booleanAndText(boolean on) {
		}

		@Fix(of = "enumAndText", advice = "Write #state?.name() == 'NEW'.")
		@DistributedLock(condition = "#state?.name() == 'NEW'")
		public void enumAndText(State state) {
		}

		@Fix(of = "numberAndText", advice = "Write #n == 1.")
		@DistributedLock(condition = "#n == 1")
		public void numberAndText(long n) {
		}

		@Fix(of = "numberAndArgument", advice = "Write #n?.toString() != #text.")
		@DistributedLock(condition = "#n?.toString() != #text")
		public void numberAndArgument(Integer n, String text) {
		}

		@Fix(of = "textAndNumber", advice = "Write #text == '1'.")
		@Unlocked
		@DistributedLock(condition = "#text == '1'")
		public void textAndNumber(String text) {
		}

		@Fix(of = "characterAndText", advice = "Write #letter.toString() == 'x'.")
		@DistributedLock(condition = "#letter.toString() == 'x'")
		public void characterAndText(char letter) {
		}

		@Fix(of = "idAndText", advice = "Write #id?.toString() == 'x'.")
		@Unlocked
		@DistributedLock(condition = "#id?.toString() == 'x'")
		public void idAndText(UUID id) {
		}

		@Fix(of = "primitiveAndNull", advice = "Remove the comparison.")
		@DistributedLock
		public void primitiveAndNull(long n) {
		}

		@Fix(of = "fraction", advice = "Write a number")
		@DistributedLock(permitsString = "2")
		public void fraction() {
		}

		@Fix(of = "fraction", advice = "as in #tenant.parallelExports")
		@DistributedLock(permitsString = "#tenant.parallelExports")
		public void fractionOtherwise(Tenant tenant) {
		}

		@Fix(of = "tooMany", advice = "Use mode = LockMode.SHARED for no limit.")
		@SuppressLockWarnings
		@DistributedLock(mode = LockMode.SHARED)
		public void tooMany() {
		}

		@Fix(of = "noPermits", advice = "set it to 2 or more")
		@DistributedLock(permitsString = "2")
		public void noPermits() {
		}

		@Fix(of = "noPermits", advice = "Remove permitsString")
		@DistributedLock
		public void noPermitsOtherwise() {
		}

		@Fix(of = "permitsAndShared", advice = "Beside a mode, remove one of the two.")
		@DistributedLock(permits = 2)
		public void permitsAndShared() {
		}

		@Fix(of = "permitsAndShared", advice = "Beside a mode, remove one of the two.")
		@SuppressLockWarnings
		@DistributedLock(mode = LockMode.SHARED)
		public void permitsAndSharedOtherwise() {
		}

		@Fix(of = "onePermit", advice = "Remove permits.")
		@DistributedLock
		public void onePermit() {
		}

		@Fix(of = "collection", advice = "as in \"#ids.!['order:' + #this]\"")
		@DistributedLock("#ids.!['order:' + #this]")
		public void collection(List<Long> ids) {
		}

		@Fix(of = "optionalCollection", advice = "as in \"#ids?.!['order:' + #this]\"")
		@DistributedLock("#ids?.!['order:' + #this]")
		public void optionalCollection(Optional<List<Long>> ids) {
		}

		@Fix(of = "map", advice = "as in #ids['id']")
		@DistributedLock("'order:' + #ids['id']")
		public void map(Map<String, Long> ids) {
		}

		@Fix(of = "optionalMap", advice = "as in #ids?.get('id')")
		@DistributedLock("'order:' + #ids?.get('id')")
		public void optionalMap(Optional<Map<String, Long>> ids) {
		}

		@Fix(of = "record", advice = "as in #order.id")
		@DistributedLock("order:#{#order.id}")
		public void record(Order order) {
		}

		@Fix(of = "record", advice = "or give the class a toString() of its own")
		@DistributedLock("order:#{#order}")
		public void recordOtherwise(OwnText order) {
		}

		@Fix(of = "bareVariable", advice = "Write \"order:#{#orderId}\".")
		@DistributedLock("order:#{#orderId}")
		public void bareVariable(String orderId) {
		}

		@Fix(of = "bareTemplate", advice = "Write \"customer:#{#customer}\".")
		@DistributedLock("customer:#{#customer}")
		public void bareTemplate(long customer) {
		}

		@Fix(of = "barePosition", advice = "Write \"barePosition:#{#p0}\".")
		@DistributedLock("barePosition:#{#p0}")
		public void barePosition(long id) {
		}

		@Fix(of = "bareIds", advice = "Write \"#orderIds.!['order:' + #this]\".")
		@DistributedLock("#orderIds.!['order:' + #this]")
		public void bareIds(List<Long> orderIds) {
		}

		@Fix(of = "braces", advice = "Did you mean \"pay:#{#orderId}\"?")
		@DistributedLock("pay:#{#orderId}")
		public void braces(String orderId) {
		}

		@Fix(of = "braces", advice = "quote it: \"'pay:{orderId}'\"")
		@DistributedLock("'pay:{orderId}'")
		public void bracesOtherwise(String orderId) {
		}

		@Fix(of = "quotedWhole", advice = "Did you mean \"pay:#{#orderId}\"?")
		@DistributedLock("pay:#{#orderId}")
		public void quotedWhole(long orderId) {
		}

		@Fix(of = "shellVariable", advice = "Did you mean \"pay:#{#orderId}\"?")
		@DistributedLock("pay:#{#orderId}")
		public void shellVariable(long orderId) {
		}

		@Fix(of = "parameterName", advice = "Did you mean \"order:#{#orderId}\"?")
		@DistributedLock("order:#{#orderId}")
		public void parameterName(String orderId) {
		}

		@Fix(of = "parameterName", advice = "quote it: \"'orderId'\"")
		@DistributedLock("'orderId'")
		public void parameterNameOtherwise(String orderId) {
		}

		@Fix(of = "parameterPath", advice = "Did you mean \"order:#{#order.id}\"?")
		@DistributedLock("order:#{#order.id}")
		public void parameterPath(Order order) {
		}

		@Fix(of = "wholeBraces", advice = "Did you mean \"order:#{#orderId}\"?")
		@DistributedLock("order:#{#orderId}")
		public void wholeBraces(String orderId) {
		}

		@Fix(of = "format", advice = "Did you mean \"pay:#{#orderId}\"?")
		@DistributedLock("pay:#{#orderId}")
		public void format(String orderId) {
		}

		@Fix(of = "call", advice = "Did you mean \"#root.target.currentTenant()\"?")
		@DistributedLock("#root.target.currentTenant()")
		public void call() {
		}

		@Fix(of = "trailingBlank", advice = "Remove the blank.")
		@DistributedLock("nightly")
		public void trailingBlank() {
		}

		@Fix(of = "endlessLease", advice = "Write autoRenew = true")
		@DistributedLock(autoRenew = true)
		public void endlessLease() {
		}

		@Fix(of = "endlessWait", advice = "as in waitTime = 60")
		@DistributedLock(waitTime = 60)
		public void endlessWait() {
		}

		@Fix(of = "twoLeases", advice = "Remove one of the two.")
		@DistributedLock(timeoutString = "1m")
		public void twoLeases() {
		}

		@Fix(of = "millisecondsBesideAShortHold",
				advice = "write timeout = 30. Set maxHold to at least the lease, or remove it.")
		@DistributedLock(timeout = 30, maxHold = 30, autoRenew = true)
		public void millisecondsBesideAShortHold() {
		}

		@Fix(of = "millisecondsBesideAHold",
				advice = "write timeout = 20. Set timeoutString = \"20s\" in place of timeout: a lease")
		@DistributedLock(timeout = 20, maxHold = 60, autoRenew = true)
		@DistributedLock(name = "2", timeoutString = "20s", maxHold = 60, autoRenew = true)
		public void millisecondsBesideAHold() {
		}

		@Fix(of = "placeholderOfAVariable", advice = "Did you mean #{#order.id}?")
		@DistributedLock("pay:#{#order.id}")
		public void placeholderOfAVariable(Order order) {
		}

		@Fix(of = "durationsInWords", advice = "Write \"90m\". Write \"2m\".")
		@DistributedLock(timeoutString = "90m", waitTimeString = "2m")
		public void durationsInWords() {
		}

		@Fix(of = "shortDurationsInWords", advice = "Write \"30s\". Write \"500ms\".")
		@DistributedLock(timeoutString = "30s", waitTimeString = "500ms")
		public void shortDurationsInWords() {
		}

		@Fix(of = "noDuration", advice = "Write for example \"30s\", \"1m30s\", \"500ms\" or \"PT30S\".")
		@DistributedLock(name = "1", timeoutString = "30s")
		@DistributedLock(name = "2", timeoutString = "1m30s")
		@DistributedLock(name = "3", timeoutString = "500ms")
		@DistributedLock(name = "4", timeoutString = "PT30S")
		public void noDuration() {
		}

		@Fix(of = "longLease", advice = "to a lease from 10ms to 3650d, such as 30s")
		@DistributedLock(name = "3650d", timeoutString = "3650d")
		@DistributedLock(name = "30s", timeoutString = "30s")
		public void longLease() {
		}

		@Fix(of = "zeroLease", advice = "Set timeout to a lease from 10ms to 3650d, such as timeout = 30.")
		@DistributedLock(timeout = 30)
		public void zeroLease() {
		}

		@Fix(of = "tinyLease", advice = "such as timeoutString = \"30s\" in place of timeout.")
		@DistributedLock(timeoutString = "30s", timeUnit = TimeUnit.MILLISECONDS)
		public void tinyLease() {
		}

		@NotCalled
		@Fix(of = "longLease", advice = "to a lease from 10ms to 3650d")
		@DistributedLock(timeoutString = "10ms")
		public void shortestLease() {
		}

		@Fix(of = "longMinHold", advice = "Set minHold to at most the lease")
		@DistributedLock(timeout = 10, minHold = 10)
		public void longMinHold() {
		}

		@Fix(of = "longMinHold", advice = "or make the lease longer")
		@DistributedLock(timeout = 20, minHold = 20)
		public void longMinHoldOtherwise() {
		}

		@Fix(of = "lateRenewal", advice = "Set renewInterval to at most half of the lease")
		@DistributedLock(autoRenew = true, timeout = 10, renewInterval = 5)
		public void lateRenewal() {
		}

		@Fix(of = "lateRenewal", advice = "or remove it")
		@DistributedLock(autoRenew = true, timeout = 10)
		public void lateRenewalOtherwise() {
		}

		@Fix(of = "shortMaxHold", advice = "Set timeoutString = \"5s\" in place of timeout")
		@DistributedLock(autoRenew = true, timeoutString = "5s", maxHold = 5)
		public void leaseOfTheMaxHold() {
		}

		@Fix(of = "shortMaxHold", advice = "Or set maxHold to at least the lease")
		@DistributedLock(autoRenew = true, timeout = 10, maxHold = 10)
		public void shortMaxHold() {
		}

		@Fix(of = "twoAnswers", advice = "Remove one of the two.")
		@DistributedLock(fallbackMethod = "other")
		public void twoAnswers() {
		}

		@Fix(of = "twoAnswers", advice = "Remove one of the two.")
		@DistributedLock(onContention = OnContention.SKIP)
		public void twoAnswersOtherwise() {
		}

		@Fix(of = "twoLocks", advice = "Remove one of the annotations")
		@DistributedLock(name = "two", timeout = 10)
		public void twoLocks(int amount) {
		}

		@Fix(of = "twoLocks", advice = "or give each a condition")
		@DistributedLock(name = "two", timeout = 10, condition = "#amount > 9")
		@DistributedLock(name = "two", timeout = 20, condition = "#amount <= 9")
		public void twoLocksOtherwise(int amount) {
		}

		@Fix(of = "lockedFallback", advice = "Name a method without a lock.")
		@DistributedLock(fallbackMethod = "other")
		public void lockedFallback() {
		}

		@Fix(of = "noFallback", advice = "Declare int busyWith(String, int, LockNotAcquiredException)")
		@DistributedLock(fallbackMethod = "busyWith")
		public int noFallback(String item, int number) {
			return 1;
		}

		@Fix(of = "fallbackWithBrackets", advice = "Write fallbackMethod = \"other\"")
		@DistributedLock(fallbackMethod = "other")
		public void fallbackWithBrackets() {
		}

		@Fix(of = "ownFallback", advice = "Name another method")
		@DistributedLock(fallbackMethod = "ownFallbackWhenBusy")
		public void ownFallback() {
		}

		@Fix(of = "otherResult", advice = "Return int, as the locked method does.")
		@DistributedLock(fallbackMethod = "number")
		public int otherResult() {
			return 1;
		}

		@Fix(of = "skippedNumber", advice = "Return Optional or void")
		@DistributedLock(onContention = OnContention.SKIP)
		public Optional<Boolean> skippedNumber() {
			return Optional.of(true);
		}

		@Fix(of = "skippedNumber",
				advice = "or replace onContention = SKIP by a fallbackMethod that gives the result of a skipped call")
		@DistributedLock(fallbackMethod = "yes")
		public boolean skippedNumberOtherwise() {
			return true;
		}

		@Fix(of = "notRenewed", advice = "Add autoRenew = true")
		@DistributedLock(maxHold = 60, autoRenew = true)
		public void notRenewed() {
		}

		@Fix(of = "notRenewed", advice = "or remove them")
		@DistributedLock
		public void notRenewedOtherwise() {
		}

		@Fix(of = "milliseconds", advice = "write timeout = 30")
		@DistributedLock(timeout = 30)
		public void milliseconds() {
		}

		@Fix(of = "milliseconds", advice = "or timeUnit = TimeUnit.MILLISECONDS")
		@DistributedLock(timeout = 30000, timeUnit = TimeUnit.MILLISECONDS)
		public void millisecondsOtherwise() {
		}

		@Fix(of = "milliseconds", advice = "write timeoutString = \"8h20m\"")
		@DistributedLock(timeoutString = "8h20m")
		public void millisecondsAsWell() {
		}

		@Fix(of = "millisecondsInText", advice = "write 30000ms")
		@DistributedLock(timeoutString = "30000ms")
		public void millisecondsInText() {
		}

		@Fix(of = "millisecondsInText", advice = "write 8h20m")
		@DistributedLock(timeoutString = "8h20m")
		public void millisecondsInTextOtherwise() {
		}

		@Fix(of = "shortLease", advice = "write timeoutString = \"30s\"")
		@DistributedLock(timeoutString = "30s")
		public void shortLease() {
		}

		@NotCalled
		@Fix(of = "shortLease", advice = "write timeoutString = \"30ms\"")
		@DistributedLock(timeoutString = "30ms")
		public void shortLeaseOtherwise() {
		}

		@Fix(of = "callable", advice = "Return the value")
		@DistributedLock
		public String callable() {
			return "done";
		}

		@Fix(of = "callable", advice = "or a CompletableFuture")
		@DistributedLock
		public CompletableFuture<String> callableOtherwise() {
			return CompletableFuture.completedFuture("done");
		}

		@Fix(of = "anything", advice = "Declare the type that it really returns.")
		@DistributedLock
		public String anything() {
			return "x";
		}

		@Fix(of = "stream", advice = "Return a collection")
		@DistributedLock
		public List<String> stream() {
			return List.of("x");
		}

		@Fix(of = "stream", advice = "or the value")
		@DistributedLock
		public String streamOtherwise() {
			return "x";
		}

		@Fix(of = "manyFutures", advice = "as of CompletableFuture.allOf")
		@DistributedLock
		public CompletableFuture<Void> manyFutures() {
			return CompletableFuture.allOf();
		}

		@Fix(of = "refusedSchedule", advice = "Otherwise write onContention = OnContention.SKIP.")
		@Scheduled(fixedDelay = 5000)
		@DistributedLock(onContention = OnContention.SKIP)
		public void refusedSchedule() {
		}

		@Fix(of = "shortCron", advice = "Use @OncePerFireTime in place of @DistributedLock.")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime
		public void shortCron() {
		}

		@Fix(of = "shortCron", advice = "as in minHoldString = \"5s\"")
		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(onContention = OnContention.SKIP, minHoldString = "5s")
		public void shortCronOtherwise() {
		}

		@Fix(of = "refusedNightly",
				advice = "Otherwise write onContention = OnContention.SKIP, and add minHold, longer than the clocks may differ and shorter than the time between two runs, as in minHoldString = \"5s\".")
		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(onContention = OnContention.SKIP, minHoldString = "5s")
		public void refusedNightly() {
		}

		@Fix(of = "refusedRate",
				advice = "Otherwise write onContention = OnContention.SKIP, and add minHold, a little shorter than the period, and a timeout no shorter than that.")
		@Scheduled(fixedRate = 60_000)
		@DistributedLock(onContention = OnContention.SKIP, minHold = 55, timeout = 55)
		public void refusedRate() {
		}

		@Fix(of = "textAndVariable", advice = "Write \"stock:#{#text}\".")
		@DistributedLock("stock:#{#text}")
		public void textAndVariable(String text) {
		}

		@Fix(of = "textAndVariableOfAnExpression", advice = "Write \"stock-#{#text}\".")
		@DistributedLock("stock-#{#text}")
		public void textAndVariableOfAnExpression(String text) {
		}

		@Fix(of = "propertyOfText", advice = "Leave it out, as in \"text:#{#text}\".")
		@DistributedLock("text:#{#text}")
		public void propertyOfText(String text) {
		}

		@Fix(of = "propertyOfMap", advice = "Write #map['id'] for an entry.")
		@DistributedLock("pay:#{#map['id']}")
		public void propertyOfMap(Map<String, Object> map) {
		}

		@Fix(of = "objectWithoutText", advice = "Write a property that identifies it")
		@DistributedLock("pay:#{#order.id}")
		public void objectWithoutText(Order order) {
		}

		@Fix(of = "leaseOfCall", advice = "as in \"${some.property:30s}\"")
		@DistributedLock(timeoutString = "${some.property:30s}")
		public void leaseOfCall(String text) {
		}

		@Fix(of = "shortRate", advice = "Use @OncePerFireTime in place of @DistributedLock.")
		@Scheduled(fixedRate = 60_000)
		@OncePerFireTime
		public void shortRate() {
		}

		@Fix(of = "shortRate",
				advice = "Or add minHold, a little shorter than the period, and a timeout no shorter than that.")
		@Scheduled(fixedRate = 60_000)
		@DistributedLock(onContention = OnContention.SKIP, timeout = 60, minHold = 55)
		public void shortRateOtherwise() {
		}

		@Fix(of = "longRate", advice = "Choose a minHold that is a little shorter than the period.")
		@Scheduled(fixedRate = 10_000)
		@DistributedLock(onContention = OnContention.SKIP, minHold = 9)
		public void longRate() {
		}

		@Fix(of = "hanging", advice = "as in maxHoldString = \"1h\"")
		@Scheduled(fixedDelay = 5000)
		@DistributedLock(autoRenew = true, onContention = OnContention.SKIP, maxHoldString = "1h")
		public void hanging() {
		}

		@Fix(of = "refusedEvent", advice = "Set waitTime to longer than the lock is usually held.")
		@TransactionalEventListener
		@DistributedLock(waitTime = 5)
		public void refusedEvent(Order order) {
		}

		@Fix(of = "refusedEvent", advice = "Or name a fallbackMethod that keeps the event for later.")
		@TransactionalEventListener
		@DistributedLock(fallbackMethod = "later")
		public void refusedEventOtherwise(Order order) {
		}

		@Fix(of = "refusedStart", advice = "Write onContention = OnContention.SKIP")
		@EventListener
		@DistributedLock(onContention = OnContention.SKIP)
		public void refusedStart(ContextRefreshedEvent event) {
		}

		@Fix(of = "refusedStart", advice = "or set waitTime")
		@EventListener
		@DistributedLock(waitTime = 5)
		public void refusedStartOtherwise(ContextRefreshedEvent event) {
		}

		@Fix(of = "skippedRequest", advice = "Remove onContention = OnContention.SKIP")
		@GetMapping("/run")
		@DistributedLock
		public String skippedRequest() {
			return "x";
		}

		@Fix(of = "skippedRequest", advice = "Or replace it by a fallbackMethod")
		@GetMapping("/run")
		@DistributedLock(fallbackMethod = "text")
		public String skippedRequestOtherwise() {
			return "x";
		}

		@Fix(of = "asyncText", advice = "Return void")
		@Async
		@DistributedLock
		public void asyncText() {
		}

		@Fix(of = "asyncText", advice = "or a CompletableFuture of the result")
		@Async
		@DistributedLock
		public CompletableFuture<String> asyncTextOtherwise() {
			return CompletableFuture.completedFuture("x");
		}

		@Fix(of = "morePermits", advice = "for example with a placeholder in permitsString")
		@DistributedLock(name = "export", permitsString = "${export.parallel:3}")
		public void morePermits() {
		}

		@Fix(of = "morePermits", advice = "for example with a placeholder in permitsString")
		@DistributedLock(name = "export", permitsString = "${export.parallel:3}")
		public void morePermitsOtherwise() {
		}

		@Fix(of = "onlyShared", advice = "Lock it exclusively where it is written.")
		@DistributedLock(name = "archive", mode = LockMode.SHARED)
		public void onlyShared() {
		}

		@Fix(of = "onlyShared", advice = "Lock it exclusively where it is written.")
		@DistributedLock(name = "archive")
		public void onlySharedOtherwise() {
		}

		@Fix(of = "twoNamedJob", advice = "Write one name")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime("a")
		public void twoNamedJob() {
		}

		@Fix(of = "jobWithoutFireTimes", advice = "Add @Scheduled.")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime
		public void jobWithoutFireTimes() {
		}

		@Fix(of = "jobWithDelay", advice = "Use a cron expression or a fixedRate.")
		@Scheduled(fixedRate = 5000)
		@OncePerFireTime
		public void jobWithDelay() {
		}

		@Fix(of = "jobWithDelay",
				advice = "Or use @DistributedLock with onContention = OnContention.SKIP and a minHold.")
		@Scheduled(fixedDelay = 5000)
		@DistributedLock(minHold = 4, onContention = OnContention.SKIP)
		public void jobWithDelayOtherwise() {
		}

		@Fix(of = "answeringJob", advice = "Return Optional or void")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime
		public Optional<Boolean> answeringJob() {
			return Optional.of(true);
		}

		@Fix(of = "answeringJob", advice = "Return Optional or void")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime
		public void answeringJobOtherwise() {
		}

		@Fix(of = "jobWithLongLease", advice = "Set timeout = \"30s\"")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(timeout = "30s", maxHold = "1m")
		public void jobWithShorterLease() {
		}

		@Fix(of = "jobWithLongLease",
				advice = "Or set maxHold, a day by default, to at least twice the longest run, and no less than the lease.")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(timeout = "2m", maxHold = "2m")
		public void jobWithLongLease() {
		}

		@Fix(of = "jobTakenForLong", advice = "Remove timeout,")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime
		public void jobTakenForLong() {
		}

		@Fix(of = "jobTakenForLong", advice = "or set a shorter one")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(timeout = "5m")
		public void jobTakenForLess() {
		}

		@Fix(of = "jobTakenForLong", advice = "To limit the run, set maxHold to at least twice your longest run.")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(maxHold = "40m")
		public void jobTakenForItsRun() {
		}

		@Fix(of = "jobWithParameter", advice = "remove catchUp")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime
		public void jobWithParameter() {
		}

		@Fix(of = "jobThatIsNeverLate", advice = "Write for example \"2h\"")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(catchUp = "2h")
		public void jobThatIsNeverLate() {
		}

		@Fix(of = "jobAtAChangeOfTheClocks", advice = "Write zone = \"UTC\".")
		@Scheduled(cron = "0 30 2 * * *", zone = "UTC")
		@OncePerFireTime
		public void jobAtAChangeOfTheClocks() {
		}

		@Fix(of = "jobAtAChangeOfTheClocks", advice = "Or choose a time that is not within 02:00 to 03:00.")
		@Scheduled(cron = "0 0 3 * * *", zone = "Europe/Berlin")
		@OncePerFireTime
		public void jobAtAnotherTime() {
		}

		@Fix(of = "jobHeldForTwoPeriods", advice = "Set maxHold to less than 1h")
		@Scheduled(cron = "0 0 * * * *", zone = "UTC")
		@OncePerFireTime(maxHold = "40m")
		public void jobHeldForLessThanAPeriod() {
		}

		@Fix(of = "jobHeldForTwoPeriods", advice = "say so with @SuppressLockWarnings")
		@SuppressLockWarnings
		@Scheduled(cron = "0 0 * * * *", zone = "UTC")
		@OncePerFireTime(maxHold = "2h")
		public void jobHeldForTwoPeriods() {
		}

		@Fix(of = "jobWithoutUnit", advice = "Write 4h, 4m or 4s.")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(catchUp = "4h")
		public void jobWithoutUnit() {
		}

		@Fix(of = "jobWithLargeNumber", advice = "Write 30000ms or 30000s.")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(timeout = "30000ms")
		public void jobWithLargeNumber() {
		}

		@Fix(of = "lateAsyncJob", advice = "Remove @Async")
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime(catchUp = "2h")
		public void lateAsyncJob() {
		}

		@Fix(of = "lateAsyncJob", advice = "Or remove catchUp.")
		@Async
		@Scheduled(cron = "0 0 3 * * *")
		@OncePerFireTime
		public void lateAsyncJobWithoutCatchUp() {
		}

		@Fix(of = "wrongCron", advice = "Correct the cron expression.")
		@Scheduled(cron = "0 0 3 28 2 *")
		@OncePerFireTime
		public void wrongCron() {
		}

		void other() {
		}

		int busyWith(String item, int number, LockNotAcquiredException busy) {
			return 0;
		}

		void ownFallbackWhenBusy() {
		}

		int number() {
			return 1;
		}

		boolean yes() {
			return true;
		}

		String text() {
			return "x";
		}

		void later(Order order) {
		}

		public String currentTenant() {
			return "a";
		}

	}

}
