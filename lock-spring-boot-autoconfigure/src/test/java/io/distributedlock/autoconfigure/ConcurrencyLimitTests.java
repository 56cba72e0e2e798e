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

package io.distributedlock.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockInspector;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.InvocationRejectedException;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.ConcurrencyLimit.ThrottlePolicy;
import org.springframework.resilience.annotation.EnableResilientMethods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The example of docs/several-holders.md: {@link ConcurrencyLimit} around
 * {@link DistributedLock}.
 */
class ConcurrencyLimitTests {

	private static final int LIMIT = 20;

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class))
		.withPropertyValues("distributed-lock.provider=in-memory")
		.withUserConfiguration(Resilience.class)
		.withBean(Stock.class);

	@Test
	void callersBeyondTheLimitAreRefusedWhileTheOthersWaitForTheLock() {
		this.contextRunner.run((context) -> {
			Stock stock = context.getBean(Stock.class);
			LockInspector locks = context.getBean(LockInspector.class);
			List<CompletableFuture<Void>> callers = new ArrayList<>();
			ExecutorService threads = Executors.newFixedThreadPool(LIMIT);
			try {
				for (int i = 0; i < LIMIT; i++) {
					callers.add(CompletableFuture.runAsync(() -> stock.purchase("phone"), threads));
				}
				await().until(() -> locks.held().size() == 1 && locks.waiting().size() == LIMIT - 1);
				assertThatExceptionOfType(InvocationRejectedException.class).isThrownBy(() -> stock.purchase("phone"));
				assertThat(locks.waiting()).hasSize(LIMIT - 1);
				stock.open();
				assertThat(callers).allSatisfy((caller) -> assertThat(caller.get(30, TimeUnit.SECONDS)).isNull());
				stock.purchase("phone");
			}
			finally {
				stock.open();
				threads.shutdown();
			}
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods
	static class Resilience {

	}

	static class Stock {

		private final CountDownLatch opened = new CountDownLatch(1);

		@ConcurrencyLimit(limit = LIMIT, policy = ThrottlePolicy.REJECT)
		@DistributedLock(name = "'stock:' + #product", waitTime = 60)
		void purchase(String product) {
			try {
				this.opened.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		void open() {
			this.opened.countDown();
		}

	}

}
