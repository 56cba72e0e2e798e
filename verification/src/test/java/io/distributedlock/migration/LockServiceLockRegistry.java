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

package io.distributedlock.migration;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.distributedlock.LockOptions;
import io.distributedlock.LockService;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * A {@code LockRegistry} of Spring Integration with the locks of a {@link LockService}.
 */
class LockServiceLockRegistry implements LockRegistry<DistributedLock> {

	private final LockService locks;

	private final LockOptions options;

	LockServiceLockRegistry(LockService locks, LockOptions options) {
		this.locks = locks;
		this.options = options;
	}

	@Override
	public DistributedLock obtain(Object lockKey) {
		return new View(lockKey.toString());
	}

	private final class View implements DistributedLock {

		private final String name;

		View(String name) {
			this.name = name;
		}

		private Lock with(LockOptions options) {
			return LockServiceLockRegistry.this.locks.asLock(this.name, options);
		}

		private LockOptions options() {
			return LockServiceLockRegistry.this.options;
		}

		@Override
		public void lock() {
			with(options()).lock();
		}

		@Override
		public void lock(Duration lease) {
			with(options().withLease(lease)).lock();
		}

		@Override
		public void lockInterruptibly() throws InterruptedException {
			with(options()).lockInterruptibly();
		}

		@Override
		public boolean tryLock() {
			return with(options()).tryLock();
		}

		@Override
		public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
			return with(options()).tryLock(time, unit);
		}

		@Override
		public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
			return with(options().withLease(lease)).tryLock(wait.toNanos(), TimeUnit.NANOSECONDS);
		}

		@Override
		public void unlock() {
			with(options()).unlock();
		}

		@Override
		public Condition newCondition() {
			return with(options()).newCondition();
		}

	}

}
