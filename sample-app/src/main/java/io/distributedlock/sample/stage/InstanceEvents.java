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

package io.distributedlock.sample.stage;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

import io.distributedlock.HeldLock;
import io.distributedlock.LockEvent;
import io.distributedlock.LockInspector;
import io.distributedlock.LockListener;
import io.distributedlock.sample.app.stock.Stock;
import io.distributedlock.scheduling.JobListener;
import io.distributedlock.scheduling.JobRun;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.event.TransactionalEventListener;

/**
 * Publishes what happens to the locks, jobs and sales of an instance, with times in
 * seconds. One that was killed tells nothing.
 *
 * <p>
 * On a busy machine, a thread that receives a lock may publish this much later. The time
 * since which it has the lock is therefore looked up; otherwise, consecutive holds would
 * seem to overlap. For how many the holder asked is looked up as well: no event says so.
 */
final class InstanceEvents implements LockListener, JobListener {

	/** Seconds that a look-up may take to be exact enough. */
	private static final double EXACT = 0.005;

	private static final int ATTEMPTS = 5;

	private final String instance;

	private final LiveFeed feed;

	private final Plug plug;

	private volatile @Nullable LockInspector locks;

	InstanceEvents(String instance, LiveFeed feed, Plug plug) {
		this.instance = instance;
		this.feed = feed;
		this.plug = plug;
	}

	/** The instance is up: look at the locks that it holds. */
	void lookAt(LockInspector locks) {
		this.locks = locks;
	}

	@Override
	public void onLockEvent(LockEvent event) {
		if (this.plug.isPulled()) {
			return;
		}
		Map<String, Object> fields = new LinkedHashMap<>(
				Map.of("instance", this.instance, "event", event.getClass().getSimpleName(), "lock", event.name()));
		fields.putAll(details(event));
		LockInspector locks = this.locks;
		if (locks != null && event instanceof LockEvent.Acquired acquired) {
			fields.putAll(hold(acquired, locks));
		}
		this.feed.publish("lock", fields);
	}

	@Override
	public void onJobRun(JobRun run) {
		if (this.plug.isPulled()) {
			return;
		}
		Map<String, Object> fields = new LinkedHashMap<>(Map.of("instance", this.instance, "lock", run.name(),
				"fireTime", run.fireTime().toEpochMilli(), "outcome", run.outcome(), "repeated", run.isRepeated()));
		fields.put("by", run.instance());
		this.feed.publish("job", fields);
	}

	/** A sale is committed. */
	@TransactionalEventListener
	void onSale(Stock rest) {
		if (!this.plug.isPulled()) {
			this.feed.publish("commit", Map.of("instance", this.instance, "lock", "stock:" + rest.product(), "what",
					rest.quantity() + " left"));
		}
	}

	private Map<String, Object> hold(LockEvent.Acquired acquired, LockInspector locks) {
		Map<String, Object> fields = Map.of();
		for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
			double before = this.feed.now();
			Optional<HeldLock> hold = locks.held()
				.stream()
				.filter((lock) -> lock.fencingToken() == acquired.fencingToken() && lock.name().equals(acquired.name()))
				.findFirst();
			double after = this.feed.now();
			fields = hold.map((lock) -> fields(lock, after)).orElse(Map.of());
			if (hold.isEmpty() || after - before < EXACT) {
				break;
			}
		}
		return fields;
	}

	private static Map<String, Object> fields(HeldLock hold, double now) {
		return Map.of("since", now - seconds(hold.heldFor()), "permits", hold.permits(), "mode", hold.mode());
	}

	private static Map<String, Object> details(LockEvent event) {
		if (event instanceof LockEvent.Acquired acquired) {
			return Map.of("token", acquired.fencingToken(), "lease", seconds(acquired.lease()), "waited",
					seconds(acquired.waited()), "contended", acquired.contended());
		}
		if (event instanceof LockEvent.NotAcquired notAcquired) {
			return Map.of("waited", seconds(notAcquired.waited()), "reason", notAcquired.reason());
		}
		if (event instanceof LockEvent.Released released) {
			return Map.of("token", released.fencingToken(), "held", seconds(released.held()), "lease",
					seconds(released.lease()));
		}
		if (event instanceof LockEvent.ReleaseFailed failed) {
			return Map.of("token", failed.fencingToken(), "held", seconds(failed.held()), "lease",
					seconds(failed.lease()), "why", failed.cause().getClass().getSimpleName());
		}
		if (event instanceof LockEvent.AtRisk atRisk) {
			return Map.of("token", atRisk.fencingToken(), "remaining", seconds(atRisk.remaining()));
		}
		if (event instanceof LockEvent.Renewed renewed) {
			return Map.of("token", renewed.fencingToken(), "remaining", seconds(renewed.remaining()));
		}
		if (event instanceof LockEvent.RenewalFailed failed) {
			return Map.of("token", failed.fencingToken(), "remaining", seconds(failed.remaining()), "why",
					failed.cause().getClass().getSimpleName());
		}
		if (event instanceof LockEvent.Lost lost) {
			return Map.of("token", lost.fencingToken(), "held", seconds(lost.held()), "lease", seconds(lost.lease()),
					"cause", lost.cause(), "explanation", lost.explanation());
		}
		return Map.of();
	}

	private static double seconds(Duration time) {
		return time.toNanos() / 1_000_000_000d;
	}

}
