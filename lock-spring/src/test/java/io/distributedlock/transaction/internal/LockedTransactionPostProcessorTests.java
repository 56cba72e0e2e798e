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

package io.distributedlock.transaction.internal;

import java.time.Duration;
import java.util.function.Consumer;

import io.distributedlock.LockContext;
import io.distributedlock.LockHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockState;
import io.distributedlock.annotation.DistributedLockConfiguration;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for transactions that begin under a lock which is lost before their commit, by
 * the way in which the application declares their transaction manager.
 */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(60)
class LockedTransactionPostProcessorTests {

	@Test
	void managerBeanRollsBack() {
		try (AnnotationConfigApplicationContext context = start(OfBean.class)) {
			assertThatLossRollsBack(context, context.getBean(CountingManager.class), context.getBean(Work.class)::run);
		}
	}

	@Test
	void managerOfAConfigurerWithoutABeanRollsBack() {
		try (AnnotationConfigApplicationContext context = start(OfConfigurer.class)) {
			assertThat(context.getBeansOfType(TransactionManager.class)).isEmpty();
			assertThatLossRollsBack(context, context.getBean(OfConfigurer.class).manager,
					context.getBean(Work.class)::run);
		}
	}

	@Test
	void managerOfATemplateWithoutABeanRollsBack() {
		try (AnnotationConfigApplicationContext context = start(OfTemplate.class)) {
			assertThat(context.getBeansOfType(TransactionManager.class)).isEmpty();
			TransactionTemplate template = context.getBean(TransactionTemplate.class);
			assertThatLossRollsBack(context, (CountingManager) template.getTransactionManager(),
					(work) -> template.executeWithoutResult((status) -> work.run()));
		}
	}

	@Test
	void unregisteredManagerRollsBackWithTheDocumentedListener() {
		CountingManager manager = new CountingManager();
		manager.addListener(new TransactionExecutionListener() {

			@Override
			public void beforeCommit(TransactionExecution transaction) {
				LockContext.all().forEach(LockHandle::assertHeld);
			}

		});
		try (AnnotationConfigApplicationContext context = start()) {
			assertThatLossRollsBack(context, manager,
					(work) -> new TransactionTemplate(manager).executeWithoutResult((status) -> work.run()));
		}
	}

	@Test
	void managerWithoutListenersIsWarnedOfOnce(CapturedOutput output) {
		try (AnnotationConfigApplicationContext context = start(WithoutListeners.class)) {
			assertThat(context.getBeansOfType(PlatformTransactionManager.class)).hasSize(2);
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("accepts no listeners"))).singleElement()
			.asString()
			.contains(OwnManager.class.getName(), "call assertHeld() of the lock as the last step");
		try (AnnotationConfigApplicationContext context = start(OfBean.class)) {
			assertThat(output.toString().lines().filter((line) -> line.contains("accepts no listeners"))).hasSize(1);
		}
	}

	private static void assertThatLossRollsBack(AnnotationConfigApplicationContext context, CountingManager manager,
			Consumer<Runnable> transaction) {
		LockService locks = context.getBean(LockService.class);
		locks.executeWithoutResult("kept", LockOptions.ofLease(Duration.ofMinutes(1)),
				(handle) -> transaction.accept(() -> {
				}));
		assertThat(manager.commits).isOne();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> locks.executeWithoutResult("lost", LockOptions.ofLease(Duration.ofSeconds(1)),
					(handle) -> transaction.accept(() -> await().until(() -> handle.state() == LockState.LOST))));
		assertThat(manager.commits).isOne();
		assertThat(manager.rollbacks).isOne();
	}

	private static AnnotationConfigApplicationContext start(Class<?>... configurations) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.register(DistributedLockConfiguration.class);
		context.registerBean(InMemoryLockStore.class);
		for (Class<?> configuration : configurations) {
			context.register(configuration);
		}
		context.refresh();
		return context;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	@Import({ CountingManager.class, Work.class })
	static class OfBean {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	@Import(Work.class)
	static class OfConfigurer implements TransactionManagementConfigurer {

		private final CountingManager manager = new CountingManager();

		@Override
		public TransactionManager annotationDrivenTransactionManager() {
			return this.manager;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OfTemplate {

		@Bean
		TransactionTemplate transactionTemplate() {
			return new TransactionTemplate(new CountingManager());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithoutListeners {

		@Bean
		OwnManager one() {
			return new OwnManager();
		}

		@Bean
		OwnManager other() {
			return new OwnManager();
		}

	}

	static class Work {

		@Transactional
		public void run(Runnable work) {
			work.run();
		}

	}

	static class CountingManager extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		private int commits;

		private int rollbacks;

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			this.commits++;
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			this.rollbacks++;
		}

	}

	static class OwnManager implements PlatformTransactionManager {

		@Override
		public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void commit(TransactionStatus status) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void rollback(TransactionStatus status) {
			throw new UnsupportedOperationException();
		}

	}

}
