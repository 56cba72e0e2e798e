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

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * A subscription through a client that blocks, such as Jedis, or one of which that is not
 * known, such as Redisson: in a thread of its own, which subscribes again for as long as
 * it is open.
 */
final class BlockingInbox implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(BlockingInbox.class);

	/** Those that read from dead sockets, and one that lives. */
	private static final int MOST_READERS = 4;

	private final RedisConnectionFactory connectionFactory;

	private final byte[] channel;

	private final InboxWatch watch;

	private final CountDownLatch closed = new CountDownLatch(1);

	private final AtomicInteger readers = new AtomicInteger();

	private volatile @Nullable Reader reader;

	BlockingInbox(RedisConnectionFactory connectionFactory, byte[] channel, InboxWatch watch) {
		this.connectionFactory = connectionFactory;
		this.channel = channel;
		this.watch = watch;
	}

	void open() {
		Reader next = new Reader();
		this.readers.incrementAndGet();
		this.reader = next;
		StoreThreads.daemon(next, "distributed-lock-redis-inbox").start();
	}

	/** Note that a caller waits for a grant. */
	void waiting() {
		this.watch.waiting();
	}

	/**
	 * Subscribe over a new socket, although the one that there is looks open. No client
	 * lets the old one be closed while a thread reads from it. But what is written to it
	 * is never acknowledged, so the system gives it up after a while, at most a quarter
	 * of an hour, and the thread ends.
	 */
	void resubscribe() {
		Reader current = this.reader;
		if (isOpen() && this.readers.get() < MOST_READERS) {
			open();
		}
		if (current != null) {
			current.unsubscribe();
		}
	}

	@Override
	public void close() {
		this.closed.countDown();
		Reader current = this.reader;
		if (current != null) {
			current.unsubscribe();
		}
	}

	private boolean isOpen() {
		return this.closed.getCount() > 0;
	}

	/**
	 * A thread that subscribes, and passes on what arrives.
	 */
	private final class Reader implements Runnable, MessageListener, SubscriptionListener {

		private final Backoff backoff = new Backoff();

		private volatile @Nullable RedisConnection connection;

		/** Of the present subscription; down once it was asked to end. */
		private volatile CountDownLatch ended = new CountDownLatch(1);

		@Override
		public void run() {
			try {
				do {
					subscribe();
				}
				while (isCurrent()
						&& !BlockingInbox.this.closed.await(this.backoff.next().toMillis(), TimeUnit.MILLISECONDS));
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			finally {
				BlockingInbox.this.readers.decrementAndGet();
			}
		}

		private boolean isCurrent() {
			return BlockingInbox.this.reader == this;
		}

		/** Returns when the subscription has ended, for whatever reason. */
		private void subscribe() throws InterruptedException {
			this.ended = new CountDownLatch(1);
			try (RedisConnection current = BlockingInbox.this.connectionFactory.getConnection()) {
				this.connection = current;
				if (isOpen() && isCurrent()) {
					current.subscribe(this, BlockingInbox.this.channel);
					awaitEnd(current.getSubscription());
				}
			}
			catch (RuntimeException ex) {
				logger.debug("Not subscribed to lock grants now; waiters ask every second instead.", ex);
			}
			finally {
				this.connection = null;
			}
		}

		/** Some clients, such as Redisson, return while the subscription lives on. */
		private void awaitEnd(@Nullable Subscription subscription) throws InterruptedException {
			if (subscription != null && subscription.isAlive()) {
				this.ended.await();
				subscription.close();
			}
		}

		private void unsubscribe() {
			this.ended.countDown();
			RedisConnection current = this.connection;
			Subscription subscription = (current != null) ? current.getSubscription() : null;
			if (subscription == null) {
				return;
			}
			try {
				subscription.close();
			}
			catch (RuntimeException ex) {
				logger.debug("The subscription to lock grants cannot be ended in an orderly way.", ex);
			}
		}

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
			BlockingInbox.this.watch.onMessage(message, pattern);
		}

		/** The inbox may have been closed while it subscribed. */
		@Override
		public void onChannelSubscribed(byte[] subscribed, long count) {
			this.backoff.reset();
			if (isOpen()) {
				BlockingInbox.this.watch.onChannelSubscribed(subscribed, count);
			}
			else {
				unsubscribe();
			}
		}

	}

}
