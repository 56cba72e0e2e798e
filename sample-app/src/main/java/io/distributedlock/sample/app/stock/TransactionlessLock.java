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

package io.distributedlock.sample.app.stock;

import java.time.Duration;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;

import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Plays a lock that knows nothing of transactions, such as one of another library: it
 * ends at its {@link #unlock}. A lock of this library that is taken or closed in a
 * transaction ends after the commit, so this one is taken and closed outside of it.
 */
@Component
class TransactionlessLock {

	private static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofSeconds(10))
		.withWaitTime(Duration.ofSeconds(20))
		.withDeclaredName("stock");

	private final LockService locks;

	TransactionlessLock(LockService locks) {
		this.locks = locks;
	}

	@Transactional(propagation = Propagation.NOT_SUPPORTED)
	public LockHandle lock(String name) {
		return this.locks.acquire(name, OPTIONS);
	}

	@Transactional(propagation = Propagation.NOT_SUPPORTED)
	public void unlock(LockHandle lock) {
		lock.close();
	}

}
