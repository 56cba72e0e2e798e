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

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import io.distributedlock.internal.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A subscription through Lettuce, which subscribes again by itself after each reconnect;
 * only the first subscription is made here. Needs no thread while it is subscribed.
 */
final class LettuceInbox implements Inbox {

	private static final Log logger = LogFactory.getLog(LettuceInbox.class);

	private final Supplier<? extends RedisConnectionFactory> connectionFactories;

	private final ConnectorThread connector;

	private final byte[] channel;

	private final InboxWatch watch;

	private final Backoff backoff = new Backoff();

	private final BooleanSupplier outage;

	private volatile @Nullable RedisConnection connection;

	/** Whether the present failure was logged. Only in the connector thread. */
	private boolean warned;

	/**
	 * Create an inbox that is not open yet.
	 * @param connectionFactories supplies the factory to connect with, for each attempt
	 * @param outage whether an outage has been logged that is not over
	 */
	LettuceInbox(Supplier<? extends RedisConnectionFactory> connectionFactories, ConnectorThread connector,
			byte[] channel, InboxWatch watch, BooleanSupplier outage) {
		this.connectionFactories = connectionFactories;
		this.connector = connector;
		this.channel = channel;
		this.watch = watch;
		this.outage = outage;
	}

	@Override
	public void open() {
		this.connector.execute(this::subscribe);
	}

	@Override
	public void waiting() {
		this.watch.waiting();
	}

	/** Lettuce then subscribes again, over a new socket. */
	boolean disconnect() {
		RedisConnection current = this.connection;
		return current != null && NativeConnection.of(current).disconnect("");
	}

	@Override
	public void resubscribe() {
		if (!disconnect()) {
			this.connector.execute(() -> {
				RedisConnection dead = this.connection;
				this.connection = null;
				closeQuietly(dead);
				subscribe();
			});
		}
	}

	/**
	 * Subscribe again if other code has closed the connection for good. Only in the
	 * connector thread.
	 */
	void revive() {
		RedisConnection current = this.connection;
		if (current != null && NativeConnection.of(current).isClosed()) {
			subscribe();
		}
	}

	@Override
	public void close() {
		RedisConnection current = this.connection;
		this.connection = null;
		if (current != null) {
			current.close();
		}
	}

	/** Only in the connector thread. */
	private void subscribe() {
		RedisConnection attempt = null;
		try {
			attempt = this.connectionFactories.get().getConnection();
			attempt.subscribe(this.watch, this.channel);
			this.backoff.succeeded();
			this.warned = false;
			this.connection = attempt;
			if (this.connector.isClosed()) {
				close();
			}
		}
		catch (RuntimeException ex) {
			logFailure(ex);
			closeQuietly(attempt);
			this.connector.schedule(this::subscribe, this.backoff.nextMillis());
		}
	}

	/**
	 * Log one line, unless an outage has logged its own: the failure then belongs to the
	 * outage, until commands are answered again and the inbox still cannot be opened.
	 */
	private void logFailure(RuntimeException ex) {
		String message = "Cannot subscribe to lock grants; waiters ask every second instead. Trying again.";
		boolean partOfOutage = FailureTranslator.isOutage(ex) && (this.backoff.isFirst() || this.outage.getAsBoolean());
		if (!this.warned && !this.connector.isClosed() && !partOfOutage) {
			this.warned = true;
			logger.warn(message + " The failure was: " + Printable.of(FailureTranslator.innermostMessage(ex)));
		}
		logger.debug(message, ex);
	}

	private static void closeQuietly(@Nullable RedisConnection attempt) {
		if (attempt == null) {
			return;
		}
		try {
			attempt.close();
		}
		catch (RuntimeException ex) {
			logger.debug("A connection that failed cannot be closed either.", ex);
		}
	}

}
