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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.distributedlock.LockException;
import io.distributedlock.internal.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs an outage once when it begins and once when it ends, regardless of the number of
 * calls that fail, some of them only when it is over. If a store that did not answer
 * comes back and refuses its clients, that is logged once as well. In a cluster, each
 * node has its own outages.
 */
final class OutageLog {

	private static final Log logger = LogFactory.getLog(OutageLog.class);

	private final String store;

	private final long settling;

	private final LongSupplier nanoTime;

	/** By node. */
	private final Map<String, Outage> outages = new ConcurrentHashMap<>();

	/** When the last outage of a node was over. */
	private final Map<String, Long> ends = new ConcurrentHashMap<>();

	private volatile boolean everAnswered;

	private volatile boolean closed;

	/**
	 * Create it.
	 * @param settling how long nothing must have failed at the end of an outage; zero if
	 * it is known which node answers
	 */
	OutageLog(String store, Duration settling) {
		this(store, settling, System::nanoTime);
	}

	OutageLog(String store, Duration settling, LongSupplier nanoTime) {
		this.store = store;
		this.settling = settling.toNanos();
		this.nanoTime = nanoTime;
	}

	boolean everAnswered() {
		return this.everAnswered;
	}

	/** Whether an outage has begun, and has not ended. */
	boolean isUnderWay() {
		return !this.outages.isEmpty();
	}

	/**
	 * Take note of a failure.
	 * @param nodes finds the node that has a key
	 * @param waited how long the answer was awaited
	 */
	void failed(byte[] key, Function<byte[], String> nodes, LockException failure, Duration waited) {
		if (this.closed) {
			return;
		}
		long now = this.nanoTime.getAsLong();
		String node = nodes.apply(key);
		String message = String.valueOf(failure.getMessage());
		boolean refused = message.startsWith(FailureTranslator.refusalBy(this.store));
		Outage known = this.outages.get(node);
		if (known != null) {
			Long ended = known.endedAt(now, this.settling);
			if (ended == null) {
				known.failedAgain(now);
				if (refused && known.refused.compareAndSet(false, true)) {
					logger.warn(this.store + at(node) + " refuses its clients now. The failure is: "
							+ Printable.of(message));
				}
				return;
			}
			end(node, known, ended);
		}
		if (!isOver(node, now - waited.toNanos())
				&& this.outages.putIfAbsent(node, new Outage(key, now - waited.toNanos(), now, refused)) == null) {
			logger.warn(this.store + at(node) + (refused ? " refuses its clients." : " does not answer.")
					+ " New locks are refused, and held locks are lost at their deadlines unless it answers before."
					+ " The recovery is logged. The first failure was: " + Printable.of(message));
		}
	}

	/**
	 * Take note of an answer.
	 * @return whether an outage has not ended yet
	 */
	boolean answered(byte[] key, Function<byte[], String> nodes) {
		if (!this.everAnswered) {
			this.everAnswered = true;
		}
		if (!this.outages.isEmpty()) {
			end(nodes.apply(key), nodes);
		}
		return !this.outages.isEmpty();
	}

	/** Calls that were sent during an outage may fail after it. */
	private boolean isOver(String node, long sentAt) {
		Long end = this.ends.get(node);
		return end != null && sentAt - end < 0;
	}

	/** Failures from now on are caused by the close. */
	void close() {
		this.closed = true;
	}

	/** The keys of a node that failed may have gone to another one. */
	private void end(String answering, Function<byte[], String> nodes) {
		long now = this.nanoTime.getAsLong();
		this.outages.forEach((node, outage) -> {
			if (node.isEmpty() || nodes.apply(outage.key).equals(answering)) {
				outage.answered(now);
				Long ended = outage.endedAt(now, this.settling);
				if (ended != null) {
					end(node, outage, ended);
				}
			}
		});
	}

	private void end(String node, Outage outage, long end) {
		if (this.outages.remove(node, outage)) {
			this.ends.put(node, end);
			logger.info("%s%s answers again, after %s.".formatted(this.store, at(node),
					Printable.elapsed(Duration.ofNanos(end - outage.since))));
		}
	}

	private static String at(String node) {
		return node.isEmpty() ? "" : ", node " + node + ",";
	}

	/**
	 * An outage that has begun.
	 */
	private static final class Outage {

		private final byte[] key;

		private final long since;

		/** Not reset: a client that is refused may also wait in vain. */
		private final AtomicBoolean refused;

		private volatile long failedAt;

		/** When it was answered first since then, {@code null} if it was not. */
		private volatile @Nullable Long answeredAt;

		Outage(byte[] key, long since, long failedAt, boolean refused) {
			this.key = key;
			this.since = since;
			this.failedAt = failedAt;
			this.refused = new AtomicBoolean(refused);
		}

		void failedAgain(long now) {
			this.failedAt = now;
			this.answeredAt = null;
		}

		void answered(long now) {
			if (this.answeredAt == null) {
				this.answeredAt = now;
			}
		}

		/**
		 * Return when an answer ended it, or {@code null} if none did, or nothing must
		 * fail for longer.
		 */
		@Nullable Long endedAt(long now, long settling) {
			Long answered = this.answeredAt;
			return (now - this.failedAt >= settling) ? answered : null;
		}

	}

}
