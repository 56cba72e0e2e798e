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

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Finds the transaction managers that beans use, which need not be beans themselves.
 */
public final class TransactionManagers {

	private TransactionManagers() {
	}

	/**
	 * Return the transaction manager that a bean is, or begins its transactions with.
	 */
	public static @Nullable TransactionManager of(Object bean) {
		if (bean instanceof TransactionAspectSupport advice) {
			return advice.getTransactionManager();
		}
		if (bean instanceof TransactionTemplate template) {
			return template.getTransactionManager();
		}
		return (bean instanceof TransactionManager manager) ? manager : null;
	}

}
