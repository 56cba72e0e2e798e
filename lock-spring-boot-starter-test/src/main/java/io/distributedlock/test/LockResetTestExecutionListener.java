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

import java.util.function.Consumer;

import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Resets the locks after each test method, and ensures that no wait for a lock keeps the
 * test method from ending.
 */
final class LockResetTestExecutionListener extends AbstractTestExecutionListener {

	/**
	 * Those of test methods begin at 4000, and the context is closed at 3000: a
	 * transaction that has not ended still needs its locks.
	 */
	private static final int BEFORE_TRANSACTIONS = 3500;

	@Override
	public int getOrder() {
		return BEFORE_TRANSACTIONS;
	}

	@Override
	public void beforeTestMethod(TestContext testContext) {
		withLocks(testContext, TestLocks::begin);
	}

	@Override
	public void afterTestMethod(TestContext testContext) {
		withLocks(testContext, (locks) -> locks
			.reset(testContext.getTestClass().getSimpleName() + "." + testContext.getTestMethod().getName()));
	}

	private static void withLocks(TestContext testContext, Consumer<TestLocks> action) {
		if (testContext.hasApplicationContext()) {
			ApplicationContext context = testContext.getApplicationContext();
			context.getBeanProvider(TestLocks.class).ifAvailable(action);
		}
	}

}
