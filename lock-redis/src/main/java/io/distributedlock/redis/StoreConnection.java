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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The connection of a store to Redis: one for scripts, and one for grants.
 */
abstract class StoreConnection implements AutoCloseable {

	final RedisSetup setup;

	final OutageLog outageLog;

	final AtomicReference<@Nullable Inbox> inbox = new AtomicReference<>();

	private volatile @Nullable InboxListener listener;

	/** There was an interruption, perhaps before anybody listened. */
	private volatile boolean interrupted;

	/** Within which each call completes, once there was a connection. */
	final Duration commandTimeout;

	final CallTimer timer;

	/**
	 * Create a connection, which does not connect yet.
	 * @param settling how long nothing must have failed at the end of an outage
	 */
	StoreConnection(RedisSetup setup, Duration settling, RedisLockSettings settings) {
		this.setup = setup;
		this.outageLog = new OutageLog(setup.description(), settling);
		this.commandTimeout = settings.commandTimeout();
		this.timer = new CallTimer(this.commandTimeout);
	}

	/**
	 * Send a script. Returns immediately; the call completes within the command timeout,
	 * to which the connect timeout is added as long as there never was a connection.
	 * Calls with the same first key are carried out in the order in which they were
	 * given, unless one has to be sent again, or a node of a cluster is not connected.
	 */
	abstract void run(ScriptCall<?> call);

	/** Completes when Redis has received the message. May throw if not connected now. */
	abstract CompletionStage<?> send(byte[] channel, byte[] message);

	/**
	 * The node that has a key: empty if there is a single server, no connection yet, or a
	 * client that does not expose it.
	 */
	abstract String nodeOf(byte[] key);

	/** For other commands than scripts. May block while it connects. */
	abstract RedisConnectionFactory connectionFactory();

	/** Whether the client waits for seconds before it asks a cluster for a new master. */
	boolean pausesAfterFailover() {
		return false;
	}

	abstract Inbox createInbox(byte[] channel, InboxWatch watch);

	/**
	 * Whether the answer of PUBLISH counts every receiver: not if some may be connected
	 * to another server.
	 */
	boolean countsReceivers() {
		return !this.setup.topology().mayBeCluster();
	}

	/** Whether this asks the server to report changes. */
	boolean watches() {
		return false;
	}

	/** Whether the server can report changes, as far as is known. */
	boolean canWatch() {
		return false;
	}

	/** Begin to connect, if the connection is dedicated to locks. */
	void warmUp() {
	}

	/** Subscribe until this is closed. Calls after the first one do nothing. */
	void listen(byte[] channel, InboxListener listener) {
		this.listener = listener;
		if (this.interrupted) {
			interrupted();
		}
		InboxWatch watch = new InboxWatch(listener, this.commandTimeout,
				() -> publish(channel, InboxWatch.probe())
					.thenApply((receivers) -> !countsReceivers() || !Long.valueOf(0).equals(receivers)),
				this::resubscribe, System::nanoTime);
		Inbox created = createInbox(channel, watch);
		if (this.inbox.compareAndSet(null, created)) {
			try {
				created.open();
			}
			catch (OutOfMemoryError ex) {
				// No memory for a thread: the next call tries again
				this.inbox.set(null);
				throw ex;
			}
		}
	}

	/** Completes when Redis has received the message; fails if not connected now. */
	CompletionStage<?> publish(byte[] channel, byte[] message) {
		try {
			return send(channel, message);
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** Note that a caller waits for a grant. */
	void waiting() {
		Inbox open = this.inbox.get();
		if (open != null) {
			open.waiting();
		}
	}

	/** The server may not be the one that it was, or not have what it had. */
	final void interrupted() {
		// Before looking for a listener, which looks for this when it comes
		this.interrupted = true;
		InboxListener told = this.listener;
		if (told != null) {
			told.interrupted();
		}
	}

	/** The server reports that a key changed. */
	final void changed(byte[] key) {
		InboxListener told = this.listener;
		if (told != null) {
			told.changed(key);
		}
	}

	private void resubscribe() {
		Inbox open = this.inbox.get();
		if (open != null) {
			open.resubscribe();
		}
	}

	@Override
	public void close() {
		this.outageLog.close();
		try {
			Inbox open = this.inbox.get();
			if (open != null) {
				open.close();
			}
		}
		finally {
			this.timer.close();
		}
	}

}
