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

import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the line that names methods whose lock is younger than their transaction.
 */
@ExtendWith(OutputCaptureExtension.class)
class OlderTransactionTests {

	private final TransactionTemplate transaction = new TransactionTemplate(new WithoutDatabase());

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory")
		.withBean(Stock.class);

	@Test
	void lockInAnOlderTransactionIsLoggedOnceForEachMethod(CapturedOutput output) {
		this.contextRunner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			this.transaction.executeWithoutResult((status) -> stock.sell("a"));
			this.transaction.executeWithoutResult((status) -> stock.sell("b"));
			assertThat(output).containsOnlyOnce("Stock.sell took its lock in a transaction that had begun before");
			this.transaction.executeWithoutResult((status) -> stock.count("a"));
			assertThat(output).containsOnlyOnce("Stock.count took its lock in a transaction that had begun before");
		});
	}

	@Test
	void lockWithoutATransactionOrAroundOneIsNotLogged(CapturedOutput output) {
		this.contextRunner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			stock.sell("a");
			stock.around(() -> this.transaction.executeWithoutResult((status) -> stock.sell("a")));
			assertThat(output).doesNotContain("took its lock in a transaction");
		});
	}

	static class Stock {

		@DistributedLock(name = "stock:#{#item}")
		public void sell(String item) {
		}

		@DistributedLock(name = "stock:#{#item}")
		public int count(String item) {
			return 0;
		}

		@DistributedLock(name = "stock:a")
		public void around(Runnable work) {
			work.run();
		}

	}

	private static final class WithoutDatabase extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		@Override
		protected Object doGetTransaction() {
			return new Object();
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

}
