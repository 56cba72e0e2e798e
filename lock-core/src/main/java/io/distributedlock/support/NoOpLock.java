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

package io.distributedlock.support;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.distributedlock.internal.Printable;

/**
 * A {@link Lock} that any number of threads may lock at the same time.
 */
final class NoOpLock implements Lock {

	private final String name;

	private final ThreadLocal<Map<String, Integer>> holds;

	NoOpLock(String name, ThreadLocal<Map<String, Integer>> holds) {
		this.name = name;
		this.holds = holds;
	}

	@Override
	public void lock() {
		this.holds.get().merge(this.name, 1, Integer::sum);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException("Interrupted before locking '" + Printable.of(this.name) + "'.");
		}
		lock();
	}

	@Override
	public boolean tryLock() {
		lock();
		return true;
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		lockInterruptibly();
		return true;
	}

	@Override
	public void unlock() {
		if (!this.holds.get().containsKey(this.name)) {
			throw new IllegalMonitorStateException("This thread has not locked '" + Printable.of(this.name) + "'.");
		}
		this.holds.get().computeIfPresent(this.name, (name, count) -> (count > 1) ? count - 1 : null);
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("Distributed locks have no conditions.");
	}

}
