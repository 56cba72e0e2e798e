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

package io.distributedlock.redis;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.distributedlock.internal.DeferredInterrupts;
import org.jspecify.annotations.Nullable;

/**
 * A connection that can be closed for a while, with its threads, as a checkpoint of the
 * JVM needs it. The next use opens another one, which subscribes again.
 */
final class SuspendableConnection implements AutoCloseable {

	private final Supplier<StoreConnection> opening;

	private final ReentrantLock lock = new ReentrantLock();

	private volatile @Nullable StoreConnection open;

	/** Guarded by the lock. */
	private @Nullable Subscription subscription;

	/** Guarded by the lock. */
	private boolean closed;

	/**
	 * Create it.
	 * @param opening creates a connection, which does not connect before it is used
	 */
	SuspendableConnection(Supplier<StoreConnection> opening) {
		this.opening = opening;
		this.open = opening.get();
	}

	StoreConnection get() {
		StoreConnection open = this.open;
		return (open != null) ? open : reopen();
	}

	private StoreConnection reopen() {
		DeferredInterrupts.lock(this.lock);
		try {
			StoreConnection open = this.open;
			if (open == null) {
				open = this.opening.get();
				if (this.closed) {
					open.close();
				}
				else if (this.subscription != null) {
					open.listen(this.subscription.channel(), this.subscription.listener());
				}
				this.open = open;
			}
			return open;
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Subscribe until this is closed. Calls after the first one do nothing. */
	void listen(byte[] channel, InboxListener listener) {
		DeferredInterrupts.lock(this.lock);
		try {
			if (this.subscription == null && !this.closed) {
				get().listen(channel, listener);
				this.subscription = new Subscription(channel, listener);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/** Close the connection until it is used again. */
	void suspend() {
		StoreConnection open;
		DeferredInterrupts.lock(this.lock);
		try {
			open = this.closed ? null : this.open;
			if (open != null) {
				this.open = null;
			}
		}
		finally {
			this.lock.unlock();
		}
		if (open != null) {
			open.close();
		}
	}

	@Override
	public void close() {
		DeferredInterrupts.lock(this.lock);
		try {
			this.closed = true;
		}
		finally {
			this.lock.unlock();
		}
		StoreConnection open = this.open;
		if (open != null) {
			open.close();
		}
	}

	private record Subscription(byte[] channel, InboxListener listener) {
	}

}
