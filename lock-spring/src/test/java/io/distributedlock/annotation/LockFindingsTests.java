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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;

import io.distributedlock.annotation.LockFinding.Severity;
import io.distributedlock.internal.DeclaredLocks;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.aspectj.lang.annotation.Aspect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for what the validation finds in annotations that can be parsed.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockFindingsTests {

	@ParameterizedTest
	@MethodSource("errors")
	void whatFailsWithEveryCallOrRunsUnlockedIsAnError(Class<?> bean, String location, String problem, String action) {
		assertThatExceptionOfType(LockValidationException.class).isThrownBy(() -> start(bean).close())
			.satisfies((ex) -> assertThat(ex.getFindings()).singleElement().satisfies((finding) -> {
				assertThat(finding.severity()).isEqualTo(Severity.ERROR);
				assertThat(finding.location()).isEqualTo(bean.getName() + "." + location);
				assertThat(finding.problem()).contains(problem);
				assertThat(finding.action()).contains(action);
			}));
	}

	static Stream<Arguments> errors() {
		return Stream.of(error(AfterConstruction.class, "warmUp()", "has @PostConstruct", "ApplicationReadyEvent"),
				error(BeforeDestruction.class, "flush()", "has @PreDestroy", "ContextClosedEvent"),
				error(Initializing.class, "afterPropertiesSet()", "InitializingBean", "ApplicationReadyEvent"),
				error(Disposable.class, "destroy()", "DisposableBean", "ContextClosedEvent"),
				error(Declaring.class, "text()", "has @Bean", "method of the bean"),
				error(MissingBean.class, "run(long)", "There is no bean 'tenant'", "Did you mean @tenants?"),
				error(MissingQuotedBean.class, "run(long)", "There is no bean 'no.tenant'", "Define the bean"),
				error(MissingProperty.class, "run(LockFindingsTests.Order)",
						"reads idd of " + Order.class.getName() + ", which has no such property", "Did you mean id?"),
				error(MissingMethod.class, "run(LockFindingsTests.Order)", "reads idd() of", "Did you mean id?"),
				error(MissingInCondition.class, "run(LockFindingsTests.Order)", "condition = \"#order.payd\"", "paid"),
				error(MissingInOptional.class, "run(Optional)", "reads idd of " + Order.class.getName(), "id?"),
				error(MissingOnRoot.class, "run()", "reads methodName of #root", "property or method that it has"),
				error(ForgottenMark.class, "run(String)", "reads orderId of #root", "Did you mean #orderId?"),
				error(TextualCondition.class, "run(String)", "does not give true or false", "#amount > 100"),
				error(CollectionInName.class, "run(List)", "#ids is of type List, which cannot be a part of a name",
						"\"#ids.!['order:' + #this]\""),
				error(ArrayInName.class, "run(long[])", "#ids is of type long[], which cannot be a part of a name",
						"\"#ids.!['order:' + #this]\""),
				error(MapInName.class, "run(Map)", "#ids is of type Map, whose entries", "#ids['id']"),
				error(ParameterAsProperty.class, "run(Order)".replace("Order", "LockFindingsTests.Order"),
						"name = \"pay:${order.id}\"", "Did you mean #{#order.id}?"),
				error(EndlessLease.class, "run()", "timeout = -1", "Write autoRenew = true"),
				error(EndlessWait.class, "run()", "waitTime = -1", "No call waits forever."),
				error(TwoLeases.class, "run()", "timeout = 30 is given as well", "Remove one of the two."),
				error(TwoAnswers.class, "run()", "onContention = SKIP is given as well", "Remove one of the two."),
				error(TwoLocks.class, "run()", "Two annotations of the method have this name",
						"Remove one of the annotations, or give each a condition."),
				error(LockedFallback.class, "run()", "other() has a @DistributedLock of its own",
						"Name a method without a lock"),
				error(LateResponse.class, "run()", "@DistributedLock cannot work. It is not known",
						"CompletableFuture"),
				error(NumericCondition.class, "run(int)", "does not give true or false", "#amount > 100"));
	}

	private static Arguments error(Class<?> bean, String location, String problem, String action) {
		return Arguments.of(bean, location, problem, action);
	}

	@ParameterizedTest
	@MethodSource("warnings")
	void whatIsProbablyNotMeantIsAWarning(Class<?> bean, String problem, String action, CapturedOutput output) {
		start(bean).close();
		assertThat(output.toString().lines().filter((line) -> line.contains("WARN"))).singleElement()
			.asString()
			.contains(bean.getName())
			.contains(problem)
			.contains(action);
	}

	static Stream<Arguments> warnings() {
		return Stream.of(
				Arguments.of(Braces.class, "@DistributedLock(name = \"pay:{orderId}\") is a literal",
						"Did you mean \"pay:#{#orderId}\"? If it is meant as written, quote it: \"'pay:{orderId}'\""),
				Arguments.of(BracesWithProperty.class, "is a literal",
						"Did you mean \"{shop}:#{#order.id}:#{#p0.customer.name}\"?"),
				Arguments.of(QuotedWhole.class, "is a literal", "Did you mean \"pay:#{#orderId}\"?"),
				Arguments.of(ShellVariable.class, "is a literal", "Did you mean \"pay:#{#orderId}\"?"),
				Arguments.of(Recursive.class, "It calls Recursive.named()", "another bean"),
				Arguments.of(ParameterName.class, "is a literal", "Did you mean \"#orderId\"?"),
				Arguments.of(ParameterPath.class, "is a literal", "Did you mean \"#order.id\"?"),
				Arguments.of(Call.class, "is a literal", "Did you mean \"#root.target.currentTenant()\"?"),
				Arguments.of(Milliseconds.class, "@DistributedLock(timeout = 30000) is 8h20m: numbers are seconds",
						"write timeout = 30, or timeUnit = TimeUnit.MILLISECONDS. If not, write timeoutString = \"8h20m\""),
				Arguments.of(PropertyOfASubclass.class, "reads total of " + Customer.class.getName(),
						"If only a subclass has it"),
				Arguments.of(ManyFutures.class, "Its result is a List that contains CompletableFuture", "allOf"),
				Arguments.of(LateStream.class, "Its result is a CompletableFuture that contains Stream",
						"Return the values"),
				Arguments.of(PublisherByKey.class, "Its result is a Map that contains Mono", "Return the values"),
				Arguments.of(ArrayOfStreams.class, "Its result is a Stream[] that contains Stream",
						"Return the values"),
				Arguments.of(LateElements.class, "Its result is of type Iterable", "Return a collection"),
				Arguments.of(LateBytes.class, "Its result is of type InputStream", "Return a collection"),
				Arguments.of(LateWork.class, "Its result is of type Runnable", "Return a collection"),
				Arguments.of(AnnotatedClass.class, "has @PostConstruct", "ApplicationReadyEvent"),
				Arguments.of(Cached.class, "a call that would find its answer in the cache takes the lock",
						"Cache.get(key, loader)"));
	}

	@Test
	void whatAMethodOfADefinitionInitializesIsAnError() {
		assertThatExceptionOfType(LockValidationException.class)
			.isThrownBy(() -> start(Initialized.class, "begin", "end").close())
			.satisfies((ex) -> assertThat(ex.getFindings()).extracting(LockFinding::problem)
				.anyMatch((problem) -> problem.contains("is the init method of bean 'bean'"))
				.anyMatch((problem) -> problem.contains("is the destroy method of bean 'bean'"))
				.hasSize(2));
		start(Initialized.class).close();
	}

	@Test
	void anAspectIsAnError() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean("locks", RecordingLockService.class);
		LockFixture.applyLocks(context, LockValidation.FAIL);
		context.register(Aspects.class);
		context.registerBean("bean", Advice.class);
		try (context) {
			assertThatExceptionOfType(LockValidationException.class).isThrownBy(context::refresh)
				.withMessageContaining("Advice.run(): The class is an aspect, and Spring makes no proxies for aspects")
				.withMessageNotContaining("so early");
		}
	}

	@Test
	void whatIsRightIsNotReported(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = start(Clean.class)) {
			assertThat(context.getBean(Clean.class)).isNotNull();
		}
		assertThat(output).doesNotContain("WARN");
	}

	@Test
	void aQuotedLiteralIsTheNameAndItsDeclaredName() {
		try (AnnotationConfigApplicationContext context = start(Clean.class)) {
			context.getBean(Clean.class).quoted("x");
			assertThat(context.getBean(RecordingLockService.class).log).contains("acquire pay:{orderId}");
			assertThat(context.getBean(DeclaredLocks.class).declared())
				.anyMatch((lock) -> lock.declaredName().equals("pay:{orderId}"));
		}
	}

	@Test
	void parametersAreThoseOfTheMethodThatHasTheAnnotation() {
		try (AnnotationConfigApplicationContext context = start(Ship.class)) {
			Shipping shipping = context.getBean(Shipping.class);
			shipping.ship(new Order(7, true), "north");
			shipping.swap("first", "second");
			assertThat(context.getBean(RecordingLockService.class).log).contains("acquire ship:7:north",
					"acquire first");
		}
	}

	@Test
	@DisplayName("An unknown variable in the annotation of an interface is reported with the place of the annotation")
	void unknownVariableIsReportedWithThePlaceOfTheAnnotation() {
		assertThatExceptionOfType(LockValidationException.class).isThrownBy(() -> start(Misspelt.class).close())
			.withMessageContaining("Misspelt.run(String)")
			.withMessageContaining("The annotation is on LockFindingsTests.Runner.run(String).")
			.withMessageContaining("Did you mean #orderId?")
			.withMessageContaining("#orderId")
			.withMessageContaining("#id");
	}

	private static AnnotationConfigApplicationContext start(Class<?> bean, String... initAndDestroy) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.register(Caching.class);
		context.registerBean("locks", RecordingLockService.class);
		context.registerBean("tenants", Map.class, Map::of);
		LockFixture.applyLocks(context, LockValidation.FAIL);
		context.registerBean("bean", bean, (definition) -> {
			if (initAndDestroy.length > 0) {
				definition.setInitMethodName(initAndDestroy[0]);
				definition.setDestroyMethodName(initAndDestroy[1]);
			}
		});
		try {
			context.refresh();
			return context;
		}
		catch (RuntimeException ex) {
			context.close();
			throw ex;
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(proxyTargetClass = true)
	static class Caching {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

	public record Order(long id, boolean paid) {
	}

	public static class Customer {

		public String getName() {
			return "Ann";
		}

	}

	static class AfterConstruction {

		@PostConstruct
		@DistributedLock(name = "warm-up")
		public void warmUp() {
		}

	}

	static class BeforeDestruction {

		@PreDestroy
		@DistributedLock(name = "flush")
		public void flush() {
		}

	}

	static class Initializing implements InitializingBean {

		@Override
		@DistributedLock(name = "warm-up")
		public void afterPropertiesSet() {
		}

	}

	static class Disposable implements DisposableBean {

		@Override
		@DistributedLock(name = "flush")
		public void destroy() {
		}

	}

	static class Initialized {

		@DistributedLock(name = "begin")
		public void begin() {
		}

		@DistributedLock(name = "end")
		public void end() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Declaring {

		@Bean
		@DistributedLock(name = "text")
		String text() {
			return "text";
		}

	}

	static class MissingBean {

		@DistributedLock("@tenant.of(#id)")
		public void run(long id) {
		}

	}

	static class MissingQuotedBean {

		@DistributedLock("'a:' + @'no.tenant'.of(#id)")
		public void run(long id) {
		}

	}

	static class MissingProperty {

		@DistributedLock("'order:' + #order.idd")
		public void run(Order order) {
		}

	}

	static class MissingMethod {

		@DistributedLock("order:#{#order.idd()}")
		public void run(Order order) {
		}

	}

	static class MissingInCondition {

		@DistributedLock(name = "x", condition = "#order.payd")
		public void run(Order order) {
		}

	}

	static class MissingInOptional {

		@DistributedLock("#order.get().idd")
		public void run(Optional<Order> order) {
		}

	}

	static class MissingOnRoot {

		@DistributedLock("'x:' + #root.methodName")
		public void run() {
		}

	}

	static class ForgottenMark {

		@DistributedLock("'x:' + orderId")
		public void run(String orderId) {
		}

	}

	static class TextualCondition {

		@DistributedLock(name = "x", condition = "#text + 'a'")
		public void run(String text) {
		}

	}

	static class NumericCondition {

		@DistributedLock(name = "x", condition = "#amount")
		public void run(int amount) {
		}

	}

	static class Braces {

		@DistributedLock("pay:{orderId}")
		public void run(String orderId) {
		}

	}

	static class BracesWithProperty {

		@DistributedLock("{shop}:{order.id}:{p0.customer.name}")
		public void run(Order order) {
		}

	}

	static class ParameterName {

		@DistributedLock("orderId")
		public void run(String orderId) {
		}

	}

	static class ParameterPath {

		@DistributedLock("order.id")
		public void run(Order order) {
		}

	}

	static class Call {

		@DistributedLock("currentTenant()")
		public void run() {
		}

	}

	static class Milliseconds {

		@DistributedLock(name = "x", timeout = 30000)
		public void run() {
		}

	}

	static class PropertyOfASubclass {

		@DistributedLock("#customer.total")
		public void run(Customer customer) {
		}

	}

	@DistributedLock
	static class AnnotatedClass {

		@PostConstruct
		public void warmUp() {
		}

		public void run() {
		}

	}

	static class Cached {

		@Cacheable("books")
		@DistributedLock(name = "'book:' + #isbn")
		public String book(String isbn) {
			return isbn;
		}

	}

	/**
	 * All that may be written and is right.
	 */
	static class CollectionInName {

		@DistributedLock("'order:' + #ids")
		public void run(List<Long> ids) {
		}

	}

	static class ArrayInName {

		@DistributedLock("order:#{#ids}")
		public void run(long[] ids) {
		}

	}

	static class MapInName {

		@DistributedLock("'order:' + #ids")
		public void run(Map<String, Long> ids) {
		}

	}

	static class ParameterAsProperty {

		@DistributedLock("pay:${order.id}")
		public void run(Order order) {
		}

	}

	static class EndlessLease {

		@DistributedLock(timeout = -1)
		public void run() {
		}

	}

	static class EndlessWait {

		@DistributedLock(waitTime = -1)
		public void run() {
		}

	}

	static class TwoLeases {

		@DistributedLock(timeout = 30, timeoutString = "1m")
		public void run() {
		}

	}

	static class TwoAnswers {

		@DistributedLock(onContention = OnContention.SKIP, fallbackMethod = "other")
		public void run() {
		}

		void other() {
		}

	}

	static class TwoLocks {

		@DistributedLock(name = "nightly", timeout = 10)
		@DistributedLock(name = "nightly", timeout = 20)
		public void run() {
		}

	}

	static class LockedFallback {

		@DistributedLock(fallbackMethod = "other")
		public void run() {
		}

		@DistributedLock
		public void other() {
		}

	}

	static class QuotedWhole {

		@DistributedLock("'pay:#orderId'")
		public void run(long orderId) {
		}

	}

	static class ShellVariable {

		@DistributedLock("pay:$orderId")
		public void run(long orderId) {
		}

	}

	static class Recursive {

		@DistributedLock("tree")
		public void fixed(int depth) {
			if (depth > 0) {
				fixed(depth - 1);
			}
		}

		@DistributedLock("'tree:' + #depth")
		public void named(int depth) {
			if (depth > 0) {
				named(depth - 1);
			}
		}

	}

	static class LateResponse {

		@DistributedLock("late")
		public Callable<String> run() {
			return () -> "done";
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy(proxyTargetClass = true)
	static class Aspects {

	}

	@Aspect
	static class Advice {

		@DistributedLock("advice")
		public void run() {
		}

	}

	static class ManyFutures {

		@DistributedLock
		public List<CompletableFuture<String>> run() {
			return List.of();
		}

	}

	static class LateStream {

		@DistributedLock
		public CompletableFuture<Stream<String>> run() {
			return CompletableFuture.completedFuture(Stream.of());
		}

	}

	static class PublisherByKey {

		@DistributedLock
		public Map<String, Mono<String>> run() {
			return Map.of();
		}

	}

	static class ArrayOfStreams {

		@DistributedLock
		public Stream<?>[] run() {
			return new Stream<?>[0];
		}

	}

	static class LateElements {

		@DistributedLock
		public Iterable<String> run() {
			return List.of();
		}

	}

	static class LateBytes {

		@DistributedLock
		public InputStream run() {
			return InputStream.nullInputStream();
		}

	}

	static class LateWork {

		@DistributedLock
		public Runnable run() {
			return () -> {
			};
		}

	}

	static class Clean {

		@DistributedLock(name = "'big:' + #a", condition = "#a > 9", timeout = 300)
		@DistributedLock(name = "'big:' + #a", condition = "#a <= 9")
		public <T extends Comparable<T>> List<T> conditions(int a) {
			return List.of();
		}

		@DistributedLock("'pay:{orderId}'")
		public void quoted(String orderId) {
		}

		@DistributedLock("app:{shop}:nightly report (v2.1) user@host")
		public void literal(String orderId) {
		}

		@DistributedLock("'a:' + #order.id + #order.id() + #root.target.class.name + #root.args.length + #root.args[0].paid")
		public void members(Order order) {
		}

		@DistributedLock("#orders.![#this.id + ':' + id] + #orders.?[paid].size() + #byName['x'].id")
		public void elements(List<Order> orders, Map<String, Order> byName) {
		}

		@DistributedLock("#order.get().id + T(java.lang.Math).abs(#order.hashCode()) + T(java.lang.String).simpleName")
		public void generics(Optional<Order> order) {
		}

		@DistributedLock(name = "'x:' + @tenants.size() + @'tenants'.isEmpty()", condition = "#order?.paid")
		public void beans(@Nullable Order order) {
		}

		@DistributedLock(name = "#anything.whatever", condition = "#anything")
		public void unknownType(Object anything) {
		}

		@DistributedLock(name = "targetClass.simpleName + method.name", timeout = 3600, waitTime = 60,
				condition = "#a > 1 and not #b")
		public void root(int a, boolean b) {
		}

		@DistributedLock(name = "x", timeoutString = "5000s", condition = "'true'")
		public void texts() {
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

	public interface Runner {

		@DistributedLock(name = "'x:' + #oderId")
		void run(String orderId);

	}

	static class Misspelt implements Runner {

		@Override
		public void run(String id) {
		}

	}

}
