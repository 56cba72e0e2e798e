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

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.distributedlock.example.DocumentedTable;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.annotation.Observed;
import io.micrometer.observation.aop.ObservedAspect;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.constraints.NotBlank;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

import org.springframework.aop.framework.AbstractAdvisingBeanPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Role;
import org.springframework.resilience.InvocationRejectedException;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.validation.annotation.Validated;
import org.springframework.validation.beanvalidation.LocalValidatorFactoryBean;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for the order of a lock among the advice of Spring: one for each row of the table
 * in docs/annotation.md.
 */
@Timeout(60)
class AdviceOrderTests {

	private final RecordingLockService locks = new RecordingLockService();

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	@AfterEach
	void close() {
		this.context.close();
		SecurityContextHolder.clearContext();
	}

	private <T> T start(Class<T> bean, Class<?>... configurations) {
		this.context.registerBean(RecordingLockService.class, () -> this.locks);
		this.context.register(DistributedLockConfiguration.class);
		for (Class<?> configuration : configurations) {
			this.context.register(configuration);
		}
		this.context.register(bean);
		this.context.refresh();
		return this.context.getBean(bean);
	}

	@Test
	void scheduledMethodIsCalledWithItsLock() {
		start(ScheduledJob.class, Scheduling.class);
		await().untilAsserted(() -> assertThat(this.locks.log).containsExactly("acquire job", "release job"));
	}

	@Test
	void asynchronousMethodIsLockedInTheThreadOfTheExecutor() {
		List<String> threads = new ArrayList<>();
		this.locks.beforeAcquire = () -> threads.add(Thread.currentThread().getName());
		CompletableFuture<String> result = start(AsyncJob.class, Asynchronous.class).run();
		assertThat(result.join()).isEqualTo("done");
		assertThat(threads).singleElement().asString().startsWith("worker-");
	}

	@Test
	void eachAttemptOfARetriedMethodIsLocked() {
		start(RetriedJob.class, Resilience.class).run();
		assertThat(this.locks.log).containsExactly("acquire job", "waive job", "release job", "acquire job",
				"release job");
	}

	@Test
	void callBeyondAConcurrencyLimitDoesNotAskForTheLock() throws Exception {
		LimitedJob job = start(LimitedJob.class, Resilience.class);
		CompletableFuture<Void> first = CompletableFuture.runAsync(job::run);
		await().until(() -> this.locks.log.contains("acquire job"));
		assertThatExceptionOfType(InvocationRejectedException.class).isThrownBy(job::run);
		job.end();
		first.join();
		assertThat(this.locks.log).containsExactly("acquire job", "release job");
	}

	@Test
	void unauthorizedCallDoesNotAskForTheLock() {
		SecuredJob job = start(SecuredJob.class, Security.class);
		SecurityContextHolder.getContext()
			.setAuthentication(new TestingAuthenticationToken("user", "password", "ROLE_USER"));
		assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(job::run);
		assertThat(this.locks.log).isEmpty();
		SecurityContextHolder.getContext()
			.setAuthentication(new TestingAuthenticationToken("admin", "password", "ROLE_ADMIN"));
		job.run();
		assertThat(this.locks.log).containsExactly("acquire job", "release job");
	}

	@Test
	void invalidCallDoesNotAskForTheLock() {
		ValidatedJob job = start(ValidatedJob.class, Validation.class);
		assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> job.run(null));
		assertThat(this.locks.log).isEmpty();
		this.locks.busy.add("skipped");
		assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> job.skip(""));
		assertThat(this.locks.log).isEmpty();
		assertThat(job.skip("valid")).isNull();
		assertThat(job.run("valid")).isEqualTo("done");
		assertThat(this.locks.log).containsExactly("busy skipped", "acquire job:valid", "release job:valid");
	}

	@Test
	void adviceOfALowerOrderThatIsAppendedComesOutsideTheLock() {
		List<String> log = this.locks.log;
		this.context.registerBean(Appending.class, () -> new Appending(-1, log));
		this.context.registerBean(Appending.class.getName() + "#inside", Appending.class,
				() -> new Appending(Integer.MAX_VALUE, log));
		start(Job.class).run();
		assertThat(log).containsExactly("advice of order -1", "acquire job", "advice of order 2147483647",
				"release job");
	}

	@Test
	void transactionBeginsAndEndsUnderTheLock() {
		List<Boolean> active = new ArrayList<>();
		this.locks.beforeAcquire = () -> active.add(TransactionSynchronizationManager.isActualTransactionActive());
		assertThat(start(TransactionalJob.class, Transactions.class).run()).isTrue();
		assertThat(active).containsExactly(false);
		assertThat(this.locks.log).containsExactly("acquire job", "release job");
	}

	@Test
	void cacheIsAskedUnderTheLock() {
		CachedJob job = start(CachedJob.class, Caching.class);
		assertThat(job.run()).isEqualTo(1);
		assertThat(job.run()).isEqualTo(1);
		assertThat(this.locks.log).containsExactly("acquire job", "release job", "acquire job", "release job");
	}

	@Test
	void observationBeginsUnderTheLock() {
		List<String> log = this.locks.log;
		this.context.registerBean(ObservationRegistry.class, () -> {
			ObservationRegistry registry = ObservationRegistry.create();
			registry.observationConfig().observationHandler(new LoggingHandler(log));
			return registry;
		});
		start(ObservedJob.class, Observing.class).run();
		assertThat(log).containsExactly("acquire job", "start observation", "stop observation", "release job");
	}

	@Test
	void documentationHasARowForEachOfTheseTests(TestInfo test) {
		Set<String> named = DocumentedTable.of("annotation.md", "Among other annotations")
			.rows()
			.stream()
			// Tested with the module of leadership
			.filter((row) -> !row.get(0).contains("@LeaderOnly"))
			.map(DocumentedTable::testOf)
			.filter((name) -> !name.isEmpty())
			.collect(Collectors.toCollection(TreeSet::new));
		named.add(test.getTestMethod().orElseThrow().getName());
		assertThat(named).isEqualTo(DocumentedTable.testsOf(getClass()));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

	}

	static class ScheduledJob {

		@Scheduled(initialDelay = 0, fixedDelay = 3_600_000)
		@DistributedLock(name = "job", onContention = OnContention.SKIP)
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class Asynchronous {

		@Bean
		ThreadPoolTaskExecutor taskExecutor() {
			ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
			executor.setThreadNamePrefix("worker-");
			return executor;
		}

	}

	static class AsyncJob {

		@Async
		@DistributedLock("job")
		public CompletableFuture<String> run() {
			return CompletableFuture.completedFuture("done");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Resilience {

	}

	static class RetriedJob {

		private final AtomicInteger attempts = new AtomicInteger();

		@Retryable(maxRetries = 1, delay = 0)
		@DistributedLock("job")
		public void run() {
			if (this.attempts.incrementAndGet() == 1) {
				throw new IllegalStateException("thrown by the test");
			}
		}

	}

	static class LimitedJob {

		private final CountDownLatch end = new CountDownLatch(1);

		@ConcurrencyLimit(limit = 1, policy = ConcurrencyLimit.ThrottlePolicy.REJECT)
		@DistributedLock("job")
		public void run() {
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		public void end() {
			this.end.countDown();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableMethodSecurity
	static class Security {

	}

	static class SecuredJob {

		@PreAuthorize("hasRole('ADMIN')")
		@DistributedLock("job")
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Validation {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static LocalValidatorFactoryBean validator() {
			return new LocalValidatorFactoryBean();
		}

		@Bean
		static MethodValidationPostProcessor methodValidationPostProcessor(
				ObjectProvider<jakarta.validation.Validator> validator) {
			MethodValidationPostProcessor processor = new MethodValidationPostProcessor();
			processor.setValidatorProvider(validator);
			return processor;
		}

	}

	@Validated
	static class ValidatedJob {

		@DistributedLock("job:#{#id}")
		public String run(@NotBlank @Nullable String id) {
			return "done";
		}

		@DistributedLock(name = "skipped", onContention = OnContention.SKIP)
		public @Nullable String skip(@NotBlank String id) {
			return "done";
		}

	}

	static class Job {

		@DistributedLock("job")
		public void run() {
		}

	}

	/**
	 * Appends advice to proxies, as that of method validation does.
	 */
	static class Appending extends AbstractAdvisingBeanPostProcessor {

		private static final long serialVersionUID = 1L;

		Appending(int order, List<String> log) {
			DefaultPointcutAdvisor appended = new DefaultPointcutAdvisor(new StaticMethodMatcherPointcut() {

				@Override
				public boolean matches(Method method, Class<?> targetClass) {
					return targetClass == Job.class && method.getName().equals("run");
				}

			}, (MethodInterceptor) (invocation) -> {
				log.add("advice of order " + order);
				return invocation.proceed();
			});
			appended.setOrder(order);
			this.advisor = appended;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Transactions {

		@Bean
		PlatformTransactionManager transactionManager() {
			return new WithoutDatabase();
		}

	}

	static final class WithoutDatabase extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		@Override
		protected Object doGetTransaction() {
			return this;
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

	static class TransactionalJob {

		@Transactional
		@DistributedLock("job")
		public boolean run() {
			return TransactionSynchronizationManager.isActualTransactionActive();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class Caching {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

	static class CachedJob {

		private final AtomicInteger runs = new AtomicInteger();

		@Cacheable("jobs")
		@DistributedLock("job")
		@SuppressLockWarnings
		public int run() {
			return this.runs.incrementAndGet();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAspectJAutoProxy
	static class Observing {

		@Bean
		ObservedAspect observedAspect(ObservationRegistry registry) {
			return new ObservedAspect(registry);
		}

	}

	static class ObservedJob {

		@Observed
		@DistributedLock("job")
		public void run() {
		}

	}

	private record LoggingHandler(List<String> log) implements ObservationHandler<Observation.Context> {

		@Override
		public void onStart(Observation.Context context) {
			this.log.add("start observation");
		}

		@Override
		public void onStop(Observation.Context context) {
			this.log.add("stop observation");
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

}
