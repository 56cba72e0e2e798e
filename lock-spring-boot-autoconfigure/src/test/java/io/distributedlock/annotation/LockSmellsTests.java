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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.awspring.cloud.sqs.annotation.SqsHandler;
import io.awspring.cloud.sqs.annotation.SqsListener;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptionsCustomizer;
import kotlin.Pair;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.amqp.rabbit.annotation.RabbitHandler;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.Caching;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.pulsar.annotation.PulsarListener;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.web.bind.annotation.GetMapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the warnings about locks that work, but do not fit what calls the method, or
 * are named or timed in a way that is seldom meant; and for silencing them.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockSmellsTests {

	private static final String ERROR_PER_RUN = "It is @Scheduled, and a run that finds the lock held throws a LockNotAcquiredException: every instance but one logs an ERROR for each run.";

	private static final String RUNS_TWICE = "It is @Scheduled with a cron expression, and its lock has no minHold: if the work takes less time than the clocks of two instances differ, both do it.";

	private static final String RUNS_IN_EACH = "It is @Scheduled with a fixed rate, and its lock has no minHold: instances that started at different times find the lock free, and each does the work in every period.";

	private static final String ALL_FIELDS = ", whose text has the values of several fields: when one of them changes, the same object gets another lock, and can have two holders.";

	private static final String SKIP = "Write onContention = OnContention.SKIP.";

	private static final String MIN_HOLD = "Add minHold, longer than the clocks may differ and shorter than the time between two runs, as in minHoldString = \"5s\".";

	private static final String WAIT = "Set waitTime to longer than the lock is usually held. Or name a fallbackMethod that sends the message back with a delay.";

	private static final String FAILS = "and a message that finds the lock held fails with a LockNotAcquiredException: ";

	private static final String HANGS = "and renews its lease without a maxHold: work that hangs keeps the lock for as long as its instance lives.";

	private static final String MAX_HOLD = "Add maxHold, longer than the work ever takes, as in maxHoldString = \"1h\". Or set 'distributed-lock.defaults.max-hold'.";

	private static final String NO_PREFIX = " is a value without a prefix: locks for different things, such as order 5 and user 5, are then the same lock.";

	private static final String LOOK_AGAIN = "Look into the cache, lock, and look again: put @Cacheable on a method of another bean, which calls this one, and use Cache.get(key, loader) under the lock.";

	@ParameterizedTest
	@MethodSource("smells")
	void aSmellIsAWarning(Class<?> bean, String problem, String action, CapturedOutput output) {
		start(bean);
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains(bean.getName() + ".run(")
			.endsWith("): " + problem + " " + action);
	}

	static Stream<Arguments> smells() {
		return Stream.of(Arguments.of(RefusedSchedule.class, ERROR_PER_RUN, SKIP),
				Arguments.of(RefusedSchedules.class, ERROR_PER_RUN, SKIP),
				Arguments.of(RefusedMetaSchedule.class, ERROR_PER_RUN, SKIP),
				Arguments.of(ShortCronJob.class, RUNS_TWICE, MIN_HOLD),
				Arguments.of(ShortNightlyJob.class, RUNS_TWICE, MIN_HOLD),
				Arguments.of(ShortRate.class, RUNS_IN_EACH,
						"Add minHold, a little shorter than the period. Or use a cron expression."),
				Arguments.of(ShortRateText.class, RUNS_IN_EACH,
						"Add minHold, a little shorter than the period. Or use a cron expression."),
				Arguments.of(LongHold.class,
						"It is @Scheduled every 10s, and the minHold of its lock is not shorter: the next run finds the lock held.",
						"Choose a minHold that is a little shorter than the period."),
				Arguments.of(PermitsOfOne.class, "It sets permits = 1, which a lock has anyway.", "Remove permits."),
				Arguments.of(DifferentPermits.class,
						"It allows 5 holders of lock 'export', and io.distributedlock.annotation.LockSmellsTests$DifferentPermits.fewer() allows 3: the smaller number applies as long as a caller that asked for it holds the lock.",
						"Give both the same permits, for example with a placeholder in permitsString."),
				Arguments.of(OnlyShared.class,
						"It locks 'index' shared, and no method locks it exclusively: it keeps nobody out.",
						"Lock it exclusively where it is written. If that happens elsewhere, say so with @SuppressLockWarnings."),
				Arguments.of(SkippedRequest.class,
						"It answers requests, and one that finds the lock held is skipped with status 200 and an empty body: the client assumes success.",
						"Remove onContention = OnContention.SKIP to answer with status 409. Or name a fallbackMethod that gives the answer."),
				Arguments.of(AsyncText.class,
						"It is @Async and returns String: Spring refuses to run such a method in another thread, and each call throws.",
						"Return void, or a CompletableFuture of the result."),
				Arguments.of(RecordInName.class,
						"@DistributedLock(name = \"'order:' + #order\") contains #order of type Order" + ALL_FIELDS,
						"Write the properties that identify it, as in #order.id, or give the class a toString() of its own with nothing else in it."),
				Arguments.of(RecordAsName.class,
						"@DistributedLock(name = \"order:#{#order}\") contains #order of type Order" + ALL_FIELDS,
						"Write the properties that identify it, as in #order.id, or give the class a toString() of its own with nothing else in it."),
				Arguments.of(DataClassInName.class,
						"@DistributedLock(name = \"'order:' + #order\") contains #order of type Pair" + ALL_FIELDS,
						"Write the properties that identify it, or give the class a toString() of its own with nothing else in it."),
				Arguments.of(TrailingBlank.class,
						"@DistributedLock(name = \"nightly \") begins or ends with a blank, which is a part of the name: it is another lock than \"nightly\".",
						"Remove the blank."),
				Arguments.of(RefusedRabbitListener.class, "It is a @RabbitListener, " + FAILS
						+ "the broker redelivers it immediately, again and again, until the lock is free, unless it is configured otherwise.",
						WAIT),
				Arguments.of(RefusedRabbitHandler.class, "It is a @RabbitHandler, " + FAILS
						+ "the broker redelivers it immediately, again and again, until the lock is free, unless it is configured otherwise.",
						WAIT),
				Arguments.of(RefusedKafkaListener.class, "It is a @KafkaListener, " + FAILS
						+ "the container tries it ten times without a pause, and then skips it, unless it is configured otherwise.",
						WAIT),
				Arguments.of(RefusedJmsListener.class,
						"It is a @JmsListener, " + FAILS
								+ "the broker delivers it again, and gives it up after a number of attempts.",
						WAIT),
				Arguments.of(RefusedKafkaHandler.class, "It is a @KafkaHandler, " + FAILS
						+ "the container tries it ten times without a pause, and then skips it, unless it is configured otherwise.",
						WAIT),
				Arguments.of(RefusedSqsListener.class, "It is a @SqsListener, " + FAILS
						+ "it is delivered again after its visibility timeout, and the attempt counts toward the dead-letter queue.",
						WAIT),
				Arguments.of(RefusedSqsHandler.class, "It is a @SqsHandler, " + FAILS
						+ "it is delivered again after its visibility timeout, and the attempt counts toward the dead-letter queue.",
						WAIT),
				Arguments.of(RefusedPulsarListener.class, "It is a @PulsarListener, " + FAILS
						+ "the broker delivers it again later, after a minute unless it is configured otherwise.",
						WAIT),
				Arguments.of(RefusedAfterCommit.class,
						"It is a @TransactionalEventListener, and an event that finds the lock held fails with a LockNotAcquiredException after the transaction: it is logged, and the publisher of the event does not learn of it.",
						"Set waitTime to longer than the lock is usually held. Or name a fallbackMethod that keeps the event for later."),
				Arguments.of(RefusedStart.class,
						"It listens to ApplicationReadyEvent, and throws a LockNotAcquiredException if it finds the lock held, which aborts the start-up: if several instances start together, only one of them survives.",
						"Write onContention = OnContention.SKIP, or set waitTime if each instance is to run it."),
				Arguments.of(HangingSchedule.class, "It is @Scheduled " + HANGS, MAX_HOLD),
				Arguments.of(HangingAsync.class, "It is @Async " + HANGS, MAX_HOLD),
				Arguments.of(HangingAsyncClass.class, "It is @Async " + HANGS, MAX_HOLD),
				Arguments.of(HangingListener.class, "It is a @KafkaListener " + HANGS, MAX_HOLD),
				Arguments.of(BareVariable.class, "@DistributedLock(name = \"#orderId\")" + NO_PREFIX,
						"Write \"'order:' + #orderId\"."),
				Arguments.of(BareTemplate.class, "@DistributedLock(name = \"#{#customer}\")" + NO_PREFIX,
						"Write \"customer:#{#customer}\"."),
				Arguments.of(BarePosition.class, "@DistributedLock(name = \"#p0\")" + NO_PREFIX,
						"Write \"'run:' + #p0\"."),
				Arguments.of(BareIds.class, "@DistributedLock(name = \"#orderIds\")" + NO_PREFIX,
						"Write \"#orderIds.!['order:' + #this]\"."),
				Arguments.of(BareNumber.class, "@DistributedLock(name = \"#order.number\")" + NO_PREFIX,
						"Write \"'order:' + #order.number\"."),
				Arguments.of(LockAroundCache.class,
						"It is @Cacheable as well, and the lock is outside the cache: a call that would find its answer in the cache takes the lock, and is refused or waits while the lock is held elsewhere.",
						LOOK_AGAIN),
				Arguments.of(TextInMilliseconds.class,
						"@DistributedLock(timeoutString = \"30000\") is 8h20m: numbers are seconds.",
						"If milliseconds are meant, write 30000ms. If not, write 8h20m."),
				Arguments.of(PropertyInMilliseconds.class,
						"@DistributedLock(timeoutString = \"${pay.lease}\") is 8h20m: numbers are seconds.",
						"If milliseconds are meant, write 30000ms. If not, write 8h20m."),
				Arguments.of(OddMilliseconds.class,
						"@DistributedLock(timeout = 5500) is 1h31m40s: numbers are seconds.",
						"If milliseconds are meant, write timeUnit = TimeUnit.MILLISECONDS. If not, write timeoutString = \"1h31m40s\"."));
	}

	@Test
	void aCacheAroundALockThatIsWaitedForIsAWarning(CapturedOutput output) {
		AnnotationConfigApplicationContext context = context(LockAroundCache.class);
		context.register(OuterCaching.class);
		refresh(context);
		assertThat(warnings(output)).isEmpty();
		context = context(CacheAroundWait.class);
		context.register(OuterCaching.class);
		refresh(context);
		assertThat(warnings(output)).singleElement()
			.asString()
			.endsWith(
					"It is @Cacheable as well, and the lock is inside the cache: a call that has waited for the lock does not look into the cache again, and does the work once more. "
							+ LOOK_AGAIN);
	}

	@ParameterizedTest
	@ValueSource(classes = { Schedules.class, Listeners.class, Background.class, Names.class, Durations.class,
			Caches.class, Company.class })
	void whatFollowsTheAdviceHasNoWarning(Class<?> bean, CapturedOutput output) {
		start(bean);
		assertThat(warnings(output)).isEmpty();
	}

	@Test
	void aTextOfAllFieldsIsToldOnceWhenACallGivesIt(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = context(AnyObject.class)) {
			context.refresh();
			AnyObject bean = context.getBean(AnyObject.class);
			bean.run(List.of("a", new Text("b")));
			assertThat(warnings(output)).isEmpty();
			bean.run(List.of("a", new Order(1, "b", new UUID(2, 3))));
			bean.run(List.of(new Order(2, "b", new UUID(2, 3))));
			bean.silent(new Order(2, "b", new UUID(2, 3)));
		}
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("run(Object)")
			.contains("gave an object for #this of " + Order.class.getName() + ALL_FIELDS);
	}

	@Test
	void theAdviceForACollectionNamesEachElement() {
		try (AnnotationConfigApplicationContext context = context(Names.class)) {
			context.refresh();
			context.getBean(Names.class).each(List.of(1L, 2L));
			assertThat(context.getBean(RecordingLockService.class).log)
				.anyMatch((line) -> line.contains("order:1") && line.contains("order:2"));
		}
	}

	@Test
	void whatTheConfigurationSaysCounts(CapturedOutput output) {
		LockOptionsCustomizer settings = (name, options) -> options.withMinHold(Duration.ofSeconds(5));
		AnnotationConfigApplicationContext context = context(ShortCronJob.class);
		context.registerBean(LockOptionsCustomizer.class, () -> settings);
		refresh(context);
		assertThat(warnings(output)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(classes = { SilentMethods.class, SilentClass.class, SilentByInterface.class, SilentByMeta.class })
	void warningsThatAreSuppressedAreNotGiven(Class<?> bean, CapturedOutput output) {
		start(bean);
		assertThat(warnings(output)).isEmpty();
	}

	@Test
	void otherMethodsAndErrorsAreNotSuppressed(CapturedOutput output) {
		start(PartlySilent.class);
		assertThat(warnings(output)).singleElement().asString().contains("PartlySilent.run(long)");
		assertThatExceptionOfType(LockValidationException.class).isThrownBy(() -> start(SilentError.class))
			.withMessageContaining("SilentError.run(): The method is final")
			.withMessageNotContaining("caller()");
	}

	private static List<String> warnings(CapturedOutput output) {
		return output.toString().lines().filter((line) -> line.contains("WARN")).toList();
	}

	private static void start(Class<?> bean) {
		refresh(context(bean));
	}

	private static AnnotationConfigApplicationContext context(Class<?> bean) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("leases", Map.of("pay.lease", "30000")));
		context.register(InnerCaching.class);
		context.registerBean("cacheManager", ConcurrentMapCacheManager.class);
		context.registerBean("locks", RecordingLockService.class);
		LockFixture.applyLocks(context, LockValidation.FAIL);
		context.registerBean("bean", bean);
		return context;
	}

	private static void refresh(AnnotationConfigApplicationContext context) {
		try (context) {
			context.refresh();
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

	record Order(long number, String lock, UUID id) {
	}

	static class PermitsOfOne {

		@DistributedLock(permits = 1)
		public void run() {
		}

	}

	static class DifferentPermits {

		@DistributedLock(name = "'export'", permits = 3)
		public void fewer() {
		}

		@DistributedLock(name = "'export'", permits = 5)
		public void run() {
		}

	}

	static class OnlyShared {

		@DistributedLock(name = "'index'", mode = LockMode.SHARED)
		public void run() {
		}

	}

	static class Company {

		@DistributedLock(name = "'export'", permits = 3)
		public void export() {
		}

		@DistributedLock(name = "'export'", permitsString = "#parallel")
		public void exportParallel(int parallel) {
		}

		@DistributedLock(name = "'index'", mode = LockMode.SHARED)
		public void read() {
		}

		@DistributedLock(name = "'index:' + #id", mode = LockMode.SHARED)
		public void read(String id) {
		}

		@DistributedLock(name = "'index'")
		public void write() {
		}

		@SuppressLockWarnings
		@DistributedLock(name = "'catalogue'", mode = LockMode.SHARED)
		public void catalogue() {
		}

	}

	static class RefusedSchedule {

		@Scheduled(fixedDelay = 5000)
		@DistributedLock
		public void run() {
		}

	}

	static class RefusedSchedules {

		@Scheduled(cron = "0 0 3 * * *")
		@Scheduled(fixedDelay = 5000)
		@DistributedLock
		public void run() {
		}

	}

	static class RefusedMetaSchedule {

		@EveryMinute
		@DistributedLock
		public void run() {
		}

	}

	static class ShortCronJob {

		@Scheduled(cron = "${job.cron:0 0 3 * * *}")
		@DistributedLock(onContention = OnContention.SKIP)
		public void run() {
		}

	}

	static class ShortRate {

		@Scheduled(fixedRate = 60_000)
		@DistributedLock(onContention = OnContention.SKIP)
		public void run() {
		}

	}

	static class ShortRateText {

		@Scheduled(fixedRateString = "PT1M")
		@DistributedLock(onContention = OnContention.SKIP)
		public void run() {
		}

	}

	static class LongHold {

		@Scheduled(fixedRate = 10, timeUnit = TimeUnit.SECONDS)
		@DistributedLock(onContention = OnContention.SKIP, minHold = 10)
		public void run() {
		}

	}

	static class SkippedRequest {

		@GetMapping("/run")
		@DistributedLock(onContention = OnContention.SKIP)
		public @Nullable String run() {
			return null;
		}

	}

	static class AsyncText {

		@Async
		@DistributedLock
		public String run() {
			return "done";
		}

	}

	static class RecordInName {

		@DistributedLock("'order:' + #order")
		public void run(Order order) {
		}

	}

	static class RecordAsName {

		@DistributedLock("order:#{#order}")
		public void run(Order order) {
		}

	}

	static class DataClassInName {

		@DistributedLock("'order:' + #order")
		public void run(Pair<Long, String> order) {
		}

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

	static class TrailingBlank {

		@DistributedLock("nightly ")
		public void run() {
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

	static class ShortNightlyJob {

		@NightlyJob
		public void run() {
		}

	}

	static class RefusedRabbitListener {

		@RabbitListener(queues = "orders")
		@DistributedLock("'order:' + #order")
		public void run(String order) {
		}

	}

	@RabbitListener(queues = "orders")
	static class RefusedRabbitHandler {

		@RabbitHandler
		@DistributedLock("'order:' + #order")
		public void run(String order) {
		}

	}

	static class RefusedKafkaListener {

		@KafkaListener(topics = "orders")
		@DistributedLock("'order:' + #order")
		public void run(String order) {
		}

	}

	static class RefusedJmsListener {

		@JmsListener(destination = "orders")
		@DistributedLock("'order:' + #order")
		public void run(String order) {
		}

	}

	static class RefusedKafkaHandler {

		@KafkaHandler
		@DistributedLock("'order:' + #order")
		public void run(String order) {
		}

	}

	static class RefusedSqsListener {

		@SqsListener("orders")
		@DistributedLock("'order:' + #order")
		public void run(String order) {
		}

	}

	static class RefusedSqsHandler {

		@SqsHandler
		@DistributedLock("'order:' + #order")
		public void run(String order) {
		}

	}

	static class RefusedPulsarListener {

		@PulsarListener(topics = "orders")
		@DistributedLock("'order:' + #order")
		public void run(String order) {
		}

	}

	static class RefusedAfterCommit {

		@TransactionalEventListener
		@DistributedLock("'order:' + #order.id")
		public void run(Order order) {
		}

	}

	static class RefusedStart {

		@EventListener
		@DistributedLock
		public void run(ApplicationReadyEvent event) {
		}

	}

	static class HangingSchedule {

		@Scheduled(fixedDelay = 5000)
		@DistributedLock(autoRenew = true, onContention = OnContention.SKIP)
		public void run() {
		}

	}

	static class HangingAsync {

		@Async
		@DistributedLock(autoRenew = true)
		public void run() {
		}

	}

	@Async
	static class HangingAsyncClass {

		@DistributedLock(autoRenew = true)
		public void run() {
		}

	}

	static class HangingListener {

		@KafkaListener(topics = "orders")
		@DistributedLock(name = "'order:' + #order", autoRenew = true, waitTime = 5)
		public void run(String order) {
		}

	}

	static class BareVariable {

		@DistributedLock("#orderId")
		public void run(String orderId) {
		}

	}

	static class BareTemplate {

		@DistributedLock("#{#customer}")
		public void run(long customer) {
		}

	}

	static class BarePosition {

		@DistributedLock("#p0")
		public void run(long id) {
		}

	}

	static class BareIds {

		@DistributedLock("#orderIds")
		public void run(List<Long> orderIds) {
		}

	}

	static class BareNumber {

		@DistributedLock("#order.number")
		public void run(Order order) {
		}

	}

	static class LockAroundCache {

		@Caching(cacheable = @Cacheable("books"))
		@DistributedLock(name = "'book:' + #isbn")
		public String run(String isbn) {
			return isbn;
		}

	}

	static class CacheAroundWait {

		@Cacheable("books")
		@DistributedLock(name = "'book:' + #isbn", waitTime = 5)
		public String run(String isbn) {
			return isbn;
		}

	}

	static class TextInMilliseconds {

		@DistributedLock(timeoutString = "30000")
		public void run() {
		}

	}

	static class PropertyInMilliseconds {

		@DistributedLock(timeoutString = "${pay.lease}")
		public void run() {
		}

	}

	static class OddMilliseconds {

		@DistributedLock(timeout = 5500)
		public void run() {
		}

	}

	static class Schedules {

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

		@Scheduled(cron = "0 0 3 * * *")
		@DistributedLock(onContention = OnContention.SKIP, waitTime = 5)
		public void cronInEachInstance() {
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

	static class Listeners {

		@RabbitListener(queues = "orders")
		@DistributedLock(name = "'order:' + #order", waitTime = 5)
		public void rabbit(String order) {
		}

		@KafkaListener(topics = "orders")
		@DistributedLock(name = "'order:' + #order", fallbackMethod = "later")
		public void kafka(String order) {
		}

		void later(String order) {
		}

		@RetryableTopic
		@KafkaListener(topics = "orders")
		@DistributedLock("'order:' + #order")
		public void kafkaWithDelay(String order) {
		}

		@JmsListener(destination = "orders")
		@DistributedLock(name = "'order:' + #order", onContention = OnContention.SKIP)
		public void jms(String order) {
		}

		@EventListener
		@DistributedLock("'order:' + #order.id")
		public void whoPublishesLearnsOfIt(Order order) {
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
		@EventListener(ApplicationReadyEvent.class)
		@DistributedLock
		public void besidesTheStart() {
		}

	}

	static class Background {

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

	static class Names {

		@DistributedLock("'order:' + #orderId")
		public void expression(long orderId) {
		}

		@DistributedLock("order:#{#orderId}")
		public void template(long orderId) {
		}

		@DistributedLock("#orderId")
		public void unique(UUID orderId) {
		}

		@DistributedLock("#lockName")
		public void wholeName(String lockName) {
		}

		@DistributedLock("#order.lock")
		public void wholeNameOfAnother(Order order) {
		}

		@DistributedLock("#order.id")
		public void uniquePath(Order order) {
		}

		@DistributedLock("#root.method.name")
		public void root() {
		}

		@DistributedLock("#orderIds.!['order:' + #this]")
		public void each(List<Long> orderIds) {
		}

		@DistributedLock("'text:' + #text + ':' + #own + ':' + #order.id")
		public void identity(Text text, OwnText own, Order order) {
		}

	}

	static class Durations {

		@DistributedLock(timeoutString = "30000ms")
		public void milliseconds() {
		}

		@DistributedLock(timeoutString = "${pay.lease}", timeUnit = TimeUnit.MILLISECONDS)
		public void unit() {
		}

		@DistributedLock(timeoutString = "8h20m")
		public void hours() {
		}

		@DistributedLock(timeout = 5400, waitTime = 3700)
		public void wholeMinutes() {
		}

	}

	static class Caches {

		@Cacheable("books")
		public String look(String isbn) {
			return isbn;
		}

		@DistributedLock("'book:' + #isbn")
		public String lock(String isbn) {
			return isbn;
		}

	}

	static class SilentMethods {

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

	}

	@SuppressLockWarnings
	static class SilentClass extends BareVariable {

		public void caller() {
			run("5");
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

	@Retention(RetentionPolicy.RUNTIME)
	@SuppressLockWarnings
	@DistributedLock("#p0")
	@interface Guarded {

	}

	static class SilentByMeta {

		@Guarded
		public void run(long orderId) {
		}

	}

	static class PartlySilent {

		@DistributedLock("#orderId")
		public void run(long orderId) {
		}

		@SuppressLockWarnings
		@DistributedLock("#orderId")
		public void silent(long orderId) {
		}

	}

	@SuppressLockWarnings
	static class SilentError {

		@DistributedLock
		public final void run() {
		}

		public void caller() {
			run();
		}

	}

}
