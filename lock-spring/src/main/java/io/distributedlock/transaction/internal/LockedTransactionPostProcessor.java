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

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.LockContext;
import io.distributedlock.LockLostException;
import io.distributedlock.internal.RolledBack;
import io.distributedlock.internal.WorkUnderLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Rolls back transactions that run under a lock that {@link LockContext} shows, with a
 * {@link LockLostException}, if that lock is lost before they commit, because another
 * holder may have changed the data in the meantime. Applies to all
 * {@link PlatformTransactionManager}s that accept listeners, as those of Spring do, and
 * that are beans or used by {@code @Transactional} methods or {@code TransactionTemplate}
 * beans. Warns of those that do not accept listeners. Does not apply to read-only
 * transactions, nor to a lost lock whose handle was closed: the code has dealt with the
 * loss, and may record it.
 *
 * <p>
 * The check is made just before the commit and costs no command. A lock that is lost
 * <em>during</em> the commit goes unnoticed; fencing tokens cover that as well.
 *
 * @since 0.1.0
 */
public final class LockedTransactionPostProcessor implements BeanPostProcessor, PriorityOrdered {

	private static final Log logger = LogFactory.getLog(LockedTransactionPostProcessor.class);

	private static final LossCheck LOSS_CHECK = new LossCheck();

	private final Set<Class<?>> warned = ConcurrentHashMap.newKeySet();

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
		if (TransactionManagers.of(bean) instanceof PlatformTransactionManager manager) {
			if (!(manager instanceof ConfigurableTransactionManager configurable)) {
				warn(manager.getClass());
			}
			else if (!configurable.getTransactionExecutionListeners().contains(LOSS_CHECK)) {
				configurable.addListener(LOSS_CHECK);
			}
		}
		return bean;
	}

	private void warn(Class<?> type) {
		if (this.warned.add(type)) {
			logger.warn("The transaction manager " + type.getName()
					+ " accepts no listeners: its transactions commit even if "
					+ "the lock that they began under was lost. Let it implement ConfigurableTransactionManager, or call "
					+ "assertHeld() of the lock as the last step of each transaction.");
		}
	}

	/**
	 * Called in the thread that commits.
	 */
	private static final class LossCheck implements TransactionExecutionListener {

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			if (transaction.isReadOnly()) {
				return;
			}
			try {
				LockContext.all().forEach(WorkUnderLock::assertNotLost);
			}
			catch (LockLostException ex) {
				// Whether a nested one rolls back is up to the transaction around it
				throw transaction.isNewTransaction() ? RolledBack.note(ex) : ex;
			}
		}

	}

}
