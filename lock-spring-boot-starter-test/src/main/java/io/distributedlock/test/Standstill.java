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

package io.distributedlock.test;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.internal.DaemonThread;
import io.distributedlock.internal.Printable;
import io.distributedlock.internal.Wait;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Ends waits that would never end because the clock stands still. Checks them in real
 * time while tests run.
 */
final class Standstill {

	private static final Log logger = LogFactory.getLog(Standstill.class);

	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private static final Duration PATIENCE_WITHOUT_LIMIT = Duration.ofSeconds(30);

	/** To go through longer ones from renewal to renewal would take too long. */
	private static final Duration LONGEST = Duration.ofHours(1);

	private static final long LOOK_MILLIS = 50;

	private static final ScheduledThreadPoolExecutor executor = executor();

	private final TestClock clock;

	private final Supplier<Stream<DefaultLockService>> services;

	private final Consumer<Duration> advance;

	private final LongSupplier realTime;

	private final ReentrantLock lock = new ReentrantLock();

	private final Set<Thread> tests = ConcurrentHashMap.newKeySet();

	private @Nullable ScheduledFuture<?> looking;

	/** Since when, in real time, each wait was seen while the clock stood still. */
	private final Map<Wait, Long> seen = new HashMap<>();

	private long reading;

	/**
	 * Create an instance that does nothing until a test is watched.
	 * @param services those whose waits to end
	 */
	Standstill(TestClock clock, Supplier<Stream<DefaultLockService>> services, Consumer<Duration> advance,
			LongSupplier realTime) {
		this.clock = clock;
		this.services = services;
		this.advance = advance;
		this.realTime = realTime;
	}

	private static ScheduledThreadPoolExecutor executor() {
		ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1,
				(task) -> new DaemonThread(task, "distributed-lock-test-clock"));
		executor.setKeepAliveTime(10, TimeUnit.SECONDS);
		executor.allowCoreThreadTimeOut(true);
		executor.setRemoveOnCancelPolicy(true);
		return executor;
	}

	void watch(Thread test) {
		this.lock.lock();
		try {
			this.tests.add(test);
			if (this.looking == null) {
				this.looking = executor.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS,
						TimeUnit.MILLISECONDS);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	void unwatch(Thread test) {
		this.lock.lock();
		try {
			this.tests.remove(test);
			if (this.tests.isEmpty()) {
				close();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	void close() {
		this.lock.lock();
		try {
			if (this.looking != null) {
				this.looking.cancel(false);
				this.looking = null;
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * End a wait that is due.
	 */
	void look() {
		this.lock.lock();
		try {
			Map<Wait, DefaultLockService> waits = new LinkedHashMap<>();
			this.services.get().forEach((service) -> service.waits().forEach((wait) -> waits.put(wait, service)));
			look(waits);
		}
		catch (RuntimeException ex) {
			// The next check may succeed
			logger.debug("The waits of the application could not be checked", ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void look(Map<Wait, DefaultLockService> waits) {
		long now = this.realTime.getAsLong();
		long reading = this.clock.nanos();
		if (reading != this.reading) {
			this.reading = reading;
			this.seen.clear();
		}
		this.seen.keySet().retainAll(waits.keySet());
		for (Map.Entry<Wait, DefaultLockService> each : waits.entrySet()) {
			Wait wait = each.getKey();
			Duration stood = Duration.ofNanos(now - this.seen.computeIfAbsent(wait, (added) -> now));
			if (end(each.getValue(), wait, Duration.ofNanos(wait.until() - reading), stood)) {
				return;
			}
		}
	}

	/**
	 * End a wait if it is due.
	 * @param stood for how much real time the clock has stood still meanwhile
	 */
	private boolean end(DefaultLockService service, Wait wait, Duration left, Duration stood) {
		Thread thread = wait.thread();
		boolean own = thread != null && this.tests.contains(thread);
		String who = own ? "The test" : (thread != null) ? "Thread '" + thread.getName() + "'" : "A future";
		if (left.compareTo(LONGEST) > 0) {
			if (stood.compareTo(PATIENCE_WITHOUT_LIMIT) >= 0) {
				service.refuse(wait,
						"%s waits for lock '%s' for longer than an hour or without limit, while the clock of the test stands still, so the wait would not end. Release the lock while it waits, or give it a limit."
							.formatted(who, wait.name()));
			}
			return false;
		}
		if (stood.compareTo((own && left.compareTo(PATIENCE) < 0) ? left : PATIENCE) < 0) {
			return false;
		}
		String told = "%s waited for lock '%s' while the clock of the test stood still for %s, so the clock was moved by %s to the end of the wait."
			.formatted(who, wait.name(), Printable.elapsed(stood), Printable.elapsed(left));
		if (own) {
			logger.debug(told);
		}
		else {
			logger.warn(told + " Call TestLocks.advance(...) in the thread of the test to move it in time.");
		}
		this.advance.accept(left);
		return true;
	}

}
