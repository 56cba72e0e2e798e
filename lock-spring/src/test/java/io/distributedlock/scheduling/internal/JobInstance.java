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

package io.distributedlock.scheduling.internal;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLockConfiguration;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.internal.LockRecord;
import io.distributedlock.internal.WallClock;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.scheduling.JobListener;
import io.distributedlock.scheduling.JobRun;
import io.distributedlock.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * An instance of an application with jobs, which has a clock of its own.
 */
final class JobInstance implements AutoCloseable {

	private volatile WallClock clock;

	private final List<JobRun> told = new CopyOnWriteArrayList<>();

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private JobInstance(String name, LockStore store, WallClock clock) {
		this.clock = clock;
		this.context.registerBean(EngineSettings.class, () -> EngineSettings.of(name));
		this.context.registerBean(LockStore.class, () -> store);
		this.context.registerBean(WallClock.class, () -> () -> this.clock.now());
		this.context.registerBean(JobListener.class, () -> this.told::add);
		this.context.register(DistributedLockConfiguration.class);
	}

	/**
	 * Start an instance.
	 * @param runs where its jobs write the name of the instance
	 */
	static JobInstance start(String name, InMemoryLockStore store, Instant now, List<String> runs, Class<?>... beans) {
		return startOn(store.connect(), name, now, runs, beans);
	}

	static JobInstance startOn(LockStore store, String name, Instant now, List<String> runs, Class<?>... beans) {
		return start(new JobInstance(name, store, () -> now), name, runs, beans);
	}

	/**
	 * Start an instance whose scheduler has a clock: there is a bean of it.
	 */
	static JobInstance startWith(Clock clock, String name, InMemoryLockStore store, List<String> runs,
			Class<?>... beans) {
		JobInstance instance = new JobInstance(name, store.connect(), clock::instant);
		instance.context.registerBean(Clock.class, () -> clock);
		return start(instance, name, runs, beans);
	}

	private static JobInstance start(JobInstance instance, String name, List<String> runs, Class<?>... beans) {
		instance.context.registerBean(Work.class, () -> new Work(name, runs));
		instance.context.register(beans);
		instance.context.refresh();
		return instance;
	}

	JobInstance at(Instant now) {
		this.clock = () -> now;
		return this;
	}

	<T> T job(Class<T> type) {
		return this.context.getBean(type);
	}

	Work work() {
		return this.context.getBean(Work.class);
	}

	/**
	 * Leave a record as an instance does that dies during its run, or before the next
	 * one.
	 */
	void leave(String name, Instant fireTime, JobRecord.State state, int attempt) {
		leave(name, fireTime, state, attempt, 0);
	}

	void leave(String name, Instant fireTime, JobRecord.State state, int attempt, int stopped) {
		try (LockHandle handle = this.context.getBean(LockService.class).acquire(name, LockOptions.defaults())) {
			Instant end = (state != JobRecord.State.RUNNING) ? fireTime : null;
			String text = new JobRecord(fireTime, state, handle.fencingToken(), 0, fireTime, end, attempt, "earlier",
					"", stopped)
				.text();
			LockRecord.of(handle).replaceRecord(null, text, Duration.ofDays(1)).join();
		}
	}

	List<String> told() {
		return this.told.stream()
			.map((run) -> run.outcome() + " " + run.fireTime()
					+ ((run.instance() != null) ? " by " + run.instance() : "") + (run.isRepeated() ? ", repeated" : "")
					+ ((run.fireTimes() > 1) ? ", " + run.fireTimes() + " times" : ""))
			.toList();
	}

	boolean isStopping() {
		return this.context.isClosed();
	}

	@Override
	public void close() {
		this.context.close();
	}

	/** What the jobs of an instance do. */
	static final class Work {

		private final String instance;

		private final List<String> runs;

		volatile @Nullable RuntimeException failure;

		volatile Runnable inside = () -> {
		};

		volatile CompletableFuture<String> future = CompletableFuture.completedFuture("done");

		Work(String instance, List<String> runs) {
			this.instance = instance;
			this.runs = runs;
		}

		void run() {
			this.runs.add(this.instance);
			this.inside.run();
			RuntimeException planned = this.failure;
			if (planned != null) {
				throw planned;
			}
		}

	}

}
