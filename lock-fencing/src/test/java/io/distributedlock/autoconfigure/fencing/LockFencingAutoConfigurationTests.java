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

package io.distributedlock.autoconfigure.fencing;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.InvalidLockDefinitionException;
import io.distributedlock.annotation.LockValidationException;
import io.distributedlock.annotation.SuppressLockWarnings;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import io.distributedlock.autoconfigure.LockTransactionAutoConfiguration;
import io.distributedlock.fencing.Fences;
import io.distributedlock.fencing.StaleLockException;
import io.distributedlock.internal.DeclaredLocks;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.ArgumentMatchers.assertArg;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Tests for fenced transactions in a Spring Boot application.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockFencingAutoConfigurationTests {

	private static final String TABLE = "distributed_lock_fence";

	private static final String FENCES = "select name, fence from " + TABLE;

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LockAnnotationAutoConfiguration.class, LockFencingAutoConfiguration.class,
				LockTransactionAutoConfiguration.class, AopAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory");

	private final ApplicationContextRunner withDatabase = this.contextRunner
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, DataSourceInitializationAutoConfiguration.class))
		.withPropertyValues("spring.datasource.generate-unique-name=true");

	private final ApplicationContextRunner withTwoDatabases = this.contextRunner
		.withUserConfiguration(TwoDatabases.class)
		.withConfiguration(AutoConfigurations.of(TransactionAutoConfiguration.class));

	@Test
	void applicationMayUseGeneralNames() {
		this.withDatabase.withAllowBeanDefinitionOverriding(false)
			.withBean("fences", String.class, () -> "of the application")
			.withBean("fencedMethods", String.class, () -> "of the application")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(Fences.class));
	}

	@Test
	void theTransactionOfAFencedMethodClaimsItsFence() {
		this.withDatabase.withBean(Accounts.class).run((context) -> {
			assertThat(context).hasNotFailed();
			Accounts accounts = context.getBean(Accounts.class);
			long token = accounts.token("7", null);
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			assertThat(jdbc.queryForList(FENCES)).containsExactly(Map.of("NAME", "account:7", "FENCE", token));
			jdbc.update("update " + TABLE + " set fence = ?", Long.MAX_VALUE);
			assertThatExceptionOfType(StaleLockException.class).isThrownBy(() -> accounts.token("7", null));
			assertThat(context.getBean(LockService.class).isLocked("account:7")).isFalse();
		});
	}

	@Test
	void aFencedMethodClaimsInTheTransactionOfItsCaller() {
		this.withDatabase.withBean(Accounts.class).run((context) -> {
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			TransactionTemplate transaction = transaction(context);
			transaction.executeWithoutResult((status) -> {
				long token = context.getBean(Accounts.class).token("7", null);
				assertThat(jdbc.queryForList(FENCES)).containsExactly(Map.of("NAME", "account:7", "FENCE", token));
			});
			jdbc.update("update " + TABLE + " set fence = ?", Long.MAX_VALUE);
			// The caller catches the exception, and cannot commit all the same
			assertThatExceptionOfType(StaleLockException.class)
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
					jdbc.update("insert into " + TABLE + " values ('other', 1, 1)");
					assertThatExceptionOfType(StaleLockException.class)
						.isThrownBy(() -> context.getBean(Accounts.class).token("7", null));
				}));
			assertThat(jdbc.queryForList(FENCES)).hasSize(1);
		});
	}

	@Test
	void unfencedMethodClaimsNothing() {
		this.withDatabase.withBean(Accounts.class).withBean(Unfenced.class).run((context) -> {
			context.getBean(Unfenced.class).run();
			assertThat(context.getBean(JdbcTemplate.class).queryForList(FENCES)).isEmpty();
		});
	}

	@Test
	void tableIsCreatedOnlyForFencedMethods() {
		this.withDatabase.withBean(Unfenced.class)
			.run((context) -> assertThat(tables(context.getBean(JdbcTemplate.class))).isZero());
		this.withDatabase.withBean(Accounts.class)
			.run((context) -> assertThat(tables(context.getBean(JdbcTemplate.class))).isOne());
	}

	@ParameterizedTest
	@ValueSource(strings = { "always", "embedded" })
	void theTableIsCreatedIfConfigured(String schema) {
		this.withDatabase.withBean(Accounts.class)
			.withPropertyValues("distributed-lock.fencing.schema=" + schema)
			.run((context) -> assertThat(tables(context.getBean(JdbcTemplate.class))).isOne());
	}

	@ParameterizedTest
	@ValueSource(strings = { "distributed_lock_fence", "public.my_fences" })
	void theTableOfAFencedMethodMustBeThere(String table) {
		ApplicationContextRunner never = this.withDatabase.withBean(Accounts.class)
			.withPropertyValues("distributed-lock.fencing.schema=never", "distributed-lock.fencing.table=" + table,
					"spring.sql.init.mode=always");
		String unqualified = table.substring(table.indexOf('.') + 1);
		String script = ("create table if not exists %1$s ( name varchar_casesensitive(200) not null primary key, fence "
				+ "bigint not null, claimed_at bigint not null ); create index if not exists %2$s_claimed on %1$s "
				+ "(claimed_at);")
			.formatted(table, unqualified);
		never.run(isRefused(
				"Its transactions claim no fence: they are those of a JdbcTransactionManager whose table of the fences "
						+ "cannot be used. The database says \"Table \"" + unqualified.toUpperCase(Locale.ROOT)
						+ "\" not found",
				"\". Create table '" + table + "' with '" + script
						+ "', or with Spring Boot set 'distributed-lock.fencing.schema=always'. Let the user of the data "
						+ "source insert and update rows."));
		never.withPropertyValues("distributed-lock.validation=warn").run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(() -> accounts.token("7", null))
				.withMessageContaining("whose table of the fences cannot be used");
			// What it says is what helps
			context.getBean(JdbcTemplate.class).execute(script);
			accounts.token("7", null);
		});
	}

	@Test
	void unfencedMethodWithTheNamesOfAFencedMethodCausesAWarning(CapturedOutput output) {
		this.withDatabase.withBean(Accounts.class).withBean(UnfencedAccounts.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(DeclaredLocks.class).declared())
				.allSatisfy((lock) -> assertThat(lock.fenced())
					.isEqualTo(lock.location().startsWith(Accounts.class.getName() + ".")))
				.hasSize(8);
			assertThat(output)
				.contains("UnfencedAccounts.move(String): It is @Transactional and its locks are named like those that "
						+ Accounts.class.getName()
						+ ".later(String) fences ('account:*'), but it is not fenced: a late holder "
						+ "can write in it. Add fenced = true.")
				.contains("UnfencedAccounts.moveFrom(String): It is @Transactional and its locks are named like those")
				.doesNotContain("UnfencedAccounts.any(String): It is")
				.doesNotContain("UnfencedAccounts.read(String): It is")
				.doesNotContain("UnfencedAccounts.other(String): It is")
				.doesNotContain("UnfencedAccounts.silent(String): It is");
		});
	}

	@Test
	void databaseUnusedUnderFencedLocksMayBeMissing() {
		DataSource away = mock(DataSource.class, (call) -> {
			throw new AssertionError("It is asked for a connection");
		});
		this.withTwoDatabases.withBean("away", DataSource.class, () -> away)
			.withBean(InBilling.class)
			.withPropertyValues("distributed-lock.fencing.schema=always")
			.run((context) -> {
				context.getBean(InBilling.class).run(() -> {
				});
				assertThat(tables(jdbc(context, "billing"))).isOne();
				assertThat(tables(jdbc(context, "orders"))).isZero();
			});
	}

	@Test
	void routingDataSourceMayDetermineTheTargetsInCode(CapturedOutput output) {
		DataSource tenant = database();
		AtomicBoolean started = new AtomicBoolean();
		AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {

			@Override
			public void afterPropertiesSet() {
			}

			@Override
			protected DataSource determineTargetDataSource() {
				assertThat(started).isTrue();
				return tenant;
			}

			@Override
			protected @Nullable Object determineCurrentLookupKey() {
				return null;
			}

		};
		DatabasePopulatorUtils
			.execute(new ResourceDatabasePopulator(new ClassPathResource("schema-h2.sql", Fences.class)), tenant);
		with(routing).withBean(Accounts.class).run((context) -> {
			assertThat(output).contains("looks up its databases by itself");
			started.set(true);
			context.getBean(Accounts.class).token("7", null);
			assertThat(new JdbcTemplate(tenant).queryForList(FENCES)).hasSize(1);
		});
	}

	@Test
	void fencesOfTheApplicationClaimForFencedMethods() {
		Fences own = mock();
		given(own.isInTransaction()).willReturn(true);
		this.withDatabase.withBean(Accounts.class).withBean(Fences.class, () -> own).run((context) -> {
			context.getBean(Accounts.class).token("7", null);
			then(own).should().claim(assertArg((handle) -> assertThat(handle.name()).isEqualTo("account:7")));
		});
	}

	@Test
	void theTableCanHaveAnotherName() {
		this.withDatabase.withBean(Accounts.class)
			.withPropertyValues("distributed-lock.fencing.table=my_fences")
			.run((context) -> {
				context.getBean(Accounts.class).token("7", null);
				assertThat(context.getBean(JdbcTemplate.class).queryForList("select * from my_fences")).hasSize(1);
			});
		this.withDatabase.withBean(Accounts.class)
			.withPropertyValues("distributed-lock.fencing.table=my fences")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessage("The table of the fences is 'my fences', but must be a name of letters, digits and '_', "
						+ "with that of its schema before a dot if need be."));
	}

	@Test
	void fencesCanBeClaimedByHand() {
		this.withDatabase.withBean(Programmatic.class).run((context) -> {
			LockService locks = context.getBean(LockService.class);
			TransactionTemplate transaction = transaction(context);
			try (LockHandle handle = locks.acquire("a", LockOptions.defaults())) {
				transaction.executeWithoutResult((status) -> context.getBean(Programmatic.class).fences.claim(handle));
				assertThat(context.getBean(JdbcTemplate.class).queryForList(FENCES))
					.containsExactly(Map.of("NAME", "a", "FENCE", handle.fencingToken()));
			}
		});
	}

	@Test
	void eachDataSourceHasSeparateFencesUnlessOneIsNamed() {
		ApplicationContextRunner two = this.withTwoDatabases.withBean(TwoAccounts.class);
		two.run((context) -> {
			context.getBean(TwoAccounts.class).inOrders(() -> context.getBean(TwoAccounts.class).inBilling());
			// The transaction of orders keeps the lock of billing that is taken in it
			assertThat(jdbc(context, "orders").queryForList(FENCES)).hasSize(2);
			assertThat(jdbc(context, "billing").queryForList(FENCES)).hasSize(2);
		});
		two.withPropertyValues("distributed-lock.fencing.data-sources=billing")
			.withBean(InBilling.class)
			.withPropertyValues("distributed-lock.validation=warn")
			.run((context) -> {
				TransactionTemplate orders = new TransactionTemplate(
						context.getBean("ordersTransactions", PlatformTransactionManager.class));
				context.getBean(InBilling.class).run(() -> orders.executeWithoutResult((status) -> {
				}));
				assertThat(tables(jdbc(context, "orders"))).isZero();
				assertThat(jdbc(context, "billing").queryForList(FENCES)).hasSize(1);
			});
	}

	@Test
	void aFencedMethodNeedsADataSourceThatIsNamed() {
		ApplicationContextRunner two = this.withTwoDatabases
			.withPropertyValues("distributed-lock.fencing.data-sources=billing")
			.withBean(TwoAccounts.class);
		String reason = "Its transactions claim no fence: they are those of a JdbcTransactionManager whose data source is "
				+ "not fenced ('distributed-lock.fencing.data-sources' with Spring Boot). "
				+ "Add the data source to the fenced ones, with Spring Boot by its name, or leave the property out.";
		two.run(isRefused("TwoAccounts.inOrders(Runnable)", reason));
		two.withPropertyValues("distributed-lock.validation=warn").run((context) -> {
			assertThat(context).hasNotFailed();
			AtomicBoolean ran = new AtomicBoolean();
			assertThatExceptionOfType(InvalidLockDefinitionException.class)
				.isThrownBy(() -> context.getBean(TwoAccounts.class).inOrders(() -> ran.set(true)))
				.withMessageContaining(reason);
			assertThat(ran).isFalse();
			context.getBean(TwoAccounts.class).inBilling();
		});
	}

	@Test
	void aFencedMethodNeedsADataSource() {
		this.contextRunner.withBean(Accounts.class)
			.run(isRefused("There is no data source whose transactions could claim the fence."));
		this.withDatabase.withBean(Accounts.class)
			.withClassLoader(new FilteredClassLoader("org.springframework.jdbc"))
			.run((context) -> assertThat(context).hasFailed());
	}

	@Test
	void aFencedMethodNeedsATransactionManagerThatClaims() {
		String reason = "Its transactions claim no fence: they are those of a BrokerTransactions. Name the "
				+ "transaction manager of a JDBC data source, or of JPA, in @Transactional.";
		ApplicationContextRunner broker = this.withDatabase.withBean("brokerTransactions", BrokerTransactions.class)
			.withBean(InBroker.class);
		broker.withBean(ReadOnly.class).run(isRefused(reason, "The transaction of the method is read-only"));
		broker.withPropertyValues("distributed-lock.validation=warn").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThatExceptionOfType(InvalidLockDefinitionException.class)
				.isThrownBy(() -> context.getBean(InBroker.class).run())
				.withMessageContaining(reason);
		});
		broker.withPropertyValues("distributed-lock.validation=off")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockDefinitionException.class)
				.hasMessageContaining(reason));
	}

	@Test
	void aQualifierOfTheClassNamesTheTransactionManager() {
		this.withDatabase.withBean("brokerTransactions", BrokerTransactions.class)
			.withBean(QualifiedBroker.class)
			.run(isRefused("Its transactions claim no fence: they are those of a BrokerTransactions."));
	}

	@Test
	void unclaimedFenceIsReportedAfterTheMethodHasRun() {
		ApplicationContextRunner unmanaged = this.contextRunner
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class))
			.withPropertyValues("spring.datasource.generate-unique-name=true")
			.withBean(Accounts.class);
		String reason = "No transaction has claimed the fence of lock 'account:7': none has begun under the lock, "
				+ "although the method is @Transactional. What the method has written is not fenced.";
		unmanaged.run((context) -> {
			Accounts accounts = context.getBean(Accounts.class);
			assertThatIllegalStateException().isThrownBy(() -> accounts.token("7", null))
				.withMessageStartingWith(reason);
			assertThat(accounts.later("7")).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.havingCause()
				.isInstanceOf(IllegalStateException.class)
				.withMessageStartingWith(reason);
			assertThat(context.getBean(LockService.class).isLocked("account:7")).isFalse();
		});
		this.withDatabase.withBean(Accounts.class).run((context) -> {
			assertThat(context.getBean(Accounts.class).later("7")).succeedsWithin(Duration.ofSeconds(10));
			assertThat(context.getBean(JdbcTemplate.class).queryForList(FENCES)).hasSize(1);
		});
	}

	@Test
	void theTableIsCreatedInTheTargetsOfARoutingDataSource() {
		DataSource target = database();
		AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {

			@Override
			protected @Nullable Object determineCurrentLookupKey() {
				return null;
			}

		};
		routing.setTargetDataSources(Map.of("target", target));
		with(routing).withBean(Accounts.class)
			.withPropertyValues("distributed-lock.fencing.schema=always")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(tables(new JdbcTemplate(target))).isOne();
			});
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void firstClaimCreatesTheTableOutsideTheTransaction(boolean wrapped) {
		DataSource database = database();
		with(wrapped ? new TransactionAwareDataSourceProxy(database) : database)
			.withPropertyValues("distributed-lock.fencing.schema=always")
			.run((context) -> {
				JdbcTemplate jdbc = new JdbcTemplate(database);
				jdbc.execute("create table account (id int)");
				transaction(context).executeWithoutResult((status) -> {
					jdbc.update("insert into account values (7)");
					LockHandle lock = context.getBean(LockService.class).acquire("account:7");
					context.getBean(Fences.class).claim(lock);
					status.setRollbackOnly();
				});
				assertThat(jdbc.queryForList("select id from account")).isEmpty();
				assertThat(tables(jdbc)).isOne();
			});
	}

	@ParameterizedTest
	@ValueSource(classes = { WithoutTransaction.class, NotSupported.class, ReadOnly.class, Reactive.class })
	void aFencedMethodNeedsATransactionThatClaims(Class<?> type) {
		String reason = Map
			.of(WithoutTransaction.class, "Neither the method nor its class is @Transactional", NotSupported.class,
					"@Transactional with NOT_SUPPORTED, which does not begin a transaction", ReadOnly.class,
					"The transaction of the method is read-only", Reactive.class, "The method is reactive")
			.get(type);
		this.withDatabase.withBean(type).run(isRefused("fenced = true", reason));
	}

	private ApplicationContextRunner with(DataSource dataSource) {
		return this.contextRunner
			.withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class,
					TransactionAutoConfiguration.class))
			.withBean(DataSource.class, () -> dataSource);
	}

	private static DataSource database() {
		return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
	}

	private static ContextConsumer<AssertableApplicationContext> isRefused(String... reasons) {
		return (context) -> assertThat(context).getFailure()
			.isInstanceOf(LockValidationException.class)
			.message()
			.contains(reasons);
	}

	private static TransactionTemplate transaction(ApplicationContext context) {
		return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
	}

	private static JdbcTemplate jdbc(ApplicationContext context, String dataSource) {
		return new JdbcTemplate(context.getBean(dataSource, DataSource.class));
	}

	private static int tables(JdbcTemplate jdbc) {
		Integer count = jdbc.queryForObject(
				"select count(*) from information_schema.tables where lower(table_name) = '" + TABLE + "'",
				Integer.class);
		return (count != null) ? count : -1;
	}

	static class Accounts {

		@Transactional
		@DistributedLock(name = "'account:' + #p0", fenced = true)
		public long token(String id, @Nullable LockHandle handle) {
			return (handle != null) ? handle.fencingToken() : -1;
		}

		@Transactional
		@DistributedLock(name = "'account:' + #p0", fenced = true)
		public CompletableFuture<String> later(String id) {
			return CompletableFuture.completedFuture(id);
		}

	}

	static class UnfencedAccounts {

		@Transactional
		@DistributedLock(name = "'account:' + #account")
		public void move(String account) {
		}

		@Transactional
		@DistributedLock(name = "account:#{#from}")
		public void moveFrom(String from) {
		}

		@Transactional
		@DistributedLock(name = "#{#from}")
		public void any(String from) {
		}

		@Transactional(readOnly = true)
		@DistributedLock(name = "'account:' + #account")
		public void read(String account) {
		}

		@Transactional
		@DistributedLock(name = "'other:' + #account")
		public void other(String account) {
		}

		@Transactional
		@SuppressLockWarnings
		@DistributedLock(name = "'account:' + #account")
		public void silent(String account) {
		}

	}

	static class InBilling {

		@Transactional("billingTransactions")
		@DistributedLock(name = "in-billing", fenced = true)
		public void run(Runnable work) {
			work.run();
		}

	}

	static class Unfenced {

		@Transactional
		@DistributedLock
		public void run() {
		}

	}

	static class Programmatic {

		private final Fences fences;

		Programmatic(Fences fences) {
			this.fences = fences;
		}

	}

	static class TwoAccounts {

		@Transactional("ordersTransactions")
		@DistributedLock(name = "orders", fenced = true)
		public void inOrders(Runnable work) {
			work.run();
		}

		@Transactional("billingTransactions")
		@DistributedLock(name = "billing", fenced = true)
		public void inBilling() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDatabases {

		@Bean
		DataSource orders() {
			return database();
		}

		@Bean
		DataSource billing() {
			return database();
		}

		@Bean
		JdbcTransactionManager ordersTransactions(DataSource orders) {
			return new JdbcTransactionManager(orders);
		}

		@Bean
		JdbcTransactionManager billingTransactions(DataSource billing) {
			return new JdbcTransactionManager(billing);
		}

	}

	static class WithoutTransaction {

		@DistributedLock(fenced = true)
		public void run() {
		}

	}

	static class InBroker {

		@Transactional("brokerTransactions")
		@DistributedLock(fenced = true)
		public void run() {
		}

	}

	@Qualifier("brokerTransactions")
	static class QualifiedBroker {

		@Transactional
		@DistributedLock(fenced = true)
		public void run() {
		}

	}

	static class BrokerTransactions extends AbstractPlatformTransactionManager {

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

	static class NotSupported {

		@Transactional(propagation = Propagation.NOT_SUPPORTED)
		@DistributedLock(fenced = true)
		public void run() {
		}

	}

	@Transactional(readOnly = true)
	static class ReadOnly {

		@DistributedLock(fenced = true)
		public void run() {
		}

	}

	static class Reactive {

		@Transactional
		@DistributedLock(fenced = true)
		public Mono<Void> run() {
			return Mono.empty();
		}

	}

}
