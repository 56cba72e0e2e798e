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

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connections of Lettuce, either dedicated to locks or those of the application.
 */
final class LettuceStoreConnection implements StoreConnection {

	private static final Log logger = LogFactory.getLog(LettuceStoreConnection.class);

	private final LettuceConnectionFactory connectionFactory;

	private final @Nullable DedicatedLettuceConnections dedicated;

	private final Duration commandTimeout;

	private final RedisSetup setup;

	private final OutageLog outageLog;

	private final ConnectorThread connector = new ConnectorThread();

	private final LettuceScriptRunner runner;

	private final AtomicReference<@Nullable LettuceInbox> inbox = new AtomicReference<>();

	private LettuceStoreConnection(LettuceConnectionFactory connectionFactory,
			@Nullable DedicatedLettuceConnections dedicated, RedisLockSettings settings) {
		this.connectionFactory = connectionFactory;
		this.dedicated = dedicated;
		this.commandTimeout = settings.commandTimeout();
		this.setup = LettuceTopology.of(connectionFactory).setup(connectionFactory.isUseSsl());
		this.outageLog = new OutageLog(this.setup.description(), Duration.ZERO);
		ConnectionWatchdog watchdog = (dedicated != null) ? new ConnectionWatchdog(this::reset, this::disconnectInbox)
				: null;
		this.runner = new LettuceScriptRunner(connectionFactory, settings.commandTimeout(), settings.connectTimeout(),
				this.connector, watchdog, this.outageLog, this::reviveInbox);
	}

	static boolean supports(RedisConnectionFactory connectionFactory) {
		return LettuceScriptRunner.supports(connectionFactory);
	}

	static LettuceStoreConnection dedicated(RedisConnectionFactory application, RedisLockSettings settings) {
		DedicatedLettuceConnections dedicated = DedicatedLettuceConnections
			.derive((LettuceConnectionFactory) application, settings);
		return new LettuceStoreConnection(dedicated.forCommands(), dedicated, settings);
	}

	static LettuceStoreConnection shared(RedisConnectionFactory application, RedisLockSettings settings) {
		return new LettuceStoreConnection((LettuceConnectionFactory) application, null, settings);
	}

	@Override
	public ScriptRunner runner() {
		return this.runner;
	}

	@Override
	public void warmUp() {
		if (this.dedicated != null) {
			this.runner.warmUp();
		}
	}

	@Override
	public void listen(byte[] channel, InboxListener listener) {
		InboxWatch watch = new InboxWatch(listener, this.commandTimeout,
				() -> this.runner.publish(channel, InboxWatch.probe()), this::resubscribe, System::nanoTime);
		LettuceInbox opened = new LettuceInbox(this::inboxFactory, this.connector, channel, watch,
				this.outageLog::isUnderWay);
		if (this.inbox.compareAndSet(null, opened)) {
			opened.open();
		}
	}

	@Override
	public void waiting() {
		LettuceInbox open = this.inbox.get();
		if (open != null) {
			open.waiting();
		}
	}

	@Override
	public boolean countsReceivers() {
		return !this.connectionFactory.isClusterAware()
				&& (this.dedicated == null || this.dedicated.subscribesToMaster());
	}

	@Override
	public RedisConnectionFactory connectionFactory() {
		this.connectionFactory.start();
		return this.connectionFactory;
	}

	@Override
	public RedisSetup setup() {
		return this.setup;
	}

	@Override
	public OutageLog outageLog() {
		return this.outageLog;
	}

	@Override
	public void close() {
		this.outageLog.close();
		this.connector.close();
		LettuceInbox open = this.inbox.get();
		if (open != null) {
			open.close();
		}
		this.runner.close();
		if (this.dedicated != null) {
			this.dedicated.close();
		}
	}

	private RedisConnectionFactory inboxFactory() {
		return (this.dedicated != null) ? this.dedicated.forInbox() : this.connectionFactory;
	}

	/** The runner finds its connection closed, and gets another one. */
	private void reset() {
		try {
			this.connector.execute(this.connectionFactory::resetConnection);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("Not connecting again, as the store is closed.");
		}
	}

	private void reviveInbox() {
		LettuceInbox open = this.inbox.get();
		if (open != null) {
			open.revive();
		}
	}

	private void resubscribe() {
		LettuceInbox open = this.inbox.get();
		if (open != null) {
			open.resubscribe();
		}
	}

	private void disconnectInbox() {
		LettuceInbox open = this.inbox.get();
		if (open != null) {
			open.disconnect();
		}
	}

}
