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

package io.distributedlock.example;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockListener;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockState;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.LossCause;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.LockValidationException;
import io.distributedlock.fencing.Fences;
import io.distributedlock.fencing.StaleLockException;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.annotation.LeaderOnly;
import io.distributedlock.reactive.ReactiveLocks;
import io.distributedlock.testsupport.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * What docs/lock-service.md promises to every application with Spring, on a real Redis.
 * Each kind of application has a class of its own, which starts it.
 */
@Timeout(120)
public abstract class SpringApplicationTests {

	private static final LockOptions LONG = LockOptions.ofLease(Duration.ofMinutes(1));

	/** An empty database for each test. */
	private static DataSource database = new DriverManagerDataSource();

	private final RedisServer server;

	protected SpringApplicationTests(RedisServer server) {
		server.flushAll();
		this.server = server;
		database = new DriverManagerDataSource("jdbc:h2:mem:" + System.nanoTime() + ";DB_CLOSE_DELAY=-1");
		new JdbcTemplate(database).execute("create table payment (id int)");
	}

	/**
	 * Start an application that keeps its locks in a Redis.
	 */
	protected abstract ConfigurableApplicationContext start(RedisServer server, Class<?>... configurations);

	/**
	 * The campaign of this module logs errors only.
	 */
	@BeforeEach
	void logTheStart() {
		LoggingSystem.get(getClass().getClassLoader()).setLogLevel("io.distributedlock", LogLevel.INFO);
	}

	private ConfigurableApplicationContext start(Class<?>... configurations) {
		return start(this.server, configurations);
	}

	@Test
	void annotatedMethodExcludesOtherInstances() {
		try (ConfigurableApplicationContext here = start(Database.class);
				ConfigurableApplicationContext there = start()) {
			Payments payments = here.getBean(Payments.class);
			try (LockHandle held = there.getBean(LockService.class).acquire("order", LONG)) {
				assertThat(held.isHeld()).isTrue();
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> payments.pay(null));
			}
			payments.pay(null);
			assertThat(payments.committed()).isOne();
		}
	}

	@Test
	void lostLockRollsBackTheTransaction() {
		try (ConfigurableApplicationContext context = start(Database.class)) {
			Payments payments = context.getBean(Payments.class);
			payments.pay(null);
			payments.payWithPermits(null);
			payments.payShared(null);
			assertThat(payments.committed()).isEqualTo(3);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> payments.payTooSlowly(null));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> payments.payTooSlowlyWithPermits(null));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> payments.payTooSlowlyShared(null));
			assertThat(payments.committed()).isEqualTo(3);
		}
	}

	@Test
	void lossOfALockKeptByATransactionRollsTheTransactionBack() {
		try (ConfigurableApplicationContext context = start(Database.class)) {
			Payments payments = context.getBean(Payments.class);
			LockService locks = context.getBean(LockService.class);
			TransactionTemplate transaction = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			transaction.executeWithoutResult((status) -> {
				locks.acquire("kept", LONG).close();
				payments.insert();
				assertThat(locks.isLocked("kept")).as("until the commit").isTrue();
			});
			assertThat(locks.isLocked("kept")).isFalse();
			assertThat(payments.committed()).isOne();
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
					awaitLoss(locks.acquire("kept", LockOptions.ofLease(Duration.ofSeconds(2))));
					payments.insert();
				}));
			assertThat(payments.committed()).isOne();
		}
	}

	@Test
	void fencedMethodRefusesAnEarlierHolder() {
		DatabasePopulatorUtils
			.execute(new ResourceDatabasePopulator(new ClassPathResource("schema-h2.sql", Fences.class)), database);
		try (ConfigurableApplicationContext context = start(Database.class, FencedPayments.class)) {
			context.getBean(FencedPayments.class).pay();
			JdbcTemplate jdbc = new JdbcTemplate(database);
			jdbc.update("update distributed_lock_fence set fence = ?", Long.MAX_VALUE);
			assertThatExceptionOfType(StaleLockException.class)
				.isThrownBy(() -> context.getBean(FencedPayments.class).pay());
			assertThat(context.getBean(Payments.class).committed()).isOne();
		}
	}

	@Test
	void mistakeInAnAnnotationEndsTheStart() {
		assertThatThrownBy(() -> start(Mistake.class).close()).isInstanceOf(LockValidationException.class)
			.hasMessageContaining("The method is private");
	}

	@Test
	void lossCallbackIsCalled() {
		try (ConfigurableApplicationContext context = start()) {
			CompletableFuture<LossCause> loss = new CompletableFuture<>();
			LockHandle handle = context.getBean(LockService.class)
				.acquire("short", LockOptions.ofLease(Duration.ofSeconds(2)));
			handle.onLost((event) -> loss.complete(event.cause()));
			assertThat(loss).succeedsWithin(Duration.ofSeconds(20))
				// The second on a machine that stalls
				.isIn(LossCause.LEASE_EXPIRED, LossCause.PROCESS_PAUSED);
			assertThat(handle.isHeld()).isFalse();
		}
	}

	@Test
	void listenersReceiveEvents() {
		try (ConfigurableApplicationContext context = start(Recorder.class)) {
			context.getBean(LockService.class).acquire("order:42", LONG).close();
			await().untilAsserted(() -> assertThat(context.getBean(Recorder.class).events).extracting(LockEvent::name)
				.containsExactly("order:42", "order:42"));
		}
	}

	@Test
	void metersCountLocks() {
		try (ConfigurableApplicationContext context = start(Meters.class)) {
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			try (LockHandle held = context.getBean(LockService.class)
				.acquire("order:42", LONG.withDeclaredName("order"))) {
				assertThat(held.isHeld()).isTrue();
				await().untilAsserted(() -> assertThat(meters.get("distributed.lock.acquire")
					.tags("lock.name", "order", "outcome", "acquired")
					.timer()
					.count()).isOne());
				assertThat(meters.get("distributed.lock.held").tag("lock.name", "order").gauge().value()).isOne();
			}
		}
	}

	@Test
	void holderKeepsItsLockWhileTheApplicationStops() throws Exception {
		ConfigurableApplicationContext context = start();
		LockService locks = context.getBean(LockService.class);
		CountDownLatch working = new CountDownLatch(1);
		CompletableFuture<Boolean> heldToTheEnd = CompletableFuture
			.supplyAsync(() -> locks.execute("work", LONG, (handle) -> {
				working.countDown();
				awaitRefusal(locks);
				return handle.isHeld();
			}));
		assertThat(working.await(20, TimeUnit.SECONDS)).isTrue();
		context.close();
		assertThat(heldToTheEnd).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(true);
		assertThat(this.server.cli("EXISTS", "lock:work")).isEqualTo(0L);
	}

	@Test
	void oneCandidateLeads() {
		try (ConfigurableApplicationContext here = start(Scheduler.class);
				ConfigurableApplicationContext there = start(Scheduler.class)) {
			await()
				.until(() -> here.getBean(Leadership.class).isLeader() != there.getBean(Leadership.class).isLeader());
		}
	}

	@Test
	void onlyTheLeaderRunsItsMethods() {
		try (ConfigurableApplicationContext here = start(Scheduler.class)) {
			await().until(() -> here.getBean(Leadership.class).isLeader());
			try (ConfigurableApplicationContext there = start(Scheduler.class)) {
				here.getBean(Jobs.class).run();
				there.getBean(Jobs.class).run();
				assertThat(here.getBean(Jobs.class).runs()).isOne();
				assertThat(there.getBean(Jobs.class).runs()).isZero();
			}
		}
	}

	@Test
	void eventLoopDoesNotWaitForALock() {
		try (ConfigurableApplicationContext context = start()) {
			LockService locks = context.getBean(LockService.class);
			LockOptions waiting = LONG.withWaitTime(Duration.ofSeconds(5));
			assertThatThrownBy(() -> Mono.fromCallable(() -> locks.acquire("order:42", waiting))
				.subscribeOn(Schedulers.parallel())
				.block()).isInstanceOf(IllegalStateException.class);
		}
	}

	@Test
	void reactiveCodeHasLocks() {
		try (ConfigurableApplicationContext context = start()) {
			LockService locks = context.getBean(LockService.class);
			Mono<Boolean> locked = context.getBean(ReactiveLocks.class)
				.execute("order:42", (handle) -> Mono.fromCallable(() -> locks.isLocked("order:42")));
			assertThat(locked.block(Duration.ofSeconds(20))).isTrue();
		}
	}

	private static void awaitLoss(LockHandle handle) {
		await().until(() -> handle.state() == LockState.LOST);
	}

	/** Wait until the shutdown has begun. */
	private static void awaitRefusal(LockService locks) {
		await().untilAsserted(() -> assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> locks.tryAcquire("new", LONG).ifPresent(LockHandle::close)));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Database {

		@Bean
		DataSource dataSource() {
			return database;
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		Payments payments(DataSource dataSource) {
			return new Payments(dataSource);
		}

	}

	static class Payments {

		private final JdbcTemplate jdbc;

		Payments(DataSource dataSource) {
			this.jdbc = new JdbcTemplate(dataSource);
		}

		@Transactional
		@DistributedLock(name = "order", timeout = 60)
		public void pay(@Nullable LockHandle lock) {
			insert();
		}

		@Transactional
		@DistributedLock(name = "permit", timeout = 60, permits = 2)
		public void payWithPermits(@Nullable LockHandle lock) {
			insert();
		}

		@Transactional
		@DistributedLock(name = "shared", timeout = 60, mode = LockMode.SHARED)
		public void payShared(@Nullable LockHandle lock) {
			insert();
		}

		@Transactional
		@DistributedLock(name = "order", timeout = 1)
		public void payTooSlowly(LockHandle lock) {
			insert();
			awaitLoss(lock);
		}

		@Transactional
		@DistributedLock(name = "permit", timeout = 1, permits = 2)
		public void payTooSlowlyWithPermits(LockHandle lock) {
			insert();
			awaitLoss(lock);
		}

		@Transactional
		@DistributedLock(name = "shared", timeout = 1, mode = LockMode.SHARED)
		public void payTooSlowlyShared(LockHandle lock) {
			insert();
			awaitLoss(lock);
		}

		void insert() {
			this.jdbc.update("insert into payment values (1)");
		}

		int committed() {
			return new JdbcTemplate(database).queryForList("select id from payment").size();
		}

	}

	static class FencedPayments {

		private final Payments payments;

		FencedPayments(Payments payments) {
			this.payments = payments;
		}

		@Transactional
		@DistributedLock(name = "order", timeout = 60, fenced = true)
		public void pay() {
			this.payments.insert();
		}

	}

	static class Mistake {

		@DistributedLock(name = "order")
		private void pay() {
		}

	}

	static class Recorder implements LockListener {

		final List<LockEvent> events = new CopyOnWriteArrayList<>();

		@Override
		public void onLockEvent(LockEvent event) {
			this.events.add(event);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Meters {

		@Bean
		MeterRegistry meterRegistry() {
			return new SimpleMeterRegistry();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Scheduler {

		@Bean(destroyMethod = "close")
		Leadership scheduler(LeaderElection election) {
			return election.campaign("scheduler", LockOptions.ofLease(Duration.ofSeconds(30)));
		}

		@Bean
		Jobs jobs() {
			return new Jobs();
		}

	}

	static class Jobs {

		private final AtomicInteger runs = new AtomicInteger();

		@LeaderOnly("scheduler")
		public void run() {
			this.runs.incrementAndGet();
		}

		public int runs() {
			return this.runs.get();
		}

	}

}
