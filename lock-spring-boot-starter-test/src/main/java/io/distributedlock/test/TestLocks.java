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

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.WaitingLock;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.StoredLock;
import org.assertj.core.api.AssertProvider;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;

/**
 * What a test does to the locks of the application, and sees of them. A bean of contexts
 * with {@link AutoConfigureDistributedLock @AutoConfigureDistributedLock}. Undone after
 * each test method: holds of other instances end, the store works again, all locks are
 * free; only the clock goes on from where it is.
 *
 * @since 0.1.0
 */
public final class TestLocks implements AssertProvider<TestLocksAssert>, DisposableBean {

	private final TestClock clock;

	private final TestLockStore store;

	private final BeanFactory beanFactory;

	private final DefaultLockService otherInstance;

	private final ConcurrentLinkedQueue<LockHandle> heldElsewhere = new ConcurrentLinkedQueue<>();

	TestLocks(TestClock clock, TestLockStore store, BeanFactory beanFactory) {
		this.clock = clock;
		this.store = store;
		this.beanFactory = beanFactory;
		this.otherInstance = new DefaultLockService(store.table().connect(), EngineSettings.of("another-instance"),
				List.of(), clock);
	}

	/**
	 * Let time pass: leases end, renewals happen, waits time out, at once.
	 * @param time how much, positive
	 */
	public void advance(Duration time) {
		this.clock.advance(time);
		this.otherInstance.catchUp();
		this.beanFactory.getBean(DefaultLockService.class).catchUp();
	}

	/**
	 * Let another instance of the application hold a lock.
	 * @param name the name of the lock
	 * @return the hold of the other instance; close it to release the lock. It is renewed
	 * until then
	 * @throws io.distributedlock.LockNotAcquiredException if the lock is held already
	 */
	public LockHandle hold(String name) {
		LockHandle handle = this.otherInstance.acquireAsync(name, LockOptions.builtIn().withAutoRenew()).join();
		this.heldElsewhere.add(handle);
		return handle;
	}

	/**
	 * Let a lock end before its time, as if its key had expired. The holder learns of it
	 * at its next renewal, extension or release. Does nothing if the lock is free.
	 * @param name the name of the lock
	 */
	public void expire(String name) {
		this.store.table()
			.find(name)
			.join()
			.ifPresent((lock) -> this.store.table().release(name, LockToken.parse(lock.holder())).join());
	}

	/**
	 * Let every command to the lock store fail, as if it were down.
	 */
	public void failStore() {
		this.store.fail();
	}

	/**
	 * End what {@link #failStore()} began.
	 */
	public void restoreStore() {
		this.store.restore();
	}

	/**
	 * Tell whether anybody holds a lock.
	 * @param name the name of the lock
	 * @return whether it is held, by the application or by another instance
	 */
	public boolean isHeld(String name) {
		return holder(name).isPresent();
	}

	/**
	 * Tell who holds a lock.
	 * @param name the name of the lock
	 * @return the name of the instance, or empty if the lock is free
	 */
	public Optional<String> holder(String name) {
		return this.store.table().find(name).join().map(StoredLock::holder).map(TestLocks::instanceName);
	}

	private static String instanceName(String token) {
		int tilde = token.indexOf('~');
		return (tilde > 0) ? token.substring(0, tilde) : token;
	}

	/**
	 * Return how many callers in the application wait for a lock.
	 * @param name the name of the lock
	 * @return their number
	 */
	public long waiters(String name) {
		return this.beanFactory.getBean(LockService.class)
			.waiting()
			.stream()
			.map(WaitingLock::name)
			.filter(name::equals)
			.count();
	}

	/**
	 * Return assertions about these locks; called by {@code assertThat(locks)}.
	 */
	@Override
	public TestLocksAssert assertThat() {
		return new TestLocksAssert(this);
	}

	/**
	 * Undo what the test did.
	 */
	void reset() {
		restoreStore();
		for (LockHandle handle = this.heldElsewhere.poll(); handle != null; handle = this.heldElsewhere.poll()) {
			handle.close();
		}
		this.store.table().clear();
	}

	@Override
	public void destroy() {
		this.otherInstance.close();
	}

}
