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
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInspector;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.WaitingLock;
import io.distributedlock.annotation.internal.SimilarNames;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.internal.DeclaredJobs.DeclaredJob;
import io.distributedlock.internal.OptionalModule;
import io.distributedlock.internal.Printable;
import io.distributedlock.scheduling.internal.Jobs;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.StoredLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.assertj.core.api.AssertProvider;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;

/**
 * Controls and inspects the locks of the application under test. A bean in contexts with
 * {@link AutoConfigureDistributedLock @AutoConfigureDistributedLock}. Reset after each
 * test method: all holds and waits end, those of other instances and, with a warning,
 * those of the application; the store works again, and has no records of jobs; the time
 * of day is that of the machine. Only the clock continues from where it is, and the order
 * in which locks were taken is remembered.
 *
 * <p>
 * The clock of the locks stands still until the test {@linkplain #advance moves} it. A
 * test cannot do that while its own thread waits for a lock, so such a wait passes in
 * real time, for five seconds at most: then the clock is moved to the end of the wait. A
 * wait in any other thread, or of a future, ends in the same way, with a warning, after
 * the clock has stood still for five seconds; one without limit is refused after thirty.
 * A wait for a lock therefore never hangs a build.
 *
 * @since 0.1.0
 */
public final class TestLocks implements AssertProvider<TestLocksAssert>, DisposableBean {

	private static final Log logger = LogFactory.getLog(TestLocks.class);

	private static final int MOST_NAMES = 10;

	private static final String OTHER_INSTANCE = "another-instance";

	private static final boolean LEADERSHIP = OptionalModule.LEADERSHIP.isPresent();

	private final TestClock clock;

	private final TestWallClock wallClock;

	private final TestLockStore store;

	private final LockOrders orders;

	private final BeanFactory beanFactory;

	private final DefaultLockService otherInstance;

	private final ConcurrentLinkedQueue<LockHandle> heldElsewhere = new ConcurrentLinkedQueue<>();

	private final ReentrantLock moving = new ReentrantLock();

	private final Standstill standstill;

	TestLocks(TestClock clock, TestWallClock wallClock, TestLockStore store, LockOrders orders,
			BeanFactory beanFactory) {
		this.clock = clock;
		this.wallClock = wallClock;
		this.store = store;
		this.orders = orders;
		this.beanFactory = beanFactory;
		this.otherInstance = new DefaultLockService(store.table().connect(), EngineSettings.of(OTHER_INSTANCE),
				List.of(), clock);
		this.standstill = new Standstill(clock, this::services, this::advance, System::nanoTime);
	}

	/**
	 * The engines of the application: one, or none if it has its own lock service or a
	 * mock.
	 */
	private Stream<DefaultLockService> services() {
		return this.beanFactory.getBeanProvider(DefaultLockService.class).stream();
	}

	/**
	 * Advance the clock, and the time of day of jobs: leases are renewed or end and waits
	 * time out, one after the other in chronological order, before this method returns.
	 * Call it in the thread of the test; code that waits for a lock must run in another
	 * thread. If the application has its own {@link LockService}, or a mock, time passes
	 * only for the other instances.
	 * @param time the time to advance by, positive
	 * @throws IllegalArgumentException if the time is zero or negative
	 */
	public void advance(Duration time) {
		if (time.isNegative() || time.isZero()) {
			throw new IllegalArgumentException(
					"The clock of the locks is to be advanced by %s, but only goes forward: give a positive time."
						.formatted(time));
		}
		this.moving.lock();
		try {
			long end = this.clock.nanos() + time.toNanos();
			for (long next = catchUp(); next < end; next = catchUp()) {
				this.clock.moveTo(next);
			}
			this.clock.moveTo(end);
			catchUp();
		}
		finally {
			this.moving.unlock();
		}
	}

	/**
	 * Set the time of day by which the application finds the fire times of its jobs:
	 * methods with {@link io.distributedlock.annotation.OncePerFireTime}. It then stands
	 * still. Until the first call in a test, it is that of the machine. From the second
	 * call on, the time in between passes for the locks as well, as in {@link #advance};
	 * a time in the past is only set.
	 * <p>
	 * Nothing fires by itself: call the method of the job, as the scheduler would.
	 * @param time the time of day, such as a fire time
	 */
	public void moveTo(Instant time) {
		this.moving.lock();
		try {
			Duration ahead = this.wallClock.isSet() ? Duration.between(this.wallClock.now(), time) : Duration.ZERO;
			if (ahead.compareTo(Duration.ZERO) > 0) {
				advance(ahead);
			}
			this.wallClock.set(time);
		}
		finally {
			this.moving.unlock();
		}
	}

	private long catchUp() {
		return Stream.concat(Stream.of(this.otherInstance), services())
			.mapToLong(DefaultLockService::catchUp)
			.min()
			.orElse(Long.MAX_VALUE);
	}

	/**
	 * Let another instance of the application hold a lock.
	 * @param name the name of the lock
	 * @return the hold of the other instance, which is renewed until it is closed; close
	 * it to release the lock
	 * @throws io.distributedlock.LockNotAcquiredException if the lock is held already
	 */
	public LockHandle hold(String name) {
		return hold(name, LockOptions.defaults().withAutoRenew());
	}

	/**
	 * Let another instance of the application hold a lock with options, for example one
	 * of its permits: {@code hold("export", LockOptions.defaults().withPermits(3))}. Each
	 * call is another holder.
	 * @param name the name of the lock
	 * @param options the options
	 * @return the hold of the other instance; close it to release the lock
	 * @throws io.distributedlock.LockNotAcquiredException if the lock is held, or has as
	 * many holders as the options and its holders accept
	 */
	public LockHandle hold(String name, LockOptions options) {
		LockHandle handle = this.otherInstance.acquireAsync(name, options).join();
		this.heldElsewhere.add(handle);
		this.store.asked().add(name);
		return handle;
	}

	/**
	 * Let another instance of the application fire for a job, a method with
	 * {@link io.distributedlock.annotation.OncePerFireTime}. Unless it has to skip the
	 * fire time, because an instance has run it or runs the job now, it runs the job
	 * successfully and without its work.
	 * @param job the name of the job, which must be the same for all calls
	 * @param fireTime the fire time, as in the time zone of the schedule
	 * @return whether the other instance ran the job
	 * @throws IllegalArgumentException if the application has no job with this name
	 */
	public boolean fireElsewhere(String job, Instant fireTime) {
		Jobs jobs = this.beanFactory.getBeanProvider(Jobs.class)
			.stream()
			.filter((each) -> names(each).contains(job))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(unknown(job)));
		this.store.asked().add(job);
		LockHandle handle = this.otherInstance.tryAcquire(job).orElse(null);
		if (handle == null) {
			return false;
		}
		try (handle) {
			return jobs.runWithoutWork(handle, fireTime, OTHER_INSTANCE).join();
		}
	}

	private String unknown(String job) {
		Set<String> known = this.beanFactory.getBeanProvider(Jobs.class)
			.stream()
			.flatMap((jobs) -> names(jobs).stream())
			.collect(Collectors.toCollection(TreeSet::new));
		String similar = SimilarNames.nearest(job, known);
		return "The application has no job with the name '" + Printable.of(job) + "'."
				+ ((similar != null) ? " Did you mean '" + similar + "'?"
						: known.isEmpty() ? " It has none with one name: put @OncePerFireTime on the method of a bean."
								: " Its jobs are '" + String.join("', '", known) + "'.");
	}

	private static List<String> names(Jobs jobs) {
		return jobs.jobs().stream().map(DeclaredJob::name).toList();
	}

	/**
	 * End a lock early, as if its key had expired. The holder notices it at its next
	 * renewal, extension or release. Several holders lose it together. Does nothing if
	 * the lock is free.
	 * @param name the name of the lock
	 */
	public void expire(String name) {
		this.store.table()
			.describe(name)
			.join()
			.ifPresent((lock) -> lock.holds()
				.forEach((hold) -> this.store.table().release(name, LockToken.parse(hold.holder())).join()));
	}

	/**
	 * Make every command to the lock store fail, as if the store were down.
	 */
	public void failStore() {
		this.store.fail(true);
	}

	/**
	 * Make the lock store work again after {@link #failStore()}.
	 */
	public void restoreStore() {
		this.store.fail(false);
	}

	/**
	 * Return whether a lock is held.
	 * @param name the name of the lock
	 * @return whether it is held, by the application or by another instance
	 */
	public boolean isHeld(String name) {
		return holder(name).isPresent();
	}

	/**
	 * Return the holder of a lock.
	 * @param name the name of the lock
	 * @return the name of the instance, or empty if the lock is free
	 */
	public Optional<String> holder(String name) {
		return this.store.table().find(name).join().map(StoredLock::holder).map(TestLocks::instanceName);
	}

	/**
	 * Return how many hold a lock.
	 * @param name the name of the lock
	 * @return the number of holders, in the application and in other instances
	 */
	public int holders(String name) {
		return holderNames(name).size();
	}

	List<String> holderNames(String name) {
		return this.store.table()
			.describe(name)
			.join()
			.stream()
			.flatMap((lock) -> lock.holds().stream())
			.map((hold) -> instanceName(hold.holder()))
			.toList();
	}

	private static String instanceName(String token) {
		String name = StoredLock.instanceNameIn(token);
		return (name != null) ? name : token;
	}

	/**
	 * Return the number of callers in the application that wait for a lock.
	 * @param name the name of the lock
	 * @return the number of callers
	 */
	public long waiters(String name) {
		return this.beanFactory.getBeanProvider(LockInspector.class)
			.stream()
			.flatMap((inspector) -> inspector.waiting().stream())
			.map(WaitingLock::name)
			.filter(name::equals)
			.count();
	}

	/**
	 * Return whether the application or a test has ever asked for a lock.
	 */
	boolean isAskedFor(String name) {
		return this.store.asked().contains(name);
	}

	/**
	 * Return a sentence about a name that may be misspelt, or an empty text if the lock
	 * was asked for.
	 */
	String hint(String name) {
		if (isAskedFor(name)) {
			return "";
		}
		Set<String> asked = this.store.asked();
		String similar = SimilarNames.nearest(name, asked);
		return " Nobody has asked for it so far" + ((similar != null) ? ". Did you mean '" + similar + "'?"
				: asked.isEmpty() ? ", nor for any other lock."
						: ", but for " + asked.stream()
							.sorted()
							.limit(MOST_NAMES)
							.map((known) -> "'" + known + "'")
							.collect(Collectors.joining(", ")) + ((asked.size() > MOST_NAMES) ? ", …" : "."));
	}

	List<LockOrders.Step> inversion() {
		return this.orders.inversion();
	}

	/**
	 * Return assertions about these locks; called by {@code assertThat(locks)}.
	 */
	@Override
	public TestLocksAssert assertThat() {
		return new TestLocksAssert(this);
	}

	/**
	 * A test begins in the calling thread.
	 */
	void begin() {
		this.standstill.watch(Thread.currentThread());
	}

	/**
	 * The test that began in the calling thread has ended: reset the locks.
	 */
	void reset(String test) {
		this.standstill.unwatch(Thread.currentThread());
		restoreStore();
		services().forEach((service) -> abandon(service, test));
		for (LockHandle handle = this.heldElsewhere.poll(); handle != null; handle = this.heldElsewhere.poll()) {
			handle.close();
		}
		this.store.table().clear();
		this.wallClock.reset();
		// Their terms have ended without a notification
		if (LEADERSHIP) {
			TestElections.stepDown(this.beanFactory);
		}
	}

	/**
	 * End the holds and waits that the application still has: otherwise the engine would
	 * keep them, and the next test would find them.
	 */
	private void abandon(DefaultLockService service, String test) {
		Set<String> leaderships = LEADERSHIP ? TestElections.names(this.beanFactory) : Set.of();
		String left = Stream
			.concat(service.held()
				.stream()
				.filter((held) -> !leaderships.contains(held.name()))
				.map((held) -> "lock '%s' held by '%s'".formatted(held.name(), held.owner())),
					service.waiting()
						.stream()
						.filter((wait) -> !leaderships.contains(wait.name()))
						.map((wait) -> "'%s' waiting for lock '%s'".formatted(wait.owner(), wait.name())))
			.collect(Collectors.joining(", "));
		if (!left.isEmpty()) {
			logger.warn("Test '" + test + "' ended and left " + left + ". They end now: close handles "
					+ "before a test ends, and wait for the work that it started.");
		}
		service.abandonAll("It ended with test '" + test + "'.");
	}

	@Override
	public void destroy() {
		this.standstill.close();
		this.otherInstance.close();
	}

}
