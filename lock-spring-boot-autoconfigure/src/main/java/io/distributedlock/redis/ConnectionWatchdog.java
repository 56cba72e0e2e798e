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

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Watches a dedicated connection, and connects anew where nothing comes back any more:
 * after three timeouts in a row on one server, or when a server has become a replica.
 * While it has been disconnected for that long, calls are refused, as Lettuce would keep
 * even those that have timed out until it is connected again.
 *
 * <p>
 * The class of the same name in Lettuce comes after it: it reconnects when a socket has
 * been closed; this one finds the sockets to close.
 */
final class ConnectionWatchdog {

	private static final Log logger = LogFactory.getLog(ConnectionWatchdog.class);

	private static final int STRIKES = 3;

	private final Runnable reconnect;

	private final Runnable afterReset;

	private final Map<String, Integer> strikes = new ConcurrentHashMap<>();

	private volatile boolean down;

	/**
	 * Create a watchdog.
	 * @param reconnect replaces a connection that cannot be made to connect anew
	 * @param afterReset what else to do when that was done
	 */
	ConnectionWatchdog(Runnable reconnect, Runnable afterReset) {
		this.reconnect = reconnect;
		this.afterReset = afterReset;
	}

	/**
	 * Return whether it is no use to send anything.
	 * @param connection the connection
	 * @return whether to refuse calls
	 */
	boolean isDown(NativeConnection connection) {
		if (this.down && !connection.isDisconnected()) {
			this.down = false;
		}
		return this.down;
	}

	void answered(NativeConnection connection, byte[] key) {
		if (!this.strikes.isEmpty()) {
			this.strikes.remove(connection.nodeOf(key));
		}
	}

	void timedOut(NativeConnection connection, byte[] key) {
		String node = connection.nodeOf(key);
		Integer count = this.strikes.merge(node, 1, Integer::sum);
		if (count == STRIKES) {
			reset(connection, node, STRIKES + " commands in a row were not answered in time");
		}
	}

	void demoted(NativeConnection connection, byte[] key) {
		String node = connection.nodeOf(key);
		if (this.strikes.putIfAbsent(node, STRIKES) == null) {
			reset(connection, node, "the server has become a replica");
		}
	}

	private void reset(NativeConnection connection, String node, String reason) {
		this.strikes.remove(node);
		if (connection.isStaticSetOfNodes()) {
			this.reconnect.run();
		}
		else if (!connection.disconnect(node)) {
			this.down = connection.isDisconnected();
			return;
		}
		logger.info("Connecting anew to Redis" + (node.isEmpty() ? "" : " at " + node) + ", as " + reason + ".");
		this.afterReset.run();
	}

}
