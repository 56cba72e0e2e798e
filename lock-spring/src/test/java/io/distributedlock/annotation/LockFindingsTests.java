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

import java.io.InputStream;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.annotation.internal.AnnotatedMethod;
import io.distributedlock.internal.DeclaredLocks;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import kotlin.Pair;
import org.aspectj.lang.annotation.Aspect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.Caching;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.MapPropertySource;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.web.bind.annotation.GetMapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the report of the validation at start-up. Each mistake stands beside what is
 * reported about it, and beside it what is right, about which nothing is.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockFindingsTests {

	private static final String UNLOCKED = "and Spring calls such a method on the bean itself, not through its proxy: it would run without its lock. ";

	private static final String WHEN_CREATED = "Replace it by a method with @EventListener(ApplicationReadyEvent.class), which is called through the proxy. Or lock with LockService.";

	private static final String WHEN_DESTROYED = "Replace it by a method with @EventListener(ContextClosedEvent.class), which is called through the proxy and before the locks are closed.";

	private static final String OTHERWISE = "Or lock with LockService, or use AspectJ weaving.";

	private static final String ON_THIS = "which is annotated with @DistributedLock, on this object and not through its proxy: the lock would not be applied. Move the locked method to another bean, or inject this bean into itself with @Lazy, and call that. "
			+ OTHERWISE;

	private static final String ERROR_PER_RUN = "It is @Scheduled, and a run that finds the lock held throws a LockNotAcquiredException: every instance but one logs an ERROR for each run. With a cron expression or a fixed rate, use @OncePerFireTime in place of @DistributedLock. Otherwise write onContention = OnContention.SKIP";

	private static final String MIN_HOLD_OF_CRON = "add minHold, longer than the clocks may differ and shorter than the time between two runs, as in minHoldString = \"5s\".";

	private static final String MIN_HOLD_OF_RATE = "add minHold, a little shorter than the period, and a timeout no shorter than that.";

	private static final String RUNS_TWICE = "It is @Scheduled with a cron expression, and its lock has no minHold: if the work takes less time than the clocks of two instances differ, both do it. Use @OncePerFireTime in place of @DistributedLock. Or "
			+ MIN_HOLD_OF_CRON;

	private static final String RUNS_ONE_AFTER_THE_OTHER = "It is @Scheduled, and waits for its lock: the instances do the work one after the other, each of them. Use @OncePerFireTime in place of @DistributedLock. If every instance is to do the work, say so with @RunsOnEveryInstance.";

	private static final String RUNS_IN_EACH = "It is @Scheduled with a fixed rate, and its lock has no minHold: instances that started at different times find the lock free, and each does the work in every period. Use @OncePerFireTime in place of @DistributedLock. Or "
			+ MIN_HOLD_OF_RATE;

	private static final String ALL_FIELDS = ", whose text has the values of several fields: when one of them changes, the same object gets another lock, and can have two holders. ";

	private static final String OTHER_TEXT = "or give the class a toString() of its own with nothing else in it.";

	private static final String HANGS = " and renews its lease without a maxHold: work that hangs keeps the lock for as long as its instance lives. Add maxHold, longer than the work ever takes, as in maxHoldString = \"1h\". Or, with Spring Boot, set 'distributed-lock.defaults.max-hold'.";

	private static final String NO_PREFIX = " is a value without a prefix: locks for different things, such as order 5 and user 5, are then the same lock. Write ";

	private static final String LITERAL = " is a literal: all calls have this one lock. Did you mean ";

	private static final String LATER = ", and its lock is released when it returns: what the result computes later is computed without the lock. Return a collection, or the value.";

	private static final String NESTED = ", and its lock is released without waiting for that: it is computed without the lock. Return the values, or one future or publisher that ends when all of them are there, as of CompletableFuture.allOf.";

	private static final String OUTSIDE = "It is @Cacheable as well, and the lock is outside the cache: a call that would find its answer in the cache takes the lock, and is refused or waits while the lock is held elsewhere. ";

	private static final String LOOK_AGAIN = "Look into the cache, lock, and look again: put @Cacheable on a method of another bean, which calls this one, and use Cache.get(key, loader) under the lock.";

	private static final String ALWAYS = " is true for all calls, as it is without a condition. Write a condition that depends on the arguments, as in #amount > 100. Or remove the condition.";

	private static final String NEVER = " is false for all calls: they all run without the lock. Write a condition that depends on the arguments, as in #amount > 100. Or remove the annotation.";

	private static final String NO_PERMITS = " cannot work. It does not give a whole number of at least 1. Write a number, or an expression that is one for all arguments, as in #tenant.parallelExports.";

	private static final String SHARED_PERMITS = "A shared lock has no permits, but some are given: use permits to let a limited number of callers in, and SHARED to let any number in. ";

	private static final String SMALLER = " allows 3: the smaller number applies as long as a caller that asked for it holds the lock. Give both the same permits, for example with a placeholder in permitsString.";

	private static final String IN_MILLISECONDS = " is 8h20m: numbers are seconds. If milliseconds are meant, write ";

	private static final String THIS = "io.distributedlock.annotation.LockFindingsTests$";

	private static final List<Class<?>> BEANS = List.of(Callbacks.class, AnnotatedClass.class, Declaring.class,
			Modifiers.class, FinalClass.class, SelfCalls.class, Beans.class, Members.class, Conditions.class,
			Permits.class, Names.class, Literals.class, Attributes.class, Durations.class, Results.class,
			Schedules.class, Listeners.class, Background.class, AsyncClass.class, Caches.class, Company.class,
			Misspelt.class, Silent.class, SilentClass.class, SilentByInterface.class);

	/** What is reported about these beans, by location. */
	private static final Map<String, List<String>> REPORT = new HashMap<>();

	@BeforeAll
	static void report() {
		assertThatExceptionOfType(LockValidationException.class).isThrownBy(() -> start(BEANS.toArray(Class<?>[]::new)))
			.satisfies((ex) -> ex.getFindings()
				.forEach((finding) -> REPORT.computeIfAbsent(finding.location(), (key) -> new ArrayList<>())
					.add(finding.severity() + ": " + finding.problem() + " " + finding.action())));
	}

	static Stream<Named<AnnotatedMethod>> methods() {
		return BEANS.stream()
			.flatMap((type) -> Stream.of(type.getDeclaredMethods())
				.filter((method) -> !method.isSynthetic())
				.sorted(Comparator.comparing(Method::getName))
				.map((method) -> new AnnotatedMethod(method, type)))
			.map((method) -> Named.of(method.shortName(), method));
	}

	@ParameterizedTest
	@MethodSource("methods")
	void aMistakeIsReportedWithItsFixAndNothingElseIs(AnnotatedMethod method) {
		List<String> report = Stream.of(method.description(), method.qualifiedName())
			.flatMap((location) -> REPORT.getOrDefault(location, List.of()).stream())
			.toList();
		Refused refused = method.method().getAnnotation(Refused.class);
		Warned warned = method.method().getAnnotation(Warned.class);
		if (refused != null) {
			assertThat(report).containsExactly("ERROR: " + refused.value());
		}
		else if (warned != null) {
			assertThat(report).containsExactly("WARNING: " + warned.value());
		}
		else {
			assertThat(report).isEmpty();
		}
	}

	@Test
	void allReportedMethodsAreTested() {
		assertThat(methods().map(Named::getPayload)
			.flatMap((method) -> Stream.of(method.description(), method.qualifiedName()))).containsAll(REPORT.keySet());
	}

	@Test
	void warningsAloneAreLoggedAndDoNotFail(CapturedOutput output) {
		start(Unsilenced.class);
		assertThat(warnings(output)).singleElement()
			.asString()
			.endsWith(Unsilenced.class.getName() + ".run(String): @DistributedLock(name = \"#orderId\")" + NO_PREFIX
					+ "\"order:#{#orderId}\".");
	}

	@Test
	void findingsConsiderConfiguredOptions(CapturedOutput output) {
		LockOptionsCustomizer settings = (name, options) -> options.withMinHold(Duration.ofSeconds(5));
		AnnotationConfigApplicationContext context = context(CronJob.class);
		context.registerBean(LockOptionsCustomizer.class, () -> settings);
		refresh(context);
		assertThat(warnings(output)).isEmpty();
		start(CronJob.class);
		assertThat(warnings(output)).singleElement().asString().endsWith(RUNS_TWICE);
	}

	@Test
	void aDurationInTheWrongUnitComesBeforeTheErrorsThatFollowFromIt() {
		assertThatExceptionOfType(LockValidationException.class).isThrownBy(() -> start(WrongUnits.class))
			.satisfies((ex) -> assertThat(ex.getFindings()).extracting(LockFinding::toString)
				.map((finding) -> finding.substring(WrongUnits.class.getName().length() + 1))
				.containsExactly(
						"lease(): @DistributedLock(timeout = 30000) is 8h20m: numbers are seconds. If milliseconds are meant, write timeout = 30.",
						"lease(): @DistributedLock(maxHold = 600) cannot work. The maximum hold is 10m, but must not be shorter than the lease of 8h20m. Set timeoutString = \"30s\" in place of timeout: a lease that is renewed is no limit on the work. Or set maxHold to at least the lease, or remove it.",
						"minHold(): @DistributedLock(minHoldString = \"5000\") is 1h23m20s: numbers are seconds. If milliseconds are meant, write 5000ms.",
						"minHold(): @DistributedLock(minHoldString = \"5000\") cannot work. The minimum hold is 1h23m20s, but must not be longer than the lease of 5s. Set minHoldString to at most the lease, or make the lease longer."));
		start(RightUnits.class);
	}

	@Test
	void renewalThatOnlyTheConfigurationSwitchesOffIsAWarningThatNamesIt(CapturedOutput output) {
		AnnotationConfigApplicationContext context = context(Renewing.class);
		context.registerBean(LockOptionsCustomizer.class, () -> (name, options) -> options.withoutAutoRenew());
		refresh(context);
		assertThat(warnings(output)).singleElement()
			.asString()
			.endsWith(
					"Its annotation renews the lease, and the configuration of the lock switches that off: the lock is lost if the work takes longer than the lease. Remove the auto-renew of this lock (with Spring Boot, under distributed-lock.locks).");
	}

	@Test
	void aCacheAroundALockThatIsWaitedForIsAWarning(CapturedOutput output) {
		AnnotationConfigApplicationContext context = context(InnerOrOuterCache.class);
		context.register(OuterCaching.class);
		refresh(context);
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("InnerOrOuterCache.waiting(")
			.endsWith(
					"It is @Cacheable as well, and the lock is inside the cache: a call that has waited for the lock does not look into the cache again, and does the work once more. "
							+ LOOK_AGAIN);
	}

	@Test
	void typeOfAResultIsResolvedInTheClassOfTheBean(CapturedOutput output) {
		start(OfMono.class);
		assertThat(warnings(output)).isEmpty();
		start(OfAnything.class);
		assertThat(warnings(output)).singleElement().asString().contains("It is declared to return Object");
		try (LockFixture fixture = new LockFixture()) {
			Mono<String> mono = fixture.start(OfMono.class).generic();
			assertThat(fixture.locks.takeLog()).isEmpty();
			assertThat(mono.block()).isEqualTo("done");
		}
	}

	@Test
	void nameFromTheTextOfAllFieldsIsWarnedAboutOnceByACall(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = context(AnyObject.class)) {
			context.refresh();
			AnyObject bean = context.getBean(AnyObject.class);
			bean.run(List.of("a", new Text("b")));
			assertThat(warnings(output)).isEmpty();
			bean.run(List.of("a", new Order(1, "b", true)));
			bean.run(List.of(new Order(2, "b", true)));
			bean.silent(new Order(2, "b", true));
		}
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("run(Object)")
			.contains("gave an object for #this of " + Order.class.getName() + ALL_FIELDS);
	}

	@Test
	void lockedInitMethodOfABeanDefinitionIsAnError() {
		AnnotationConfigApplicationContext context = context(Initialized.class);
		context.getBeanDefinition(Initialized.class.getName()).setInitMethodName("begin");
		context.getBeanDefinition(Initialized.class.getName()).setDestroyMethodName("end");
		assertThatExceptionOfType(LockValidationException.class).isThrownBy(() -> refresh(context))
			.satisfies((ex) -> assertThat(ex.getFindings()).extracting(LockFinding::problem)
				.anyMatch((problem) -> problem.contains("is the init method of bean '"))
				.anyMatch((problem) -> problem.contains("is the destroy method of bean '"))
				.hasSize(2));
		start(Initialized.class);
	}

	@Test
	void aPrivateMethodOfAnInterfaceIsAnError() {
		assertThatExceptionOfType(LockValidationException.class).isThrownBy(() -> start(WithPrivateMethod.class))
			.withMessageContaining("WithPrivateMethod.work(): The method is private, and a proxy cannot intercept it");
		start(WithoutPrivateMethod.class);
	}

	@Test
	void whereWarningsAreSuppressedIsListed() {
		String silent = THIS + "Silent.";
		assertThat(suppressed(Unsilenced.class, SilentWithoutLocks.class)).isEmpty();
		assertThat(suppressed(Unsilenced.class, SilentByInterface.class, SilentAsAWhole.class, SilentNamesake.class,
				Silent.class))
			.containsExactly(silent + "byMeta(long)", silent + "cached(String)", silent + "caller()",
					silent + "lambda(int)", silent + "name(long)", silent + "scheduled()", THIS + "SilentAsAWhole",
					THIS + "SilentByInterface.run(long)", THIS + "SilentNamesake.run()");
	}

	private static List<String> suppressed(Class<?>... beans) {
		try (AnnotationConfigApplicationContext context = context(beans)) {
			context.refresh();
			return context.getBean(DeclaredLocks.class).suppressed();
		}
	}

	@Test
	void anAspectIsAnError() {
		AnnotationConfigApplicationContext context = context(Advice.class);
		context.register(Aspects.class);
		assertThatExceptionOfType(LockValidationException.class).isThrownBy(() -> refresh(context))
			.withMessageContaining("Advice.run(): The class is an aspect, and Spring makes no proxies for aspects")
			.withMessageNotContaining("so early");
	}

	@Test
	void aQuotedLiteralIsTheNameAndItsDeclaredName() {
		try (LockFixture fixture = new LockFixture()) {
			fixture.start(Quoted.class).quoted("x");
			assertThat(fixture.locks.log).contains("acquire pay:{orderId}");
			assertThat(fixture.context.getBean(DeclaredLocks.class).declared())
				.anyMatch((lock) -> lock.declaredName().equals("pay:{orderId}"));
		}
	}

	@Test
	void parametersAreTakenFromTheAnnotatedMethod() {
		try (LockFixture fixture = new LockFixture()) {
			Shipping shipping = fixture.start(Ship.class);
			shipping.ship(new Order(7, "", true), "north");
			shipping.swap("first", "second");
			assertThat(fixture.locks.log).contains("acquire ship:7:north", "acquire first");
		}
	}

	private static List<String> warnings(CapturedOutput output) {
		return output.toString().lines().filter((line) -> line.contains("WARN")).toList();
	}

	private static void start(Class<?>... beans) {
		refresh(context(beans));
	}

	private static AnnotationConfigApplicationContext context(Class<?>... beans) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("leases", Map.of("pay.lease", "30000")));
		context.register(InnerCaching.class);
		context.registerBean("cacheManager", ConcurrentMapCacheManager.class);
		context.registerBean("locks", RecordingLockService.class);
		context.registerBean("tenants", Map.class, Map::of);
		LockFixture.applyLocks(context, LockValidation.FAIL);
		Stream.of(beans).forEach((bean) -> context.registerBean(bean.getName(), bean));
		return context;
	}

	private static void refresh(AnnotationConfigApplicationContext context) {
		try (context) {
			context.refresh();
		}
	}

	/**
	 * An error that is reported about a method.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	private @interface Refused {

		String value();

	}

	/**
	 * A warning that is given about a method.
	 */
	@Retention(RetentionPolicy.RUNTIME)
	private @interface Warned {

		String value();

	}

	static class WrongUnits {

		@DistributedLock(timeout = 30000, maxHold = 600, autoRenew = true)
		public void lease() {
		}

		@DistributedLock(timeout = 5, minHoldString = "5000")
		public void minHold() {
		}

	}

	static class RightUnits {

		@DistributedLock(timeout = 30, maxHold = 600, autoRenew = true)
		public void lease() {
		}

		@DistributedLock(timeout = 5, minHoldString = "5000ms")
		public void minHold() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(proxyTargetClass = true)
	static class InnerCaching {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(proxyTargetClass = true, order = 0)
	static class OuterCaching {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.MINUTES)
	@interface EveryMinute {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Scheduled(cron = "0 0 3 * * *")
	@DistributedLock(onContention = OnContention.SKIP)
	@interface NightlyJob {

	}

	public record Order(long id, String lock, boolean paid) {

		public long number() {
			return this.id;
		}

		public UUID unique() {
			return new UUID(this.id, 0);
		}

	}

	public static final class Key {

		public long getId() {
			return 1;
		}

	}

	public static final class KeyWithHashCode {

		@Override
		public int hashCode() {
			return 1;
		}

	}

	public static final class Keys implements Iterable<String> {

		@Override
		public Iterator<String> iterator() {
			return List.of("a", "b").iterator();
		}

	}

	public static class Customer {

		public String getName() {
			return "Ann";
		}

	}

	record Text(String value) {
	}

	record OwnText(long id, String state) {

		@Override
		public String toString() {
			return Long.toString(this.id);
		}

	}

	static class Callbacks implements InitializingBean, DisposableBean {

		@Refused("The method has @PostConstruct, " + UNLOCKED + WHEN_CREATED)
		@PostConstruct
		@DistributedLock
		public void warmUp() {
		}

		@Refused("The method has @PreDestroy, " + UNLOCKED + WHEN_DESTROYED)
		@PreDestroy
		@DistributedLock
		public void flush() {
		}

		@Refused("The method is that of InitializingBean, " + UNLOCKED + WHEN_CREATED)
		@Override
		@DistributedLock
		public void afterPropertiesSet() {
		}

		@Refused("The method is that of DisposableBean, " + UNLOCKED + WHEN_DESTROYED)
		@Override
		@DistributedLock
		public void destroy() {
		}

	}

	@DistributedLock
	static class AnnotatedClass {

		@Warned("The method has @PostConstruct, " + UNLOCKED + WHEN_CREATED)
		@PostConstruct
		public void warmUp() {
		}

		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Declaring {

		@Refused("The method has @Bean, " + UNLOCKED
				+ "Put the annotation on the method of the bean that is to be locked.")
		@Bean
		@DistributedLock
		String text() {
			return "text";
		}

	}

	static class Modifiers {

		@Refused("The method is private, and a proxy cannot intercept it: it would run without its lock. Remove 'private' from the method, and call it from another bean. Or lock with LockService, or use AspectJ weaving.")
		@DistributedLock
		private void hidden() {
		}

		@Refused("The method is static, and a proxy cannot intercept it: it would run without its lock. Make it a method of the bean, and call it from another bean. Or lock with LockService, or use AspectJ weaving.")
		@DistributedLock
		public static void ofTheClass() {
		}

		@Refused("The method is final, and a proxy cannot intercept it: it would run without its lock. Remove 'final' from the method (Kotlin: declare it open, or use the kotlin-spring plugin). Or lock with LockService, or use AspectJ weaving.")
		@DistributedLock
		public final void fixed() {
		}

		@DistributedLock
		void visibleToTheProxy() {
		}

	}

	static final class FinalClass {

		@Refused("The class is final, and a proxy cannot extend it: the method would run without its lock. Remove 'final' from the class (a record is always final; Kotlin has the kotlin-spring plugin for it). Or lock with LockService, or use AspectJ weaving.")
		@DistributedLock
		public void run() {
		}

	}

	static class SelfCalls {

		@Warned("It calls SelfCalls.pay(), " + ON_THIS)
		public void checkout() {
			pay("x");
		}

		@Warned("It calls SelfCalls.pay(), " + ON_THIS)
		public Runnable later() {
			return () -> pay("x");
		}

		@Warned("It calls SelfCalls.pay(), " + ON_THIS)
		public Supplier<Runnable> reference() {
			Consumer<String> pay = this::pay;
			return () -> () -> pay.accept("x");
		}

		@DistributedLock
		public void pay(String order) {
		}

		@DistributedLock("tree")
		public void recursive(int depth) {
			if (depth > 0) {
				recursive(depth - 1);
			}
		}

		@Warned("It calls SelfCalls.recursiveWithName(), " + ON_THIS)
		@DistributedLock("'tree:' + #depth")
		public void recursiveWithName(int depth) {
			if (depth > 0) {
				recursiveWithName(depth - 1);
			}
		}

	}

	static class Beans {

		@Refused("@DistributedLock(name = \"@tenant.of(#id)\") cannot work. There is no bean 'tenant'. Did you mean @tenants? Define the bean, or name another one.")
		@DistributedLock("@tenant.of(#id)")
		public void missing(long id) {
		}

		@Refused("@DistributedLock(name = \"'a:' + @'no.tenant'.of(#id)\") cannot work. There is no bean 'no.tenant'. Define the bean, or name another one.")
		@DistributedLock("'a:' + @'no.tenant'.of(#id)")
		public void missingAndQuoted(long id) {
		}

		@DistributedLock(name = "'x:' + @tenants.size() + @'tenants'.isEmpty()", condition = "#order?.paid")
		public void present(@Nullable Order order) {
		}

	}

	static class Members {

		@Refused("@DistributedLock(name = \"'order:' + #order.idd\") reads idd of #order of type io.distributedlock.annotation.LockFindingsTests$Order, which has no such property. Did you mean id? Use a property or method that it has.")
		@DistributedLock("'order:' + #order.idd")
		public void property(Order order) {
		}

		@Refused("@DistributedLock(name = \"order:#{#order.idd()}\") reads idd() of #order of type io.distributedlock.annotation.LockFindingsTests$Order, which has no such method. Did you mean id? Use a property or method that it has.")
		@DistributedLock("order:#{#order.idd()}")
		public void method(Order order) {
		}

		@Refused("@DistributedLock(condition = \"#order.payd\") reads payd of #order of type io.distributedlock.annotation.LockFindingsTests$Order, which has no such property. Did you mean paid? Use a property or method that it has.")
		@DistributedLock(condition = "#order.payd")
		public void condition(Order order) {
		}

		@Refused("@DistributedLock(name = \"#order.get().idd\") reads idd of #order.get() of type io.distributedlock.annotation.LockFindingsTests$Order, which has no such property. Did you mean id? Use a property or method that it has.")
		@DistributedLock("#order.get().idd")
		public void optional(Optional<Order> order) {
		}

		@Refused("@DistributedLock(name = \"order:#{#order?.idd}\") reads idd of #order of type io.distributedlock.annotation.LockFindingsTests$Order, which has no such property. Did you mean id? Use a property or method that it has.")
		@DistributedLock("order:#{#order?.idd}")
		public void inOptional(Optional<Order> order) {
		}

		@Refused("@DistributedLock(name = \"#text.id\") reads id of #text of type java.lang.String, which has no such property. Leave it out, as in \"text:#{#text}\".")
		@DistributedLock("#text.id")
		public void ofText(String text) {
		}

		@Refused("@DistributedLock(name = \"order:#{#order.number.text}:x\") reads text of #order.number of type long, which has no such property. Leave it out, as in \"order:#{#order.number}:x\".")
		@DistributedLock("order:#{#order.number.text}:x")
		public void ofNumber(Order order) {
		}

		@Refused("@DistributedLock(name = \"order:#{#order?.number.text}:x\") reads text of #order?.number of type long, which has no such property. Leave it out, as in \"order:#{#order?.number}:x\".")
		@DistributedLock("order:#{#order?.number.text}:x")
		public void ofNumberIfPresent(Order order) {
		}

		@Refused("@DistributedLock(name = \"pay:#{#id}\") cannot work. #id is of type Mono, whose value may not be there yet, and is not a part of its text. Put the annotation on a method that takes the value itself, in another bean, and call that when the value is there.")
		@DistributedLock("pay:#{#id}")
		public void ofMono(Mono<Long> id) {
		}

		@Refused("@DistributedLock(name = \"pay:#{#id}\") cannot work. #id is of type CompletableFuture, whose value may not be there yet, and is not a part of its text. Put the annotation on a method that takes the value itself, in another bean, and call that when the value is there.")
		@DistributedLock("pay:#{#id}")
		public void ofFuture(CompletableFuture<Long> id) {
		}

		@DistributedLock("pay:#{#customer}")
		public void ofObject(Customer customer) {
		}

		@Refused("@DistributedLock(name = \"pay:#{#key}\") cannot work. #key is of type Key, which has no toString() of its own. Write a property that identifies it, as in #key.id.")
		@DistributedLock("pay:#{#key}")
		public void ofFinalObject(Key key) {
		}

		@DistributedLock("pay:#{#key}")
		public void ofHashCode(KeyWithHashCode key) {
		}

		@SuppressLockWarnings
		@DistributedLock("#keys")
		public void ofElements(Keys keys) {
		}

		@DistributedLock("pay:#{#key.id}")
		public void ofProperty(Key key) {
		}

		@Warned("@DistributedLock(name = \"pay:#{#request.user}\") reads user of #request of type java.util.Map, which has no such property. Write #request['user'] for an entry. If only a subclass has it, calls with other objects are refused.")
		@DistributedLock("pay:#{#request.user}")
		public void ofMap(Map<String, String> request) {
		}

		@Refused("@DistributedLock(name = \"pay:#{#order.id}\") reads id of #order of type java.util.Optional, which has no such property. To read from what it contains, write #order?.id.")
		@DistributedLock("pay:#{#order.id}")
		public void ofOptional(Optional<Order> order) {
		}

		@DistributedLock("pay:#{#request['user']}")
		public void entryOfMap(Map<String, String> request) {
		}

		@Refused("@DistributedLock(name = \"stock-#id/#order.id\") reads stock of #root, which has no such property: it is an expression, as a variable stands outside of #{…}. Write \"stock-#{#id}/#{#order.id}\".")
		@DistributedLock("stock-#id/#order.id")
		public void textBesideVariables(long id, Order order) {
		}

		@Refused("@DistributedLock(name = \"stock + #id\") reads stock of #root, which has no such property. If it is a text, quote it: 'stock'.")
		@DistributedLock("stock + #id")
		public void textWithoutQuotes(long id) {
		}

		@DistributedLock("#first - #second")
		public void numbers(long first, long second) {
		}

		@Refused("@DistributedLock(name = \"'x:' + #root.methodName\") reads methodName of #root, which has no such property. Use a property or method that it has.")
		@DistributedLock("'x:' + #root.methodName")
		public void root() {
		}

		@Refused("@DistributedLock(name = \"'x:' + orderId\") reads orderId of #root, which has no such property. Did you mean #orderId?")
		@DistributedLock("'x:' + orderId")
		public void forgottenMark(String orderId) {
		}

		@Warned("@DistributedLock(name = \"#customer.total\") reads total of #customer of type io.distributedlock.annotation.LockFindingsTests$Customer, which has no such property. If only a subclass has it, calls with other objects are refused.")
		@DistributedLock("#customer.total")
		public void ofASubclass(Customer customer) {
		}

		@DistributedLock("'a:' + #order.id + #order.id() + #root.target.class.name + #root.args.length + #root.args[0].paid")
		@DistributedLock("#orders.![#this.id + ':' + id] + #orders.?[paid].size() + #byName['x'].id")
		@DistributedLock("#optional.get().unique + T(java.lang.Math).abs(#optional.hashCode()) + T(java.lang.String).simpleName")
		@DistributedLock(name = "#anything.whatever", condition = "#anything")
		@DistributedLock(name = "targetClass.simpleName + method.name", timeout = 3600, waitTime = 60,
				condition = "#a > 1 and not #b")
		public void right(Order order, List<Order> orders, Map<String, Order> byName, Optional<Order> optional,
				Object anything, int a, boolean b) {
		}

	}

	static class Conditions {

		@Refused("@DistributedLock(condition = \"#text + 'a'\") cannot work. It does not give true or false. Write an expression that does, as in #amount > 100.")
		@DistributedLock(condition = "#text + 'a'")
		public void text(String text) {
		}

		@Refused("@DistributedLock(condition = \"#amount\") cannot work. It does not give true or false. Write an expression that does, as in #amount > 100.")
		@DistributedLock(condition = "#amount")
		public void number(int amount) {
		}

		@DistributedLock(name = "'big:' + #a", condition = "#a > 9", timeout = 300)
		@DistributedLock(name = "'big:' + #a", condition = "#a <= 9")
		public <T extends Comparable<T>> List<T> either(int a) {
			return List.of();
		}

		@Warned("@DistributedLock(condition = \"'true'\")" + ALWAYS)
		@DistributedLock(condition = "'true'")
		public void literal() {
		}

		@Warned("@DistributedLock(condition = \"true\")" + ALWAYS)
		@DistributedLock(condition = "true")
		public void always() {
		}

		@Warned("@DistributedLock(condition = \"false\")" + NEVER)
		@DistributedLock(condition = "false")
		public void never() {
		}

		@Warned("@DistributedLock(condition = \"1 > 2 or not true\")" + NEVER)
		@DistributedLock(condition = "1 > 2 or not true")
		public void neverByOperators() {
		}

		@Warned("@DistributedLock(condition = \"#a > 9 and false\")" + NEVER)
		@DistributedLock(condition = "#a > 9 and false")
		public void neverByOneSide(int a) {
		}

		@Warned("@DistributedLock(condition = \"${lock.off:false}\") is false for all calls: they all run without the lock. Give the property another value. If it is meant to switch the lock off, say so with @SuppressLockWarnings.")
		@DistributedLock(condition = "${lock.off:false}")
		public void neverByProperty() {
		}

		@SuppressLockWarnings
		@DistributedLock(condition = "${lock.off:false}")
		public void neverOnPurpose() {
		}

		@Refused("@DistributedLock(condition = \"${lock.empty:}\") cannot work. Its placeholders have an empty value. Give the property a value, or remove the property and write a default value after a colon, as in ${some.property:value}.")
		@DistributedLock(condition = "${lock.empty:}")
		public void emptyProperty() {
		}

		@DistributedLock(name = "on", condition = "${lock.on:true}")
		@DistributedLock(name = "or", condition = "#a > 9 or false")
		@DistributedLock(name = "same", condition = "#a == #b")
		@DistributedLock(name = "number", condition = "#a == #big and #b == 1.0")
		@DistributedLock(name = "object", condition = "#any == 'x' or #any == 1")
		@DistributedLock(name = "own equals", condition = "#lenient == 'x'")
		@DistributedLock(name = "null", condition = "#big != null and #state == null")
		@DistributedLock(name = "enum",
				condition = "#state?.name() == 'NEW' or #state == T(io.distributedlock.annotation.LockFindingsTests.State).OLD")
		public void depends(int a, Long b, BigDecimal big, Object any, Lenient lenient, State state) {
		}

		@Refused("@DistributedLock(condition = \"#on == 'true'\") cannot work. #on, which is of type boolean, and the literal 'true' are never equal. Write #on == true.")
		@DistributedLock(condition = "#on == 'true'")
		public void booleanAndText(boolean on) {
		}

		@Refused("@DistributedLock(condition = \"#state == 'NWE'\") cannot work. #state, which is of type State, and the literal 'NWE' are never equal. Write #state?.name() == 'NEW'.")
		@DistributedLock(condition = "#state == 'NWE'")
		public void enumAndText(State state) {
		}

		@Refused("@DistributedLock(condition = \"#a > 1 or 'NEW' == #order.state\") cannot work. The literal 'NEW' and #order.state, which is of type State, are never equal. Write #order.state?.name() == 'NEW'.")
		@DistributedLock(condition = "#a > 1 or 'NEW' == #order.state")
		public void textAndEnum(int a, Stated order) {
		}

		@Refused("@DistributedLock(condition = \"#state.equals('NEW')\") cannot work. #state, which is of type State, and the literal 'NEW' are never equal. Write #state?.name() == 'NEW'.")
		@DistributedLock(condition = "#state.equals('NEW')")
		public void enumEqualsText(State state) {
		}

		@Refused("@DistributedLock(condition = \"'NEW'.equals(#state)\") cannot work. The literal 'NEW' and #state, which is of type State, are never equal. Write #state?.name() == 'NEW'.")
		@DistributedLock(condition = "'NEW'.equals(#state)")
		public void textEqualsEnum(State state) {
		}

		@Refused("@DistributedLock(condition = \"#n == '1'\") cannot work. #n, which is of type long, and the literal '1' are never equal. Write #n == 1.")
		@DistributedLock(condition = "#n == '1'")
		public void numberAndText(long n) {
		}

		@Refused("@DistributedLock(condition = \"#n != #text\") cannot work. #n, which is of type Integer, and #text, which is of type String, are never equal. Write #n?.toString() != #text.")
		@DistributedLock(condition = "#n != #text")
		public void numberAndTextOfArguments(Integer n, String text) {
		}

		@Refused("@DistributedLock(condition = \"#text == 1\") cannot work. #text, which is of type String, and the literal 1 are never equal. Write #text == '1'.")
		@DistributedLock(condition = "#text == 1")
		public void textAndNumber(String text) {
		}

		@Refused("@DistributedLock(condition = \"#letter == 'x'\") cannot work. #letter, which is of type char, and the literal 'x' are never equal. Write #letter.toString() == 'x'.")
		@DistributedLock(condition = "#letter == 'x'")
		public void characterAndText(char letter) {
		}

		@Refused("@DistributedLock(condition = \"#id == 'x'\") cannot work. #id, which is of type UUID, and the literal 'x' are never equal. Write #id?.toString() == 'x'.")
		@DistributedLock(condition = "#id == 'x'")
		public void idAndText(UUID id) {
		}

		@Refused("@DistributedLock(condition = \"#on == 1\") cannot work. #on, which is of type boolean, and the literal 1 are never equal. Compare values of one type.")
		@DistributedLock(condition = "#on == 1")
		public void booleanAndNumber(boolean on) {
		}

		@Refused("@DistributedLock(condition = \"#n == null\") cannot work. #n is never null. Remove the comparison.")
		@DistributedLock(condition = "#n == null")
		public void primitiveAndNull(long n) {
		}

		@Warned("@DistributedLock(condition = \"#n != null\")" + ALWAYS)
		@DistributedLock(condition = "#n != null")
		public void primitiveAndNotNull(long n) {
		}

	}

	static class Permits {

		@Refused("@DistributedLock(permitsString = \"three\") reads three of #root, which has no such property. Use a property or method that it has.")
		@DistributedLock(name = "p1", permitsString = "three")
		public void word() {
		}

		@Refused("@DistributedLock(permitsString = \"2.5\")" + NO_PERMITS)
		@DistributedLock(name = "p2", permitsString = "2.5")
		public void fraction() {
		}

		@Refused("@DistributedLock(permitsString = \"1 - 1\")" + NO_PERMITS)
		@DistributedLock(name = "p3", permitsString = "1 - 1")
		public void nothing() {
		}

		@Refused("@DistributedLock(permitsString = \"'many'\")" + NO_PERMITS)
		@DistributedLock(name = "p4", permitsString = "'many'")
		public void text() {
		}

		@Refused("@DistributedLock(permitsString = \"#text.lenght()\") reads lenght() of #text of type java.lang.String, which has no such method. Did you mean length? Use a property or method that it has.")
		@DistributedLock(name = "p5", permitsString = "#text.lenght()")
		public void method(String text) {
		}

		@Refused("@DistributedLock(permitsString = \"#order.paralel\") reads paralel of #order of type io.distributedlock.annotation.LockFindingsTests$Order, which has no such property. Use a property or method that it has: id, lock, number, paid, unique.")
		@DistributedLock(name = "p6", permitsString = "#order.paralel")
		public void property(Order order) {
		}

		@Refused("@DistributedLock(permitsString = \"@limits.n\") cannot work. There is no bean 'limits'. Define the bean, or name another one.")
		@DistributedLock(name = "p7", permitsString = "@limits.n")
		public void bean() {
		}

		@Refused("@DistributedLock(permitsString = \"#order\")" + NO_PERMITS)
		@DistributedLock(name = "p8", permitsString = "#order")
		public void object(Order order) {
		}

		@Refused("@DistributedLock(permitsString = \"#on\")" + NO_PERMITS)
		@DistributedLock(name = "p9", permitsString = "#on")
		public void yesOrNo(boolean on) {
		}

		@Refused("@DistributedLock(permitsString = \"#many\")" + NO_PERMITS)
		@DistributedLock(name = "p10", permitsString = "#many")
		public void optional(Optional<Integer> many) {
		}

		@Refused("@DistributedLock(permitsString = \"#state\")" + NO_PERMITS)
		@DistributedLock(name = "p11", permitsString = "#state")
		public void constant(State state) {
		}

		@Refused("@DistributedLock(permitsString = \"#many\")" + NO_PERMITS)
		@DistributedLock(name = "p12", permitsString = "#many")
		public void array(int[] many) {
		}

		@Refused("@DistributedLock(permitsString = \"${lock.empty:}\") cannot work. Its placeholders have an empty value. Give the property a value, or remove the property and write a default value after a colon, as in ${some.property:value}.")
		@DistributedLock(name = "p13", permitsString = "${lock.empty:}")
		public void emptyProperty() {
		}

		@Refused("@DistributedLock(permitsString = \"${no.such}\") cannot work. It cannot be resolved: nothing has a value for ${no.such}. Define the property, or give a default value after a colon, as in ${some.property:value}.")
		@DistributedLock(name = "p14", permitsString = "${no.such}")
		public void noProperty() {
		}

		@Refused("@DistributedLock(permitsString = \"#nn\") cannot work. There is no parameter 'nn'. Did you mean #n? Known are #n (or #p0).")
		@DistributedLock(name = "p15", permitsString = "#nn")
		public void parameter(int n) {
		}

		@Refused("@DistributedLock(permitsString = \"99999999999\") cannot work. The number is too large. Use mode = LockMode.SHARED for no limit.")
		@DistributedLock(name = "p16", permitsString = "99999999999")
		public void large() {
		}

		@Refused("@DistributedLock(permitsString = \"0\") cannot work. The permits are 0, but must be at least 1. Remove permitsString, or set it to 2 or more. Beside a mode, remove one of the two.")
		@DistributedLock(name = "p17", permitsString = "0")
		public void zero() {
		}

		@Refused("@DistributedLock(permits = 1) cannot work. " + SHARED_PERMITS
				+ "Remove permits, or set it to 2 or more. Beside a mode, remove one of the two.")
		@DistributedLock(name = "p18", permits = 1, mode = LockMode.SHARED)
		public void oneAndShared() {
		}

		@Refused("@DistributedLock(permitsString = \"#n\") cannot work. " + SHARED_PERMITS
				+ "Remove permitsString, or set it to 2 or more. Beside a mode, remove one of the two.")
		@DistributedLock(name = "p19", permitsString = "#n", mode = LockMode.SHARED)
		public void expressionAndShared(int n) {
		}

		@DistributedLock(name = "p20", permitsString = " 3 ")
		@DistributedLock(name = "p21", permitsString = "1 + 2")
		@DistributedLock(name = "p22", permitsString = "#n")
		@DistributedLock(name = "p23", permitsString = "#text")
		@DistributedLock(name = "p24", permitsString = "#any")
		@DistributedLock(name = "p25", permitsString = "#list[0]")
		@DistributedLock(name = "p26", permitsString = "#own")
		@DistributedLock(name = "p27", permitsString = "${lock.permits:3}")
		public void right(Integer n, String text, Object any, List<Integer> list, OwnText own) {
		}

	}

	enum State {

		NEW, OLD

	}

	public record Stated(State state) {
	}

	public static final class Lenient {

		@Override
		public boolean equals(@Nullable Object other) {
			return true;
		}

		@Override
		public int hashCode() {
			return 1;
		}

	}

	static class Names {

		@Refused("@DistributedLock(name = \"'order:' + #ids\") cannot work. #ids is of type List, which cannot be a part of a name. Give each element a name of its own, as in \"#ids.!['order:' + #this]\".")
		@DistributedLock("'order:' + #ids")
		public void collection(List<Long> ids) {
		}

		@Refused("@DistributedLock(name = \"'order:' + #ids\") cannot work. #ids is of type List in an Optional, which cannot be a part of a name. Give each element a name of its own, as in \"#ids?.!['order:' + #this]\".")
		@DistributedLock("'order:' + #ids")
		public void optionalCollection(Optional<List<Long>> ids) {
		}

		@Refused("@DistributedLock(name = \"'order:' + #ids\") cannot work. #ids is of type Map in an Optional, whose entries may be in another order in every instance. Write the entries that identify it, as in #ids?.get('id').")
		@DistributedLock("'order:' + #ids")
		public void optionalMap(Optional<Map<String, Long>> ids) {
		}

		@Warned("@DistributedLock(name = \"'order:' + #order\") contains #order of type Order in an Optional"
				+ ALL_FIELDS + "Write the properties that identify it, as in #order?.id, " + OTHER_TEXT)
		@DistributedLock("'order:' + #order")
		public void optionalRecord(Optional<Order> order) {
		}

		@Warned("@DistributedLock(name = \"#orderIds\")" + NO_PREFIX + "\"#orderIds?.!['order:' + #this]\".")
		@DistributedLock("#orderIds")
		public void bareOptionalIds(Optional<List<Long>> orderIds) {
		}

		@Refused("@DistributedLock(name = \"order:#{#ids}\") cannot work. #ids is of type long[], which cannot be a part of a name. Give each element a name of its own, as in \"#ids.!['order:' + #this]\".")
		@DistributedLock("order:#{#ids}")
		public void array(long[] ids) {
		}

		@Refused("@DistributedLock(name = \"'order:' + #ids\") cannot work. #ids is of type Map, whose entries may be in another order in every instance. Write the entries that identify it, as in #ids['id'].")
		@DistributedLock("'order:' + #ids")
		public void map(Map<String, Long> ids) {
		}

		@Warned("@DistributedLock(name = \"'order:' + #order\") contains #order of type Order" + ALL_FIELDS
				+ "Write the properties that identify it, as in #order.id, " + OTHER_TEXT)
		@DistributedLock("'order:' + #order")
		public void record(Order order) {
		}

		@Warned("@DistributedLock(name = \"order:#{#order}\") contains #order of type Order" + ALL_FIELDS
				+ "Write the properties that identify it, as in #order.id, " + OTHER_TEXT)
		@DistributedLock("order:#{#order}")
		public void recordInTemplate(Order order) {
		}

		@Warned("@DistributedLock(name = \"'order:' + #order\") contains #order of type Pair" + ALL_FIELDS
				+ "Write the properties that identify it, " + OTHER_TEXT)
		@DistributedLock("'order:' + #order")
		public void dataClass(Pair<Long, String> order) {
		}

		@Warned("@DistributedLock(name = \"#orderId\")" + NO_PREFIX + "\"order:#{#orderId}\".")
		@DistributedLock("#orderId")
		public void bareVariable(String orderId) {
		}

		@Warned("@DistributedLock(name = \"#{#customer}\")" + NO_PREFIX + "\"customer:#{#customer}\".")
		@DistributedLock("#{#customer}")
		public void bareTemplate(long customer) {
		}

		@Warned("@DistributedLock(name = \"#p0\")" + NO_PREFIX + "\"barePosition:#{#p0}\".")
		@DistributedLock("#p0")
		public void barePosition(long id) {
		}

		@Warned("@DistributedLock(name = \"#orderIds\")" + NO_PREFIX + "\"#orderIds.!['order:' + #this]\".")
		@DistributedLock("#orderIds")
		public void bareIds(List<Long> orderIds) {
		}

		@Warned("@DistributedLock(name = \"#order.number\")" + NO_PREFIX + "\"order:#{#order.number}\".")
		@DistributedLock("#order.number")
		public void bareNumber(Order order) {
		}

		@DistributedLock("'order:' + #id")
		@DistributedLock("order:#{#id}")
		@DistributedLock("#uuid")
		@DistributedLock("#lockName")
		@DistributedLock("#order.lock")
		@DistributedLock("#order.unique")
		@DistributedLock("#root.method.name")
		@DistributedLock("#orderIds.!['order:' + #this]")
		@DistributedLock("'text:' + #text + ':' + #own + ':' + #order.id")
		public void right(long id, UUID uuid, String lockName, Order order, List<Long> orderIds, Text text,
				OwnText own) {
		}

		@DistributedLock("#ids?.!['order:' + #this]")
		@DistributedLock("order:#{#order?.id}:#{#order?.get().id}:#{#entries?.get('id')}:#{#id}")
		@DistributedLock("#uuid")
		public void rightOptional(Optional<List<Long>> ids, Optional<Order> order, Optional<Map<String, Long>> entries,
				Optional<Long> id, Optional<UUID> uuid) {
		}

	}

	static class Literals {

		@Warned("@DistributedLock(name = \"pay:{orderId}\")" + LITERAL
				+ "\"pay:#{#orderId}\"? If it is meant as written, quote it: \"'pay:{orderId}'\".")
		@DistributedLock("pay:{orderId}")
		public void braces(String orderId) {
		}

		@Warned("@DistributedLock(name = \"{shop}:{order.id}:{p0.customer.name}\") is a literal: all calls have this one lock. Did you mean \"{shop}:#{#order.id}:#{#p0.customer.name}\"? If it is meant as written, quote it: \"'{shop}:{order.id}:{p0.customer.name}'\".")
		@DistributedLock("{shop}:{order.id}:{p0.customer.name}")
		public void bracesWithProperty(Order order) {
		}

		@Warned("@DistributedLock(name = \"'pay:#orderId'\") is a literal: all calls have this one lock. Did you mean \"pay:#{#orderId}\"?")
		@DistributedLock("'pay:#orderId'")
		public void quotedWhole(long orderId) {
		}

		@Warned("@DistributedLock(name = \"'pay:#order.id:#order.txt'\") is a literal: all calls have this one lock. Did you mean \"pay:#{#order.id}:#{#order}.txt\"?")
		@DistributedLock("'pay:#order.id:#order.txt'")
		public void quotedWithProperties(Order order) {
		}

		@Warned("@DistributedLock(name = \"pay:$orderId\") is a literal: all calls have this one lock. Did you mean \"pay:#{#orderId}\"? If it is meant as written, quote it: \"'pay:$orderId'\".")
		@DistributedLock("pay:$orderId")
		public void shellVariable(long orderId) {
		}

		@Warned("@DistributedLock(name = \"orderId\") is a literal: all calls have this one lock. Did you mean \"order:#{#orderId}\"? If it is meant as written, quote it: \"'orderId'\".")
		@DistributedLock("orderId")
		public void parameterName(String orderId) {
		}

		@Warned("@DistributedLock(name = \"order.id\") is a literal: all calls have this one lock. Did you mean \"order:#{#order.id}\"? If it is meant as written, quote it: \"'order.id'\".")
		@DistributedLock("order.id")
		public void parameterPath(Order order) {
		}

		@Warned("@DistributedLock(name = \"currentTenant()\") is a literal: all calls have this one lock. Did you mean \"#root.target.currentTenant()\"? If it is meant as written, quote it: \"'currentTenant()'\".")
		@DistributedLock("currentTenant()")
		public void call() {
		}

		@Warned("@DistributedLock(name = \"nightly \") begins or ends with a blank, which is a part of the name: it is another lock than \"nightly\". Remove the blank.")
		@DistributedLock("nightly ")
		public void trailingBlank() {
		}

		@Warned("@DistributedLock(name = \"pay:%s\") is a literal: all calls have this one lock. Did you mean \"pay:#{#orderId}\"? If it is meant as written, quote it: \"'pay:%s'\".")
		@DistributedLock("pay:%s")
		public void format(String orderId) {
		}

		@Warned("@DistributedLock(name = \"{1}:{0}\") is a literal: all calls have this one lock. Did you mean \"#{#orderId}:#{#shop}\"? If it is meant as written, quote it: \"'{1}:{0}'\".")
		@DistributedLock("{1}:{0}")
		public void messageFormat(String shop, String orderId) {
		}

		@Warned("@DistributedLock(name = \"pay:{}:%2$s\") is a literal: all calls have this one lock. Did you mean \"pay:#{#shop}:#{#orderId}\"? If it is meant as written, quote it: \"'pay:{}:%2$s'\".")
		@DistributedLock("pay:{}:%2$s")
		public void twoFormats(String shop, String orderId) {
		}

		@DistributedLock("100%s:{}:{3}")
		public void formatWithoutArguments() {
		}

		@DistributedLock("'pay:{orderId}'")
		@DistributedLock("app:{shop}:nightly report (v2.1) user@host")
		public void right(String orderId) {
		}

	}

	static class Attributes {

		@Refused("@DistributedLock(name = \" \") cannot work. The name is blank. Leave the attribute out to use the name of the method.")
		@DistributedLock(" ")
		public void blankName() {
		}

		@Refused("@DistributedLock(name = \"pay:${order.id}\") cannot work. It cannot be resolved: nothing has a value for pay:${order.id}. Did you mean #{#order.id}?")
		@DistributedLock("pay:${order.id}")
		public void parameterAsProperty(Order order) {
		}

		@Refused("@DistributedLock(timeout = -1) cannot work. A duration must not be negative. Write autoRenew = true to keep the lock until the method has returned, or leave the attribute out to get the configured lease.")
		@DistributedLock(timeout = -1)
		public void endlessLease() {
		}

		@Refused("@DistributedLock(waitTime = -1) cannot work. A duration must not be negative. Write how long to wait, as in waitTime = 60, or leave the attribute out to get the configured wait. No call waits forever.")
		@DistributedLock(waitTime = -1)
		public void endlessWait() {
		}

		@Refused("@DistributedLock(maxHold = 10) cannot work. The maximum hold is 10s, but must not be shorter than the lease of 30s. Set maxHold to at least the lease, or remove it. A maximum hold also needs renewal: add autoRenew = true, unless the configuration renews the lease.")
		@DistributedLock(maxHold = 10)
		public void shortMaxHoldWithoutRenewal() {
		}

		@Refused("@DistributedLock(maxHold = 10) cannot work. The maximum hold is 10s, but must not be shorter than the lease of 30s. Set maxHold to at least the lease, or remove it.")
		@DistributedLock(maxHold = 10, autoRenew = true)
		public void shortMaxHold() {
		}

		@Refused("@DistributedLock(maxHold = 1200) cannot work. The maximum hold is 20m, but must not be shorter than the lease of 40m. Set timeoutString = \"30s\" in place of timeout: a lease that is renewed is no limit on the work. Or set maxHold to at least the lease, or remove it.")
		@DistributedLock(timeout = 2400, maxHold = 1200, autoRenew = true)
		public void longLeaseOfHold() {
		}

		@Refused("@DistributedLock(maxHoldString = \"20m\") cannot work. The maximum hold is 20m, but must not be shorter than the lease of 40m. Set timeoutString = \"20m\": a lease that is renewed is no limit on the work. Or set maxHoldString to at least the lease, or remove it.")
		@DistributedLock(timeoutString = "40m", maxHoldString = "20m", minHold = 60, autoRenew = true)
		public void longLeaseOfMinHold() {
		}

		@Refused("@DistributedLock(timeoutString = \"#{#seconds}\") cannot work. A duration is the same for all calls, and cannot depend on their arguments. Write for example \"30s\", or a property, as in \"${some.property:30s}\". Or lock with LockService, which takes options for each call.")
		@DistributedLock(timeoutString = "#{#seconds}")
		public void leaseOfCall(long seconds) {
		}

		@DistributedLock(timeoutString = "#{systemProperties['lease#short'] ?: '40s'}")
		public void leaseOfText() {
		}

		@DistributedLock(timeoutString = "#{ {40, 50}.?[#this > 45][0] }")
		public void leaseOfExpression() {
		}

		@Refused("@DistributedLock(timeoutString = \"1m\") cannot work. timeout = 30 is given as well. Remove one of the two.")
		@DistributedLock(timeout = 30, timeoutString = "1m")
		public void twoLeases() {
		}

		@Refused("@DistributedLock(fallbackMethod = \"other\") cannot work. onContention = SKIP is given as well: a call that finds the lock held is either skipped or given to the fallback method. Remove one of the two.")
		@DistributedLock(onContention = OnContention.SKIP, fallbackMethod = "other")
		public void twoAnswers() {
		}

		@Refused("@DistributedLock(name = \"nightly\") cannot work. Two annotations of the method have this name, and only one lease and wait can apply to a lock. Remove one of the annotations, or give each a condition.")
		@DistributedLock(name = "nightly", timeout = 10)
		@DistributedLock(name = "nightly", timeout = 20)
		public void twoLocks() {
		}

		@Refused("@DistributedLock(fallbackMethod = \"locked\") cannot work. locked() has a lock of its own, and is called on the bean and not through its proxy: it would run without its lock. Name a method without a lock. It may call a locked method of another bean, or use LockService.")
		@DistributedLock(fallbackMethod = "locked")
		public void lockedFallback() {
		}

		@DistributedLock(fallbackMethod = "other")
		public void locked() {
		}

		void other() {
		}

		@Warned("It sets renewInterval or maxHold, but its lease is not renewed: they have no effect. Add autoRenew = true, or, with Spring Boot, set 'distributed-lock.defaults.auto-renew'; or remove them.")
		@DistributedLock(maxHold = 60)
		public void notRenewed() {
		}

		@DistributedLock(maxHold = 60, autoRenew = true)
		public void renewed() {
		}

	}

	static class Durations {

		@Warned("@DistributedLock(timeout = 30000)" + IN_MILLISECONDS
				+ "timeout = 30, or timeUnit = TimeUnit.MILLISECONDS. If not, write timeoutString = \"8h20m\".")
		@DistributedLock(timeout = 30000)
		public void milliseconds() {
		}

		@Warned("@DistributedLock(timeoutString = \"30000\")" + IN_MILLISECONDS + "30000ms. If not, write 8h20m.")
		@DistributedLock(timeoutString = "30000")
		public void text() {
		}

		@Warned("@DistributedLock(timeoutString = \"${pay.lease}\")" + IN_MILLISECONDS
				+ "30000ms. If not, write 8h20m.")
		@DistributedLock(timeoutString = "${pay.lease}")
		public void property() {
		}

		@Warned("@DistributedLock(timeout = 5500) is 1h31m40s: numbers are seconds. If milliseconds are meant, write timeUnit = TimeUnit.MILLISECONDS. If not, write timeoutString = \"1h31m40s\".")
		@DistributedLock(timeout = 5500)
		public void oddMilliseconds() {
		}

		@Warned("@DistributedLock(timeout = 5500) is 1h31m40s: numbers are seconds. If milliseconds are meant, write timeoutString = \"5500ms\". If not, write timeoutString = \"1h31m40s\".")
		@DistributedLock(timeout = 5500, waitTime = 5)
		public void oddMillisecondsBesideSeconds() {
		}

		@Warned("@DistributedLock(timeout = 30000)" + IN_MILLISECONDS
				+ "timeout = 30. If not, write timeoutString = \"8h20m\".")
		@DistributedLock(timeout = 30000, waitTime = 5)
		public void millisecondsBesideSeconds() {
		}

		@Warned("@DistributedLock(timeout = 30 MILLISECONDS) is a lease of 30ms: a short pause, or one slow answer, ends it. If seconds are meant, write timeoutString = \"30s\". If not, write timeoutString = \"30ms\".")
		@DistributedLock(timeout = 30, timeUnit = TimeUnit.MILLISECONDS)
		public void secondsAsMilliseconds() {
		}

		@DistributedLock(name = "milliseconds", timeout = 30000, waitTime = 30, timeUnit = TimeUnit.MILLISECONDS)
		@DistributedLock(name = "short", timeoutString = "30ms")
		@DistributedLock(name = "long", timeoutString = "30s")
		public void shortLeases() {
		}

		@DistributedLock(name = "unit", timeoutString = "30000ms")
		@DistributedLock(name = "time unit", timeoutString = "${pay.lease}", timeUnit = TimeUnit.MILLISECONDS)
		@DistributedLock(name = "hours", timeoutString = "8h20m")
		@DistributedLock(name = "seconds", timeoutString = "5000s")
		@DistributedLock(name = "whole minutes", timeout = 5400, waitTime = 3700)
		public void right() {
		}

	}

	static class Results {

		@Refused("@DistributedLock cannot work. It is not known when the work of a method that returns java.util.concurrent.Callable is done. Return the value, or a CompletableFuture, Mono or Flux of it; Spring MVC takes these as well.")
		@DistributedLock
		public Callable<String> callable() {
			return () -> "done";
		}

		@Warned("It is declared to return Object, and its lock is released when it returns: if the result is a future, a Mono or the like, its work continues without the lock. Declare the type that it really returns.")
		@DistributedLock
		public Object anything() {
			return "x";
		}

		@Warned("Its result is of type Stream" + LATER)
		@DistributedLock
		public Stream<String> stream() {
			return Stream.of("x");
		}

		@Warned("Its result is of type Supplier" + LATER)
		@DistributedLock
		public Supplier<String> supplier() {
			return () -> "x";
		}

		@Warned("Its result is of type Iterator" + LATER)
		@DistributedLock
		public Iterator<String> iterator() {
			return List.of("x").iterator();
		}

		@Warned("Its result is of type Iterable" + LATER)
		@DistributedLock
		public Iterable<String> iterable() {
			return List.of();
		}

		@Warned("Its result is of type InputStream" + LATER)
		@DistributedLock
		public InputStream bytes() {
			return InputStream.nullInputStream();
		}

		@Warned("Its result is of type Runnable" + LATER)
		@DistributedLock
		public Runnable work() {
			return () -> {
			};
		}

		@Warned("Its result is a List that contains CompletableFuture" + NESTED)
		@DistributedLock
		public List<CompletableFuture<String>> manyFutures() {
			return List.of();
		}

		@Warned("Its result is a CompletableFuture that contains Stream" + NESTED)
		@DistributedLock
		public CompletableFuture<Stream<String>> lateStream() {
			return CompletableFuture.completedFuture(Stream.of());
		}

		@Warned("Its result is a Map that contains Mono" + NESTED)
		@DistributedLock
		public Map<String, Mono<String>> publisherByKey() {
			return Map.of();
		}

		@Warned("Its result is a Stream[] that contains Stream" + NESTED)
		@DistributedLock
		public Stream<?>[] arrayOfStreams() {
			return new Stream<?>[0];
		}

	}

	static class Schedules {

		@Warned(ERROR_PER_RUN + ", and " + MIN_HOLD_OF_RATE)
		@Scheduled(fixedRateString = "PT1M")
		@DistributedLock
		public void refusedRate() {
		}

		@Warned(ERROR_PER_RUN + ".")
		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(minHold = 5)
		public void refusedWithMinHold() {
		}

		@Warned(ERROR_PER_RUN + ".")
		@Scheduled(fixedDelay = 5000)
		@DistributedLock
		public void refused() {
		}

		@Warned(ERROR_PER_RUN + ", and " + MIN_HOLD_OF_CRON)
		@Scheduled(cron = "0 0 3 * * *")
		@Scheduled(fixedDelay = 5000)
		@DistributedLock
		public void refusedTwice() {
		}

		@Warned(ERROR_PER_RUN + ".")
		@EveryMinute
		@DistributedLock
		public void refusedByMeta() {
		}

		@Warned(RUNS_TWICE)
		@NightlyJob
		public void shortNightlyJob() {
		}

		@Warned(RUNS_IN_EACH)
		@Scheduled(fixedRate = 60_000)
		@DistributedLock(onContention = OnContention.SKIP)
		public void shortRate() {
		}

		@Warned(RUNS_IN_EACH)
		@Scheduled(fixedRateString = "PT1M")
		@DistributedLock(onContention = OnContention.SKIP)
		public void shortRateAsText() {
		}

		@Warned("It is @Scheduled every 10s, and the minHold of its lock is not shorter: the next run finds the lock held. Choose a minHold that is a little shorter than the period.")
		@Scheduled(fixedRate = 10, timeUnit = TimeUnit.SECONDS)
		@DistributedLock(onContention = OnContention.SKIP, minHold = 10)
		public void longHold() {
		}

		@Warned("It is @Scheduled" + HANGS)
		@Scheduled(fixedDelay = 5000)
		@DistributedLock(autoRenew = true, onContention = OnContention.SKIP)
		public void hanging() {
		}

		@Scheduled(fixedDelay = 5000)
		@DistributedLock(onContention = OnContention.SKIP)
		public void skipped() {
		}

		@Scheduled(fixedDelay = 5000)
		@DistributedLock(waitTime = 5)
		public void waiting() {
		}

		@EveryMinute
		@DistributedLock(fallbackMethod = "elsewhere")
		public void withFallback() {
		}

		void elsewhere() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(onContention = OnContention.SKIP, minHoldString = "5s")
		public void cron() {
		}

		@Scheduled(cron = Scheduled.CRON_DISABLED)
		@DistributedLock(onContention = OnContention.SKIP)
		public void disabled() {
		}

		@RunsOnEveryInstance
		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(onContention = OnContention.SKIP, waitTime = 5)
		public void cronInEachInstance() {
		}

		@Warned(RUNS_ONE_AFTER_THE_OTHER)
		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(waitTime = 10)
		public void waitingAtTheFireTime() {
		}

		@Warned(RUNS_ONE_AFTER_THE_OTHER)
		@Scheduled(fixedRate = 60_000)
		@DistributedLock(waitTime = 10, onContention = OnContention.SKIP)
		public void waitingAtARate() {
		}

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(waitTime = 2, onContention = OnContention.SKIP, minHold = 5)
		public void waitingForLess() {
		}

		@Scheduled(fixedDelay = 5000)
		@Async
		@DistributedLock
		public CompletableFuture<Void> nobodyLooksIntoTheFuture() {
			return CompletableFuture.completedFuture(null);
		}

		@DistributedLock
		public void calledByUsers() {
		}

	}

	static class Renewing {

		@DistributedLock(maxHold = 60, autoRenew = true)
		public void run() {
		}

	}

	static class CronJob {

		@Scheduled(cron = "${job.cron:0 0 3 * * *}")
		@DistributedLock(onContention = OnContention.SKIP)
		public void run() {
		}

	}

	static class Listeners {

		@Warned("It is a @TransactionalEventListener, and an event that finds the lock held fails with a LockNotAcquiredException after the transaction: it is logged, and the publisher of the event does not learn of it. Set waitTime to longer than the lock is usually held. Or name a fallbackMethod that keeps the event for later.")
		@TransactionalEventListener
		@DistributedLock("'order:' + #order.id")
		public void refusedAfterCommit(Order order) {
		}

		@Warned("It listens to ContextRefreshedEvent, and throws a LockNotAcquiredException if it finds the lock held, which aborts the start-up: if several instances start together, only one of them survives. Write onContention = OnContention.SKIP, or set waitTime if each instance is to run it.")
		@EventListener
		@DistributedLock
		public void refusedStart(ContextRefreshedEvent event) {
		}

		@Warned("It answers requests, and one that finds the lock held is skipped with status 200 and an empty body: the client assumes success. Remove onContention = OnContention.SKIP to answer with status 409. Or replace it by a fallbackMethod that gives the answer.")
		@GetMapping("/run")
		@DistributedLock(onContention = OnContention.SKIP)
		public @Nullable String skippedRequest() {
			return null;
		}

		@EventListener
		@DistributedLock("'order:' + #order.id")
		public void whoPublishesLearnsOfIt(Order order) {
		}

		@TransactionalEventListener
		@DistributedLock(name = "'order:' + #order.id", fallbackMethod = "later")
		public void withFallback(Order order) {
		}

		void later(Order order) {
		}

		@TransactionalEventListener
		@DistributedLock(name = "'order:' + #order.id", onContention = OnContention.SKIP)
		public void skipped(Order order) {
		}

		@TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
		@DistributedLock("'order:' + #order.id")
		public void beforeCommit(Order order) {
		}

		@TransactionalEventListener
		@DistributedLock(name = "'order:' + #order.id", waitTime = 5)
		public void afterCommit(Order order) {
		}

		@EventListener(ContextRefreshedEvent.class)
		@DistributedLock(onContention = OnContention.SKIP)
		public void start() {
		}

		@Async
		@EventListener(ContextRefreshedEvent.class)
		@DistributedLock
		public void besidesTheStart() {
		}

	}

	static class Background {

		@Warned("It is @Async and returns String: Spring refuses to run such a method in another thread, and each call throws. Return void, or a CompletableFuture of the result.")
		@Async
		@DistributedLock
		public String text() {
			return "done";
		}

		@Warned("It is @Async" + HANGS)
		@Async
		@DistributedLock(autoRenew = true)
		public void hanging() {
		}

		@Async
		@DistributedLock(autoRenew = true, maxHoldString = "1h")
		public void limited() {
		}

		@Async
		@DistributedLock
		public void notRenewed() {
		}

		@DistributedLock(autoRenew = true)
		public void calledByUsers() {
		}

	}

	@Async
	static class AsyncClass {

		@Warned("It is @Async" + HANGS)
		@DistributedLock(autoRenew = true)
		public void hanging() {
		}

	}

	static class Caches {

		@Warned(OUTSIDE + LOOK_AGAIN)
		@Cacheable("books")
		@DistributedLock("'book:' + #isbn")
		public String both(String isbn) {
			return isbn;
		}

		@Warned(OUTSIDE + LOOK_AGAIN)
		@Caching(cacheable = @Cacheable("books"))
		@DistributedLock("'book:' + #isbn")
		public String group(String isbn) {
			return isbn;
		}

		@Cacheable("books")
		public String look(String isbn) {
			return isbn;
		}

		@DistributedLock("'book:' + #isbn")
		public String lock(String isbn) {
			return isbn;
		}

	}

	static class InnerOrOuterCache {

		@Caching(cacheable = @Cacheable("books"))
		@DistributedLock("'book:' + #isbn")
		public String atOnce(String isbn) {
			return isbn;
		}

		@Cacheable("books")
		@DistributedLock(name = "'book:' + #isbn", waitTime = 5)
		public String waiting(String isbn) {
			return isbn;
		}

	}

	static class Company {

		@Warned("It sets permits = 1, which a lock has anyway. Remove permits.")
		@DistributedLock(permits = 1)
		public void one() {
		}

		@DistributedLock(name = "'export'", permits = 3)
		public void export() {
		}

		@Warned("It allows 5 holders of lock 'export', and " + THIS + "Company.export()" + SMALLER)
		@DistributedLock(name = "'export'", permits = 5)
		public void exportMore() {
		}

		@DistributedLock(name = "'export'", permitsString = "#parallel")
		public void exportParallel(int parallel) {
		}

		@Warned("It locks 'archive' shared, and no method locks it exclusively: it keeps nobody out. Lock it exclusively where it is written. If that happens elsewhere, say so with @SuppressLockWarnings.")
		@DistributedLock(name = "'archive'", mode = LockMode.SHARED)
		public void onlyShared() {
		}

		@DistributedLock(name = "'index'", mode = LockMode.SHARED)
		public void read() {
		}

		@DistributedLock(name = "print", permits = 3)
		public void print() {
		}

		@Warned("It allows 1 holder of lock 'print', and " + THIS + "Company.print()" + SMALLER
				+ " If they are meant to differ, say so with @SuppressLockWarnings.")
		@DistributedLock(name = "print")
		public void printAlone() {
		}

		@DistributedLock(name = "Binder:#{#id}")
		public void bind(long id) {
		}

		@Warned("Its lock 'binder:*' is another one than 'Binder:*' of " + THIS
				+ "Company.bind(long): capital letters make a difference. Write both names alike, or choose names that differ more.")
		@DistributedLock(name = "binder:#{#id}")
		public void bindAgain(long id) {
		}

		@DistributedLock(name = "copy:#{#id}", permits = 3)
		public void copy(long id) {
		}

		@Warned("It allows 1 holder of lock 'copy:*', and " + THIS + "Company.copy(long)" + SMALLER
				+ " If they are meant to differ, say so with @SuppressLockWarnings.")
		@DistributedLock(name = "copy:#{#number}")
		public void copyAlone(long number) {
		}

		@DistributedLock(name = "scan", permits = 3)
		public void scan() {
		}

		@Warned("It allows any number of holders of lock 'scan', and " + THIS + "Company.scan()" + SMALLER
				+ " If they are meant to differ, say so with @SuppressLockWarnings.")
		@DistributedLock(name = "scan", mode = LockMode.SHARED)
		public void scanWithMany() {
		}

		@DistributedLock(name = "'index:' + #id", mode = LockMode.SHARED)
		public void readOne(String id) {
		}

		@DistributedLock(name = "'index'")
		public void write() {
		}

		@SuppressLockWarnings
		@DistributedLock(name = "'catalogue'", mode = LockMode.SHARED)
		public void catalogue() {
		}

	}

	interface PrivateMethod {

		@DistributedLock
		private void work() {
		}

		default void run() {
			work();
		}

	}

	static class WithPrivateMethod implements PrivateMethod {

	}

	static class WithoutPrivateMethod {

		@DistributedLock
		public void run() {
		}

	}

	public interface Runner {

		@DistributedLock(name = "'x:' + #oderId")
		void run(String orderId);

	}

	static class Misspelt implements Runner {

		@Refused("@DistributedLock(name = \"'x:' + #oderId\") cannot work. There is no parameter 'oderId'. The annotation is on LockFindingsTests.Runner.run(String). Did you mean #orderId? Known are #id, #orderId (or #p0).")
		@Override
		public void run(String id) {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@SuppressLockWarnings
	@DistributedLock("#p0")
	@interface Guarded {

	}

	static class Silent {

		@SuppressLockWarnings
		@DistributedLock("#orderId")
		public void name(long orderId) {
		}

		@SuppressLockWarnings
		@Cacheable("books")
		@DistributedLock("'book:' + #isbn")
		public String cached(String isbn) {
			return isbn;
		}

		@SuppressLockWarnings
		@Scheduled(fixedDelay = 5000)
		@DistributedLock
		public void scheduled() {
		}

		@SuppressLockWarnings
		public void caller() {
			scheduled();
		}

		@SuppressLockWarnings
		public Runnable lambda(int argument) {
			return () -> scheduled();
		}

		@Guarded
		public void byMeta(long orderId) {
		}

		@Warned("@DistributedLock(name = \"#orderId\")" + NO_PREFIX + "\"order:#{#orderId}\".")
		@DistributedLock("#orderId")
		public void other(long orderId) {
		}

	}

	static class Unsilenced {

		@DistributedLock("#orderId")
		public void run(String orderId) {
		}

	}

	@SuppressLockWarnings
	static class SilentClass extends Unsilenced {

		public void caller() {
			run("5");
		}

		@Refused("The method is final, and a proxy cannot intercept it: it would run without its lock. Remove 'final' from the method (Kotlin: declare it open, or use the kotlin-spring plugin). Or lock with LockService, or use AspectJ weaving.")
		@DistributedLock
		public final void error() {
		}

	}

	@SuppressLockWarnings
	static class SilentAsAWhole extends Unsilenced {

	}

	@SuppressLockWarnings
	static class SilentWithoutLocks {

		@SuppressLockWarnings
		public void run() {
		}

	}

	static class SilentNamesake {

		@SuppressLockWarnings
		@Elsewhere.DistributedLock
		public void run() {
		}

	}

	static class Elsewhere {

		@Retention(RetentionPolicy.RUNTIME)
		@interface DistributedLock {

		}

	}

	public interface Paying {

		@SuppressLockWarnings
		@DistributedLock("#orderId")
		void run(long orderId);

	}

	static class SilentByInterface implements Paying {

		@Override
		public void run(long orderId) {
		}

	}

	static class Generic<T> {

		@DistributedLock
		@SuppressWarnings("unchecked")
		public T generic() {
			return (T) Mono.just("done");
		}

	}

	static class OfAnything extends Generic<Object> {

	}

	static class OfMono extends Generic<Mono<String>> {

	}

	static class AnyObject {

		@DistributedLock("#any.!['order:' + #this]")
		public void run(Object any) {
		}

		@SuppressLockWarnings
		@DistributedLock("'order:' + #any")
		public void silent(Object any) {
		}

	}

	static class Initialized {

		@DistributedLock
		public void begin() {
		}

		@DistributedLock
		public void end() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class Aspects {

	}

	@Aspect
	static class Advice {

		@DistributedLock
		public void run() {
		}

	}

	static class Quoted {

		@DistributedLock("'pay:{orderId}'")
		public void quoted(String orderId) {
		}

	}

	public interface Shipping {

		@DistributedLock(name = "'ship:' + #order.id + ':' + #to")
		void ship(Order order, String to);

		@DistributedLock(name = "#a")
		void swap(String a, String b);

	}

	static class Ship implements Shipping {

		@Override
		public void ship(Order o, String to) {
		}

		@Override
		public void swap(String b, String a) {
		}

	}

}
