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

import java.util.function.Consumer;

import io.distributedlock.annotation.AdviceOrderTests.WithoutDatabase;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.LockStore;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.OutputCaptureExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the line that names methods whose lock is younger than their transaction.
 */
@ExtendWith(OutputCaptureExtension.class)
class OlderTransactionTests {

	private final TransactionTemplate transaction = new TransactionTemplate(new WithoutDatabase());

	@Test
	void lockInAnOlderTransactionIsLoggedOnceForEachMethod(CapturedOutput output) {
		with((stock) -> {
			this.transaction.executeWithoutResult((status) -> stock.sell("a"));
			this.transaction.executeWithoutResult((status) -> stock.sell("b"));
			assertThat(output).containsOnlyOnce("Stock.sell took its lock in a transaction that had begun before");
			this.transaction.executeWithoutResult((status) -> stock.count("a"));
			assertThat(output).containsOnlyOnce("Stock.count took its lock in a transaction that had begun before");
		});
	}

	@Test
	void transactionWithANameIsNamed(CapturedOutput output) {
		with((stock) -> {
			this.transaction.setName("com.example.Orders.place");
			this.transaction.executeWithoutResult((status) -> stock.sell("a"));
			assertThat(output).contains(
					"Stock.sell took its lock in a transaction that had begun before, 'com.example.Orders.place': what");
		});
	}

	@Test
	void lockInAnOlderTransactionIsAWarningThatCanBeSuppressed(CapturedOutput output) {
		with((stock) -> {
			this.transaction.executeWithoutResult((status) -> stock.meant("a"));
			assertThat(output).doesNotContain("took its lock in a transaction");
			this.transaction.executeWithoutResult((status) -> stock.sell("a"));
			assertThat(output.toString().lines())
				.filteredOn((line) -> line.contains("Stock.sell took its lock in a transaction"))
				.singleElement()
				.asString()
				.contains("WARN", "and say so with @SuppressLockWarnings");
		});
	}

	@Test
	void lockWithoutATransactionOrAroundOneIsNotLogged(CapturedOutput output) {
		with((stock) -> {
			stock.sell("a");
			stock.around(() -> this.transaction.executeWithoutResult((status) -> stock.sell("a")));
			assertThat(output).doesNotContain("took its lock in a transaction");
		});
	}

	private static void with(Consumer<Stock> test) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(LockStore.class, () -> new InMemoryLockStore());
			context.register(Stock.class, DistributedLockConfiguration.class);
			context.refresh();
			test.accept(context.getBean(Stock.class));
		}
	}

	static class Stock {

		@DistributedLock(name = "stock:#{#item}")
		public void sell(String item) {
		}

		@DistributedLock(name = "stock:#{#item}")
		public int count(String item) {
			return 0;
		}

		@SuppressLockWarnings // reads again under the lock
		@DistributedLock(name = "stock:#{#item}")
		public void meant(String item) {
		}

		@DistributedLock(name = "stock:a")
		public void around(Runnable work) {
			work.run();
		}

	}

}
