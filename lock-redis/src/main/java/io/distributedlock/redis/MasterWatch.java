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

import java.nio.IntBuffer;
import java.util.HashSet;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.internal.DaemonThread;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Looks at the masters of a cluster, for a client that does not report what happens to
 * them: Jedis replaces broken connections and finds new masters without a word.
 *
 * <p>
 * One thread asks a node for the masters and their slots, and each master for the id of
 * its run, twice a second. So it costs each master two commands a second, however many
 * locks there are. A master that was not there at the last look may lack locks: it
 * restarted, serves other slots, or was not reached. One that is gone is not reported, as
 * questions to it would only occupy the few threads that ask. One that another node takes
 * for failed is not asked, as that could take seconds, and counts as it was: nodes find
 * out at different times that a master is back.
 */
final class MasterWatch implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(MasterWatch.class);

	/** A holder is to learn of its loss within a second. */
	private static final long PAUSE_MILLIS = 500;

	/**
	 * Within it, a command that failed has told the client of a master that took over.
	 */
	private static final long PAUSE_AFTER_CHANGE_MILLIS = 250;

	private final RedisConnectionFactory connectionFactory;

	private final Runnable changed;

	private final ThreadFactory threads;

	private final AtomicBoolean opened = new AtomicBoolean();

	private final CountDownLatch closed = new CountDownLatch(1);

	/**
	 * Create a watch, which does nothing before it is opened.
	 * @param changed called after a look at which there is a master that was not there at
	 * the one before, as at the first one, and again after the next look: the client may
	 * learn of the master from a command that fails
	 */
	MasterWatch(RedisConnectionFactory connectionFactory, Runnable changed) {
		this(connectionFactory, changed, (task) -> new DaemonThread(task, "distributed-lock-redis-masters"));
	}

	MasterWatch(RedisConnectionFactory connectionFactory, Runnable changed, ThreadFactory threads) {
		this.connectionFactory = connectionFactory;
		this.changed = changed;
		this.threads = threads;
	}

	/** Look until this is closed. Calls after the first one do nothing. */
	void open() {
		if (this.opened.compareAndSet(false, true)) {
			try {
				this.threads.newThread(this::watch).start();
			}
			catch (OutOfMemoryError ex) {
				// No memory for the thread: the next call tries again
				this.opened.set(false);
				throw ex;
			}
		}
	}

	private void watch() {
		try {
			Set<Master> last = Set.of();
			boolean hadNew = false;
			long pause = 0;
			while (!this.closed.await(pause, TimeUnit.MILLISECONDS)) {
				Set<Master> masters = masters(last);
				boolean hasNew = hasNew(masters, last);
				if (hasNew || hadNew) {
					this.changed.run();
				}
				pause = hasNew ? PAUSE_AFTER_CHANGE_MILLIS : PAUSE_MILLIS;
				hadNew = hasNew;
				last = masters;
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * A master without an answer is new if it has taken slots: a client may not know its
	 * node before it needs it.
	 */
	private static boolean hasNew(Set<Master> masters, Set<Master> last) {
		return masters.stream()
			.anyMatch((master) -> master.run().isEmpty() ? last.stream().noneMatch(master::isAt)
					: !last.contains(master));
	}

	/**
	 * Return all, and those that a node takes for failed as they were: none if no node
	 * answers.
	 */
	private Set<Master> masters(Set<Master> last) {
		Set<Master> masters = new HashSet<>();
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			if (connection instanceof RedisClusterConnection cluster) {
				for (RedisClusterNode node : cluster.clusterCommands().clusterGetNodes()) {
					if (node.isMaster() && node.isMarkedAsFail()) {
						Master failed = Master.of(node, "");
						last.stream().filter(failed::isAt).forEach(masters::add);
					}
					else if (node.isMaster()) {
						look(cluster, node, masters);
					}
				}
			}
			else {
				this.closed.countDown();
			}
		}
		catch (RuntimeException ex) {
			logger.debug("The masters of the cluster are not known now.", ex);
		}
		return masters;
	}

	private static void look(RedisClusterConnection cluster, RedisClusterNode node, Set<Master> masters) {
		try {
			Properties server = cluster.serverCommands().info(node, "server");
			masters.add(Master.of(node, server.getProperty("run_id", "")));
		}
		catch (RuntimeException ex) {
			logger.debug("A master of the cluster does not answer now.", ex);
			masters.add(Master.of(node, ""));
		}
	}

	@Override
	public void close() {
		this.closed.countDown();
	}

	/**
	 * A master of a cluster.
	 *
	 * @param run changes when it restarts; empty without an answer
	 */
	private record Master(String address, IntBuffer slots, String run) {

		static Master of(RedisClusterNode node, String run) {
			return new Master(node.asString(), IntBuffer.wrap(node.getSlotRange().getSlotsArray()), run);
		}

		/** Not so if another one has taken over its slots. */
		boolean isAt(Master other) {
			return this.address.equals(other.address) && this.slots.equals(other.slots);
		}

	}

}
