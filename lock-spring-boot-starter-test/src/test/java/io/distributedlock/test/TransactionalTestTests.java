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

package io.distributedlock.test;

import io.distributedlock.LockService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.annotation.Commit;
import org.springframework.test.context.transaction.AfterTransaction;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AutoConfigureDistributedLock} with test methods in a transaction.
 */
@SpringBootTest(classes = TransactionalTestTests.Application.class)
@AutoConfigureDistributedLock
@Transactional
@ExtendWith(OutputCaptureExtension.class)
class TransactionalTestTests {

	@Autowired
	private LockService service;

	@Autowired
	private TestLocks locks;

	@Test
	@Commit
	void transactionOfATestKeepsTheLocksUntilItHasCommitted() {
		this.service.executeWithoutResult("a", () -> {
		});
	}

	@AfterEach
	void stillHeld() {
		assertThat(this.locks).isHeld("a");
	}

	@AfterTransaction
	void free(CapturedOutput output) {
		assertThat(this.locks).isFree("a");
		assertThat(output).doesNotContain("left lock");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		PlatformTransactionManager transactionManager() {
			return new Transactions();
		}

	}

	private static final class Transactions extends AbstractPlatformTransactionManager {

		private static final long serialVersionUID = 1L;

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			// Nothing to begin
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			// Nothing to commit
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			// Nothing to roll back
		}

	}

}
