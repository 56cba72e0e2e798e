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
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Watches a dedicated connection, and reconnects when it no longer gets answers: after
 * three consecutive timeouts on one server, or when a server has become a replica. After
 * that much time without a connection, calls must be refused, because Lettuce would keep
 * even calls that have timed out until it is connected again.
 *
 * <p>
 * Calls that were sent before a reconnection say nothing about the new connection, so a
 * burst of unanswered calls is one reason to reconnect, not many.
 *
 * <p>
 * A server that is still a replica after the reconnection will be one for a while: each
 * reconnection for this reason waits twice as long as the one before, up to five seconds.
 *
 * <p>
 * The class of the same name in Lettuce reconnects when a socket has been closed: this
 * one finds the sockets to close.
 */
final class ConnectionWatchdog {

	private static final Log logger = LogFactory.getLog(ConnectionWatchdog.class);

	private static final int STRIKES = 3;

	private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

	private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

	/** After that much time without one, a refusal to write is another event. */
	private static final long MEMORY_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final Runnable reconnect;

	private final Runnable afterReset;

	private final Map<String, Integer> strikes = new ConcurrentHashMap<>();

	/** When the connection to a node was closed last. */
	private final Map<String, Long> resets = new ConcurrentHashMap<>();

	/** The latest refusals to write that led to a reconnection. */
	private final Map<String, Demotion> demotions = new ConcurrentHashMap<>();

	/**
	 * Create a watchdog.
	 * @param reconnect replaces a connection that cannot be made to reconnect
	 * @param afterReset runs after each reconnection that this has begun
	 */
	ConnectionWatchdog(Runnable reconnect, Runnable afterReset) {
		this.reconnect = reconnect;
		this.afterReset = afterReset;
	}

	/**
	 * Take note of an answer.
	 * @return whether a server has not answered since its latest timeout
	 */
	boolean answered(NativeConnection connection, byte[] key) {
		if (!this.strikes.isEmpty()) {
			this.strikes.remove(connection.nodeOf(key));
		}
		return !this.strikes.isEmpty();
	}

	/**
	 * Take note of a timeout.
	 * @return whether to refuse calls until it is connected
	 */
	boolean timedOut(NativeConnection connection, byte[] key, long sentAt) {
		String node = connection.nodeOf(key);
		if (isOver(node, sentAt)) {
			return false;
		}
		Integer count = this.strikes.merge(node, 1, Integer::sum);
		return count == STRIKES
				&& isDownAfterReset(connection, node, STRIKES + " commands in a row were not answered in time");
	}

	/**
	 * Take note of a refusal to write.
	 * @return whether to refuse calls until it is connected
	 */
	boolean demoted(NativeConnection connection, byte[] key, long sentAt) {
		String node = connection.nodeOf(key);
		if (isOver(node, sentAt)) {
			return false;
		}
		long now = System.nanoTime();
		Demotion latest = this.demotions.compute(node, (each, last) -> Demotion.after(last, now));
		return latest.at() == now
				&& isDownAfterReset(connection, node, latest.isToldNow() ? "the server has become a replica" : null);
	}

	private boolean isOver(String node, long sentAt) {
		Long reset = this.resets.get(node);
		return reset != null && sentAt - reset < 0;
	}

	/**
	 * Reconnect.
	 * @param reason what to log, {@code null} if it was logged a moment ago
	 */
	private boolean isDownAfterReset(NativeConnection connection, String node, @Nullable String reason) {
		this.resets.put(node, System.nanoTime());
		this.strikes.remove(node);
		if (connection.isStaticSetOfNodes()) {
			this.reconnect.run();
		}
		else if (!connection.disconnect(node)) {
			return connection.isDisconnected();
		}
		if (reason != null) {
			logger.info("Reconnecting to Redis" + (node.isEmpty() ? "" : " at " + node) + ", as " + reason + ".");
		}
		this.afterReset.run();
		return false;
	}

	/**
	 * A refusal to write that led to a reconnection.
	 *
	 * @param pause how long after it the next one does not
	 * @param toldAt when the reconnections were logged
	 */
	private record Demotion(long at, long pause, long toldAt) {

		/** Return the next one, or the last one if that would come too early. */
		static Demotion after(@Nullable Demotion last, long now) {
			if (last == null || now - last.at >= MEMORY_NANOS) {
				return new Demotion(now, FIRST_PAUSE_NANOS, now);
			}
			return (now - last.at < last.pause) ? last
					: new Demotion(now, Math.min(2 * last.pause, LONGEST_PAUSE_NANOS),
							(now - last.toldAt >= MEMORY_NANOS) ? now : last.toldAt);
		}

		boolean isToldNow() {
			return this.toldAt == this.at;
		}

	}

}
