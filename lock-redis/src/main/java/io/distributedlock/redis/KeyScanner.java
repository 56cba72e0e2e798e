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
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.internal.DaemonThread;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.Cursor;
import org.springframework.data.redis.core.ScanOptions;

/**
 * Finds the names of locks on every master without blocking Redis for long, and within a
 * limited time, because the number of other keys is unknown. The keys are matched here,
 * because a scan that Redis filters returns nothing until it has found a match.
 *
 * <p>
 * One thread, which ends when it is idle, searches on behalf of all callers. Callers that
 * arrive during a search share the next one, so no caller waits for more than two.
 */
final class KeyScanner implements AutoCloseable {

	private static final int KEYS_PER_STEP = 1_000;

	private static final Duration IDLE = Duration.ofSeconds(10);

	private final Supplier<RedisConnectionFactory> connectionFactory;

	private final Duration longest;

	private final Function<byte[], @Nullable String> nameOf;

	private final ThreadPoolExecutor thread = new ThreadPoolExecutor(1, 1, IDLE.toSeconds(), TimeUnit.SECONDS,
			new LinkedBlockingQueue<>(), (task) -> new DaemonThread(task, "distributed-lock-scan"));

	/** The callers of the search that has not begun yet, if there are any. */
	private final AtomicReference<@Nullable Batch> next = new AtomicReference<>();

	/**
	 * Create a scanner.
	 * @param longest how long one search may take
	 * @param nameOf returns the name of the lock that has a key, or {@code null} if it is
	 * not the key of a lock
	 */
	KeyScanner(Supplier<RedisConnectionFactory> connectionFactory, Duration longest,
			Function<byte[], @Nullable String> nameOf) {
		this.connectionFactory = connectionFactory;
		this.longest = longest;
		this.nameOf = nameOf;
		this.thread.allowCoreThreadTimeOut(true);
	}

	CompletableFuture<Found> scan(int limit) {
		Batch alone = new Batch(new CompletableFuture<>(), limit);
		Batch joined = Objects.requireNonNull(
				this.next.accumulateAndGet(alone, (batch, one) -> (batch != null) ? batch.with(alone) : one));
		CompletableFuture<Found> search = joined.search();
		if (search == alone.search()) {
			try {
				this.thread.execute(this::scanForBatch);
			}
			catch (RejectedExecutionException ex) {
				// Those who come later share the failure
				search.completeExceptionally(CallFailure.closed());
			}
			catch (Error ex) {
				// Without a thread now, the next caller tries again
				this.next.set(null);
				search.completeExceptionally(ex);
			}
		}
		return search.thenApply((found) -> found.first(limit));
	}

	private void scanForBatch() {
		Batch batch = this.next.getAndSet(null);
		if (batch == null) {
			// It failed for lack of memory, after this was queued
			return;
		}
		try {
			batch.search().complete(scanNow(batch.limit()));
		}
		catch (RuntimeException | Error ex) {
			batch.search().completeExceptionally(ex);
		}
	}

	private Found scanNow(int limit) {
		Search search = new Search(limit);
		ScanOptions options = ScanOptions.scanOptions().count(KEYS_PER_STEP).build();
		try (RedisConnection connection = this.connectionFactory.get().getConnection()) {
			if (connection instanceof RedisClusterConnection cluster) {
				for (RedisClusterNode node : cluster.clusterCommands().clusterGetNodes()) {
					if (node.isMaster() && node.isMarkedAsFail()) {
						// A replica may have replaced it, which is not known here
						search.complete = false;
					}
					else if (node.isMaster()) {
						try (Cursor<byte[]> keys = cluster.scan(node, options)) {
							search.look(keys);
						}
					}
				}
			}
			else {
				try (Cursor<byte[]> keys = connection.keyCommands().scan(options)) {
					search.look(keys);
				}
			}
		}
		return search.found();
	}

	@Override
	public void close() {
		this.thread.shutdown();
	}

	/**
	 * The names that were found, and whether there are no others.
	 */
	record Found(List<String> names, boolean complete) {

		Found first(int limit) {
			return (this.names.size() <= limit) ? this : new Found(this.names.subList(0, limit), false);
		}

	}

	/**
	 * Callers that share a search, which finds as many names as one of them wants.
	 */
	private record Batch(CompletableFuture<Found> search, int limit) {

		Batch with(Batch other) {
			return new Batch(this.search, Math.max(this.limit, other.limit));
		}

	}

	/**
	 * One search, over all masters.
	 */
	private final class Search {

		private final int limit;

		private final long end = System.nanoTime() + KeyScanner.this.longest.toNanos();

		/** A scan may return a key twice. */
		private final Set<String> names = new LinkedHashSet<>();

		private boolean complete = true;

		Search(int limit) {
			this.limit = limit;
		}

		void look(Cursor<byte[]> keys) {
			while (keys.hasNext()) {
				if (System.nanoTime() - this.end >= 0) {
					this.complete = false;
					return;
				}
				String name = KeyScanner.this.nameOf.apply(keys.next());
				if (name != null && !this.names.contains(name)) {
					if (this.names.size() >= this.limit) {
						this.complete = false;
						return;
					}
					this.names.add(name);
				}
			}
		}

		Found found() {
			return new Found(new ArrayList<>(this.names), this.complete);
		}

	}

}
