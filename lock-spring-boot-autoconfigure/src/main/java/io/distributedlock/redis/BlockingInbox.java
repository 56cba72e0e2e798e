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
 * A subscription through a client that blocks, such as Jedis: in a thread of its own,
 * which subscribes again for as long as it is open.
 */
final class BlockingInbox implements Runnable, AutoCloseable {

	private static final Log logger = LogFactory.getLog(BlockingInbox.class);

	private final RedisConnectionFactory connectionFactory;

	private final byte[] channel;

	private final InboxListener listener;

	private final CountDownLatch closed = new CountDownLatch(1);

	private final Backoff backoff = new Backoff();

	private volatile @Nullable RedisConnection connection;

	BlockingInbox(RedisConnectionFactory connectionFactory, byte[] channel, InboxListener listener) {
		this.connectionFactory = connectionFactory;
		this.channel = channel;
		this.listener = listener;
	}

	void open() {
		StoreThreads.daemon(this, "distributed-lock-redis-inbox").start();
	}

	@Override
	public void run() {
		try {
			do {
				subscribe();
			}
			while (!this.closed.await(this.backoff.next().toMillis(), TimeUnit.MILLISECONDS));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void close() {
		this.closed.countDown();
		unsubscribe();
	}

	/** Returns when the subscription has ended, for whatever reason. */
	private void subscribe() {
		try (RedisConnection current = this.connectionFactory.getConnection()) {
			this.connection = current;
			if (this.closed.getCount() > 0) {
				current.subscribe(new Relay(), this.channel);
			}
		}
		catch (RuntimeException ex) {
			logger.debug("Not subscribed to lock grants now; waiters look every second instead.", ex);
		}
		finally {
			this.connection = null;
		}
	}

	private void unsubscribe() {
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

	/**
	 * Passes on what arrives, unless the inbox was closed while it subscribed.
	 */
	private final class Relay implements MessageListener, SubscriptionListener {

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
			BlockingInbox.this.listener.onMessage(message, pattern);
		}

		@Override
		public void onChannelSubscribed(byte[] subscribed, long count) {
			BlockingInbox.this.backoff.reset();
			if (BlockingInbox.this.closed.getCount() > 0) {
				BlockingInbox.this.listener.onChannelSubscribed(subscribed, count);
			}
			else {
				unsubscribe();
			}
		}

	}

}
