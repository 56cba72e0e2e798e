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

package io.distributedlock.fencing;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

import javax.sql.DataSource;

import io.distributedlock.LockHandle;
import io.distributedlock.fencing.internal.FencedLocks;
import io.distributedlock.transaction.internal.TransactionManagers;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.util.ClassUtils;

/**
 * Makes each transaction that begins under a fenced lock claim the fence with its first
 * statement. Applies to the transaction managers of JDBC and JPA that are beans, or used
 * by {@code @Transactional} methods or {@code TransactionTemplate} beans. Does not apply
 * to read-only transactions, which write nothing, nor to nested ones, which are part of
 * another.
 *
 * @since 0.1.0
 */
public final class FencedTransactionPostProcessor implements BeanPostProcessor, PriorityOrdered {

	private static final boolean JPA = ClassUtils.isPresent("org.springframework.orm.jpa.JpaTransactionManager",
			FencedTransactionPostProcessor.class.getClassLoader());

	private final ObjectProvider<? extends Fences> fences;

	/**
	 * Create the post-processor.
	 * @param fences provides the fences; called when one is claimed. If they are not
	 * {@link JdbcFences}, their {@link Fences#claim} is called with each lock
	 */
	public FencedTransactionPostProcessor(ObjectProvider<? extends Fences> fences) {
		this.fences = fences;
	}

	/**
	 * Return a priority: the advice of transactions may be created with the first of the
	 * other post-processors.
	 */
	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (TransactionManagers.of(bean) instanceof AbstractPlatformTransactionManager manager && canClaim(manager)
				&& claimOf(manager).isEmpty()) {
			manager.addListener(new FenceClaim(manager, this.fences));
		}
		return bean;
	}

	private static boolean canClaim(Object manager) {
		return manager instanceof DataSourceTransactionManager || (JPA && manager instanceof JpaTransactionManager);
	}

	/**
	 * Prepare the table in which the transactions of a transaction manager claim, and
	 * return why they would claim no fence.
	 * @param manager the transaction manager
	 * @param fences the fences
	 * @return the reason; empty if they claim
	 */
	public static Optional<Obstacle> obstacle(Object manager, Fences fences) {
		Optional<FenceClaim> claim = claimOf(manager);
		if (claim.isEmpty()) {
			return Optional.of(canClaim(manager)
					? new Obstacle(typeOf(manager) + " that is not a bean",
							"Declare the transaction manager as a bean.")
					: new Obstacle(typeOf(manager),
							"Name the transaction manager of a JDBC data source, or of JPA, in @Transactional."));
		}
		Optional<Obstacle> obstacle = claim.get().obstacle(fences);
		if (obstacle.isPresent() || !(fences instanceof JdbcFences jdbc)) {
			return obstacle;
		}
		return claim.map(FenceClaim::dataSource)
			.flatMap(jdbc::unusable)
			.map((table) -> new Obstacle(
					typeOf(manager) + " whose table of the fences cannot be used. " + table.problem(), table.action()));
	}

	private static String typeOf(Object manager) {
		return "a " + ClassUtils.getUserClass(manager).getSimpleName();
	}

	private static Optional<FenceClaim> claimOf(Object manager) {
		return (manager instanceof ConfigurableTransactionManager configurable)
				? configurable.getTransactionExecutionListeners()
					.stream()
					.filter(FenceClaim.class::isInstance)
					.map(FenceClaim.class::cast)
					.findFirst()
				: Optional.empty();
	}

	/**
	 * Why the transactions of a transaction manager claim no fence.
	 *
	 * @param manager the transaction manager, and what it lacks
	 * @param action how to solve it: a sentence
	 */
	public record Obstacle(String manager, String action) {
	}

	/**
	 * Called in the thread that begins a transaction.
	 */
	private record FenceClaim(PlatformTransactionManager manager,
			ObjectProvider<? extends Fences> fences) implements TransactionExecutionListener {

		@Override
		public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
			if (beginFailure != null || !transaction.isNewTransaction() || transaction.isReadOnly()) {
				return;
			}
			List<LockHandle> locks = FencedLocks.current();
			if (locks.isEmpty()) {
				return;
			}
			try {
				claim(locks);
			}
			catch (RuntimeException | Error ex) {
				rollBack(transaction, ex);
				throw ex;
			}
		}

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			TransactionClaims.confirm();
		}

		private void claim(List<LockHandle> locks) {
			Fences fences = this.fences.getObject();
			if (!(fences instanceof JdbcFences jdbc)) {
				locks.forEach((lock) -> {
					fences.claim(lock);
					FencedLocks.claimed(lock);
				});
				return;
			}
			obstacle(jdbc).ifPresentOrElse((obstacle) -> jdbc.passOver(obstacle, locks),
					() -> jdbc.claimAtBegin(Objects.requireNonNull(dataSource()), locks));
		}

		Optional<Obstacle> obstacle(Fences fences) {
			DataSource dataSource = dataSource();
			if (dataSource == null) {
				return Optional.of(new Obstacle(typeOf(this.manager) + " without a data source",
						"Set the data source of the entity manager factory, or of the transaction manager."));
			}
			if (fences instanceof JdbcFences jdbc && !jdbc.isFenced(dataSource)) {
				return Optional.of(new Obstacle(typeOf(this.manager)
						+ " whose data source is not fenced ('distributed-lock.fencing.data-sources' with Spring Boot)",
						"Add the data source to the fenced ones, with Spring Boot by its name, or leave the property out."));
			}
			return Optional.empty();
		}

		private @Nullable DataSource dataSource() {
			if (this.manager instanceof DataSourceTransactionManager jdbc) {
				return jdbc.getDataSource();
			}
			return ((JpaTransactionManager) this.manager).getDataSource();
		}

		/**
		 * The caller of the transaction manager gets the exception and no transaction to
		 * end. The manager itself resumes the transaction that it has suspended for this
		 * one, as if this one had not begun, so this method must not do so: the status is
		 * without it.
		 */
		private void rollBack(TransactionExecution transaction, Throwable failure) {
			try {
				DefaultTransactionStatus status = (DefaultTransactionStatus) transaction;
				this.manager.rollback(new DefaultTransactionStatus(status.getTransactionName(), status.getTransaction(),
						true, status.isNewSynchronization(), status.isNested(), status.isReadOnly(), status.isDebug(),
						null));
			}
			catch (RuntimeException ex) {
				failure.addSuppressed(ex);
			}
		}

	}

}
