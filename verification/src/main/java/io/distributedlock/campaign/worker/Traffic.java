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

package io.distributedlock.campaign.worker;

import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Lets the threads of a worker make attempts, or keeps them from it: who makes one reads,
 * and the thread that keeps them from it writes.
 */
final class Traffic {

	private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

	private volatile boolean over;

	Traffic() {
		drain();
	}

	void open() {
		if (this.lock.isWriteLockedByCurrentThread()) {
			this.lock.writeLock().unlock();
		}
	}

	/**
	 * Let nobody in any more, and wait until those inside have left.
	 */
	void drain() {
		if (!this.lock.isWriteLockedByCurrentThread()) {
			this.lock.writeLock().lock();
		}
	}

	void end() {
		this.over = true;
		open();
	}

	/**
	 * Wait until an attempt may be made.
	 * @return whether there is ever to be another one
	 */
	boolean enter() {
		this.lock.readLock().lock();
		if (!this.over) {
			return true;
		}
		this.lock.readLock().unlock();
		return false;
	}

	void leave() {
		this.lock.readLock().unlock();
	}

}
