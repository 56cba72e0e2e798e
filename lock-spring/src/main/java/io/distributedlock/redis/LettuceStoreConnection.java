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

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Connections of Lettuce, either dedicated to locks or those of the application.
 */
final class LettuceStoreConnection extends StoreConnection {

	private final LettuceConnectionFactory connectionFactory;

	private final @Nullable DedicatedLettuceConnections dedicated;

	private final ConnectorThread connector = new ConnectorThread();

	private final LettuceScriptRunner runner;

	private LettuceStoreConnection(LettuceConnectionFactory connectionFactory,
			@Nullable DedicatedLettuceConnections dedicated, RedisLockSettings settings) {
		super(LettuceTopology.of(connectionFactory).setup(connectionFactory.isUseSsl()), Duration.ZERO, settings);
		this.connectionFactory = connectionFactory;
		this.dedicated = dedicated;
		ConnectionWatchdog watchdog = (dedicated != null) ? new ConnectionWatchdog(this::reset, this::disconnectInbox)
				: null;
		this.runner = new LettuceScriptRunner(connectionFactory, settings.commandTimeout(), settings.connectTimeout(),
				this.connector, watchdog, this.outageLog, this::reviveInbox);
	}

	/** Whether all commands go over one connection. */
	static boolean supports(RedisConnectionFactory connectionFactory) {
		return connectionFactory instanceof LettuceConnectionFactory lettuce && lettuce.getShareNativeConnection();
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
	ScriptRunner runner() {
		return this.runner;
	}

	@Override
	RedisConnectionFactory connectionFactory() {
		this.connectionFactory.start();
		return this.connectionFactory;
	}

	@Override
	boolean countsReceivers() {
		return super.countsReceivers() && (this.dedicated == null || this.dedicated.subscribesToMaster());
	}

	@Override
	Inbox createInbox(byte[] channel, InboxWatch watch) {
		return new LettuceInbox(() -> (this.dedicated != null) ? this.dedicated.forInbox() : this.connectionFactory,
				this.connector, channel, watch, this.outageLog::isUnderWay);
	}

	@Override
	void warmUp() {
		if (this.dedicated != null) {
			this.runner.warmUp();
		}
	}

	@Override
	public void close() {
		this.outageLog.close();
		this.connector.close();
		super.close();
		if (this.dedicated != null) {
			this.dedicated.close();
		}
	}

	/** The runner finds its connection closed, and gets another one. */
	private void reset() {
		this.connector.execute(this.connectionFactory::resetConnection);
	}

	private void reviveInbox() {
		if (this.inbox.get() instanceof LettuceInbox open) {
			open.revive();
		}
	}

	private void disconnectInbox() {
		if (this.inbox.get() instanceof LettuceInbox open) {
			open.disconnect();
		}
	}

}
