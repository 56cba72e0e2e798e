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

package io.distributedlock.store.trace;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.Grant;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.StoredLockDetails;

/**
 * The store in memory, with a clock of its own.
 */
final class MemorySubject implements Subject {

	private final AtomicLong now = new AtomicLong(SECOND);

	private final LockStore store;

	private final List<Step.Pushed> pushed = new ArrayList<>();

	/**
	 * Create a subject with a class that may have a planted bug.
	 */
	MemorySubject(Class<?> type) {
		try {
			this.store = (LockStore) type.getConstructor(LongSupplier.class).newInstance((LongSupplier) this.now::get);
			for (String instance : INSTANCES) {
				((LockStore) type.getMethod("connect").invoke(this.store)).listen(instance, new Inbox());
			}
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public boolean isRedis() {
		return false;
	}

	@Override
	public LockStore store() {
		return this.store;
	}

	@Override
	public void pass(String name, long ticks) {
		this.now.addAndGet(ticks * SECOND);
	}

	@Override
	public Step.Observed look(String name) {
		return seen(this.store.describe(name).join(), SECOND);
	}

	static Step.Observed seen(Optional<StoredLockDetails> lock, long tick) {
		List<Step.Held> holders = new ArrayList<>();
		List<Step.Place> queue = new ArrayList<>();
		lock.ifPresent((present) -> {
			present.holds()
				.forEach((hold) -> holders
					.add(new Step.Held(hold.holder(), (hold.limit() == AcquireRequest.NO_LIMIT) ? 0 : hold.limit(),
							Objects.requireNonNull(hold.remaining()).toNanos() / tick)));
			present.queue().forEach((waiter) -> queue.add(new Step.Place(waiter.token(), 1)));
		});
		return new Step.Observed(holders, null, queue, false);
	}

	static Step.Pushed pushed(Grant grant, long tick) {
		return new Step.Pushed(grant.token().text(), grant.fencingToken(), grant.fenceBlock(),
				grant.lease().toNanos() / tick);
	}

	@Override
	public List<Step.Pushed> messages(int expected) {
		List<Step.Pushed> messages = List.copyOf(this.pushed);
		this.pushed.clear();
		return messages;
	}

	@Override
	public boolean wasPunctual() {
		return true;
	}

	@Override
	public void close() {
		this.store.close();
	}

	private final class Inbox implements GrantListener {

		@Override
		public void granted(Grant grant) {
			MemorySubject.this.pushed.add(pushed(grant, SECOND));
		}

		@Override
		public void revoked(String name, LockToken token) {
		}

		@Override
		public void subscribed() {
		}

	}

}
