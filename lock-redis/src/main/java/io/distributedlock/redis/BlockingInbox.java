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
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.internal.DaemonThread;
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
 * A subscription through a client that blocks, such as Jedis, or may block, such as
 * Redisson. Runs in a thread of its own, which subscribes again until this is closed.
 */
final class BlockingInbox implements Inbox {

	private static final Log logger = LogFactory.getLog(BlockingInbox.class);

	/** The readers of dead sockets and of the live socket. */
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

	@Override
	public void open() {
		Reader next = new Reader();
		this.readers.incrementAndGet();
		this.reader = next;
		new DaemonThread(next, "distributed-lock-redis-inbox").start();
	}

	@Override
	public void waiting() {
		this.watch.waiting();
	}

	/**
	 * No client can close the old socket while a thread reads from it. But data written
	 * to it is never acknowledged, so the system gives it up after a quarter of an hour
	 * at most, and the thread ends.
	 */
	@Override
	public void resubscribe() {
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
	 * A thread that subscribes for as long as it is the current one.
	 */
	private final class Reader implements Runnable {

		private final Backoff backoff = new Backoff();

		private volatile @Nullable Session session;

		@Override
		public void run() {
			try {
				do {
					subscribe();
				}
				while (isCurrent()
						&& !BlockingInbox.this.closed.await(this.backoff.nextMillis(), TimeUnit.MILLISECONDS));
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
			try (RedisConnection connection = BlockingInbox.this.connectionFactory.getConnection()) {
				Session next = new Session(connection, this.backoff);
				this.session = next;
				if (isOpen() && isCurrent()) {
					next.run();
				}
			}
			catch (RuntimeException ex) {
				logger.debug("Not subscribed to lock grants now; waiters ask every second instead.", ex);
			}
			finally {
				this.session = null;
			}
		}

		private void unsubscribe() {
			Session current = this.session;
			if (current != null) {
				current.end();
			}
		}

	}

	/**
	 * One subscription, which passes on the messages that arrive. It is ended by a thread
	 * other than the reading one, but never while the reading thread may write as well:
	 * Jedis clears its buffer only after a command may have been answered. If the
	 * connection were back in its pool by then, its next user would send the same command
	 * again.
	 */
	private final class Session implements MessageListener, SubscriptionListener {

		private final RedisConnection connection;

		private final Backoff backoff;

		private final Thread reader = Thread.currentThread();

		private final AtomicReference<State> state = new AtomicReference<>(State.SUBSCRIBING);

		/** Down once the subscription has ended or was requested to end. */
		private final CountDownLatch ended = new CountDownLatch(1);

		/** Down once no other thread writes to the connection any more. */
		private final CountDownLatch written = new CountDownLatch(1);

		Session(RedisConnection connection, Backoff backoff) {
			this.connection = connection;
			this.backoff = backoff;
		}

		void run() throws InterruptedException {
			try {
				this.connection.subscribe(this, BlockingInbox.this.channel);
				awaitEnd();
			}
			finally {
				reserve();
			}
		}

		/** Some clients, such as Redisson, return while the subscription lives on. */
		private void awaitEnd() throws InterruptedException {
			Subscription subscription = this.connection.getSubscription();
			if (subscription != null && subscription.isAlive()) {
				this.ended.await();
				close();
			}
		}

		/** While it subscribes, the thread that reads ends it itself. */
		void end() {
			this.ended.countDown();
			if (!this.state.compareAndSet(State.SUBSCRIBING, State.UNWANTED)
					&& this.state.compareAndSet(State.SUBSCRIBED, State.ENDING)) {
				try {
					close();
				}
				finally {
					this.written.countDown();
				}
			}
		}

		private void close() {
			Subscription subscription = this.connection.getSubscription();
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

		/**
		 * From now on no other thread writes to the connection.
		 * @return how far the subscription had come
		 */
		private State reserve() {
			State before = this.state.getAndSet(State.ENDED);
			try {
				if (before == State.ENDING) {
					this.written.await();
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			return before;
		}

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
			BlockingInbox.this.watch.onMessage(message, pattern);
		}

		@Override
		public void onChannelSubscribed(byte[] subscribed, long count) {
			this.state.compareAndSet(State.SUBSCRIBING, State.SUBSCRIBED);
			if (this.state.get() == State.UNWANTED) {
				close();
				return;
			}
			this.backoff.succeeded();
			BlockingInbox.this.watch.onChannelSubscribed(subscribed, count);
		}

		/** Some clients return the connection to its pool right after this. */
		@Override
		public void onChannelUnsubscribed(byte[] unsubscribed, long count) {
			this.ended.countDown();
			if (Thread.currentThread() != this.reader) {
				return;
			}
			State before = reserve();
			if (before == State.SUBSCRIBING || before == State.SUBSCRIBED) {
				// Answers to others have been left on the connection
				BlockingStoreConnection.discard(this.connection);
			}
		}

	}

	private enum State {

		SUBSCRIBING, SUBSCRIBED,

		/** To be ended by the thread that reads, as soon as it has subscribed. */
		UNWANTED,

		/** Another thread is ending it. */
		ENDING, ENDED

	}

}
