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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * Detects an inbox that is dead although its connection was not closed, for example
 * behind a firewall that drops idle connections. While a caller waits and nothing
 * arrives, the inbox gets a message from its own instance from time to time; if that does
 * not arrive either, the inbox subscribes again. It also does if its server is a replica
 * of the one that has the locks, which hands off no lock to an instance that it does not
 * count. Needs no thread, as waiters confirm their places.
 */
final class InboxWatch implements MessageListener, SubscriptionListener {

	private static final Log logger = LogFactory.getLog(InboxWatch.class);

	/** Without a message. */
	private static final long LONGEST_SILENCE = TimeUnit.SECONDS.toNanos(10);

	private static final byte[] PROBE = "?".getBytes(StandardCharsets.US_ASCII);

	private final InboxListener listener;

	private final long timeout;

	private final Supplier<CompletionStage<Boolean>> publish;

	private final Runnable resubscribe;

	private final LongSupplier clock;

	private final AtomicLong arrivals = new AtomicLong();

	private final AtomicBoolean publishing = new AtomicBoolean();

	/** When the message that has not arrived was published. */
	private final AtomicReference<@Nullable Long> published = new AtomicReference<>();

	private final AtomicBoolean warned = new AtomicBoolean();

	private volatile long latest;

	private volatile boolean subscribed;

	/**
	 * Create a watch.
	 * @param timeout how long a message may take
	 * @param publish publishes a {@linkplain #probe() probe} to the inbox, and returns
	 * whether the server has counted a listener, or cannot count all of them
	 */
	InboxWatch(InboxListener listener, Duration timeout, Supplier<CompletionStage<Boolean>> publish,
			Runnable resubscribe, LongSupplier clock) {
		this.listener = listener;
		this.timeout = timeout.toNanos();
		this.publish = publish;
		this.resubscribe = resubscribe;
		this.clock = clock;
	}

	static byte[] probe() {
		return PROBE.clone();
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		arrived();
		if (!Arrays.equals(message.getBody(), PROBE)) {
			this.listener.onMessage(message, pattern);
		}
	}

	@Override
	public void onChannelSubscribed(byte[] channel, long count) {
		arrived();
		this.subscribed = true;
		this.listener.onChannelSubscribed(channel, count);
	}

	/** Note that a caller waits; called again at least once a second. */
	void waiting() {
		if (!this.subscribed) {
			return;
		}
		long now = this.clock.getAsLong();
		Long since = this.published.get();
		if (since != null) {
			if (now - since > this.timeout && this.published.compareAndSet(since, null)) {
				dead("Lock grants no longer arrive, although the connection appears to be open. If this happens often, look for a firewall or proxy that drops idle connections.");
			}
		}
		else if (now - this.latest > LONGEST_SILENCE && this.publishing.compareAndSet(false, true)) {
			publish();
		}
	}

	private void publish() {
		long arrivalsBefore = this.arrivals.get();
		this.publish.get().whenComplete((counted, failure) -> {
			if (failure != null) {
				// Not a sign that the inbox is dead
				this.latest = this.clock.getAsLong();
			}
			else if (!counted) {
				dead("Lock grants do not arrive: the server that has the locks does not know the subscription, as after an outage or a failover. It is renewed.");
			}
			else {
				this.published.set(this.clock.getAsLong());
				if (this.arrivals.get() != arrivalsBefore) {
					this.published.set(null);
				}
			}
			this.publishing.set(false);
		});
	}

	private void arrived() {
		this.latest = this.clock.getAsLong();
		this.arrivals.incrementAndGet();
		this.published.set(null);
	}

	private void dead(String problem) {
		this.subscribed = false;
		String message = problem + " Subscribing again; until then, waiters ask every second instead.";
		if (this.warned.compareAndSet(false, true)) {
			logger.warn(message);
		}
		else {
			logger.debug(message);
		}
		this.resubscribe.run();
	}

}
