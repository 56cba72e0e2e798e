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

package io.distributedlock.engine;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.distributedlock.engine.EngineFixture.soon;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HolderInterrupt}.
 */
@Timeout(30)
class HolderInterruptTests {

	@AutoClose("shutdownNow")
	private final ExecutorService holder = Executors.newSingleThreadExecutor();

	@AutoClose("shutdownNow")
	private final ExecutorService deliverer = Executors.newSingleThreadExecutor();

	@Test
	void interruptPostponedByAQueuedHolderIsWithdrawn() throws Exception {
		Thread thread = this.holder.submit(Thread::currentThread).get();
		HolderInterrupt interrupt = new HolderInterrupt(thread);
		ReentrantLock lock = new ReentrantLock();
		lock.lock();
		Future<Boolean> interruptedAfterwards = this.holder.submit(() -> {
			lock.lock();
			lock.unlock();
			boolean inside = Thread.currentThread().isInterrupted();
			interrupt.end();
			return inside && Thread.interrupted();
		});
		soon(() -> lock.hasQueuedThread(thread));
		interrupt.start(this.deliverer);
		soon(() -> interrupt.state.get() != HolderInterrupt.State.PLANNED && !thread.isInterrupted());
		TimeUnit.MILLISECONDS.sleep(30);
		lock.unlock();
		assertThat(interruptedAfterwards.get()).isFalse();
	}

	@Test
	void foreignInterruptIsKeptAfterTheHolderHasNoticedTheLoss() throws Exception {
		Thread thread = this.holder.submit(Thread::currentThread).get();
		HolderInterrupt interrupt = new HolderInterrupt(thread);
		CountDownLatch working = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		Future<Boolean> interruptedAfterwards = this.holder.submit(() -> {
			// An executor clears the flag of a thread before it gives it a task
			working.countDown();
			boolean noticed = false;
			while (!noticed) {
				noticed = Thread.interrupted();
			}
			while (goOn.getCount() > 0 || !Thread.currentThread().isInterrupted()) {
				Thread.onSpinWait();
			}
			interrupt.end();
			return Thread.interrupted();
		});
		working.await();
		interrupt.start(this.deliverer);
		soon(() -> interrupt.state.get() == HolderInterrupt.State.OVER);
		goOn.countDown();
		thread.interrupt();
		assertThat(interruptedAfterwards.get()).isTrue();
	}

}
