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

package io.distributedlock.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import io.distributedlock.HeldLock;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockListener;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockedWork;
import io.distributedlock.WaitingLock;
import io.distributedlock.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * The lock service on any {@link LockStore}. {@link #close(Duration) Close} it before the
 * store.
 *
 * @since 0.1.0
 */
public final class DefaultLockService implements LockService, AutoCloseable {

	private final LockEngine engine;

	private final Outcomes outcomes;

	private final LocalLocks localLocks;

	private final EngineSettings settings;

	private final ViewLocks viewLocks = new ViewLocks();

	/**
	 * Create a lock service.
	 * @param store where the locks are; not closed by this
	 * @param settings the settings
	 * @param listeners are told what happens
	 */
	public DefaultLockService(LockStore store, EngineSettings settings, List<LockListener> listeners) {
		this(store, settings, listeners, Ticker.system());
	}

	/**
	 * Create a lock service that goes by another clock.
	 * @param store where the locks are; not closed by this
	 * @param settings the settings
	 * @param listeners are told what happens
	 * @param ticker the clock
	 */
	public DefaultLockService(LockStore store, EngineSettings settings, List<LockListener> listeners, Ticker ticker) {
		this.engine = new LockEngine(store, settings, listeners, ticker);
		this.outcomes = new Outcomes(this.engine.core());
		this.localLocks = new LocalLocks(this.engine.core());
		this.settings = settings;
	}

	@Override
	public LockOptions defaults() {
		return this.settings.defaults();
	}

	@Override
	public LockOptions optionsFor(String name) {
		return this.settings.customizer().customize(name, this.settings.defaults());
	}

	@Override
	public LockHandle acquire(String name, LockOptions options) {
		BlockingWaiter waiter = waiter(name, options, BlockingWaiter.Mode.HANDLE);
		return this.outcomes.handle(waiter, take(waiter));
	}

	@Override
	public Optional<LockHandle> tryAcquire(String name, LockOptions options) {
		return Optional.ofNullable(tryTake(waiter(name, options, BlockingWaiter.Mode.HANDLE)));
	}

	/**
	 * Return a handle, or {@code null} if the lock is held elsewhere.
	 */
	@Nullable Handle tryTake(BlockingWaiter waiter) {
		Outcome outcome = take(waiter);
		if (outcome instanceof Outcome.Busy) {
			this.outcomes.announceBusy(waiter);
			return null;
		}
		return this.outcomes.handle(waiter, outcome);
	}

	BlockingWaiter waiter(String name, LockOptions options, BlockingWaiter.Mode mode) {
		LockNames.check(name);
		BlockingWaiter waiter = new BlockingWaiter(name, options, this.engine.core().now(), mode);
		if (mode != BlockingWaiter.Mode.VIEW_UNINTERRUPTIBLE && Thread.currentThread().isInterrupted()) {
			throw this.outcomes.failure(waiter, Outcome.GivenUp.INTERRUPTED);
		}
		return waiter;
	}

	private Outcome take(BlockingWaiter waiter) {
		this.engine.admission().submit(waiter);
		return waiter.await(this.engine.admission(), this.engine.core().ticker());
	}

	@Override
	public LockHandle acquireAll(Collection<String> names, LockOptions options) {
		List<String> sorted = CompositeHandle.sorted(names);
		if (sorted.size() == 1) {
			return acquire(sorted.get(0), options);
		}
		return new BlockingAcquireAll(this, sorted, options).run();
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T execute(String name, LockOptions options,
			LockedWork<T, E> work) throws E {
		LockHandle handle = acquire(name, options);
		T result;
		try {
			result = work.call(handle);
			AsyncExecution.assertHeld(handle, options);
		}
		catch (Throwable ex) {
			handle.waiveMinHold();
			throw ex;
		}
		finally {
			handle.close();
		}
		return result;
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(String name, LockOptions options) {
		LockNames.check(name);
		return new AsyncWaiter(name, options, this.engine.core().now(), this.engine, this.outcomes).start();
	}

	@Override
	public CompletableFuture<LockHandle> acquireAllAsync(Collection<String> names, LockOptions options) {
		List<String> sorted = CompositeHandle.sorted(names);
		sorted.forEach(LockNames::check);
		if (sorted.size() == 1) {
			return acquireAsync(sorted.get(0), options);
		}
		return new AsyncAcquireAll(this, sorted, options).start();
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(String name, LockOptions options,
			Function<LockHandle, ? extends CompletionStage<T>> work) {
		return AsyncExecution.start(acquireAsync(name, options), options, work, this.engine.core().threads()::complete);
	}

	@Override
	public Optional<LockInfo> find(String name) {
		LockNames.check(name);
		return Failures.join(name, this.engine.core().store().find(name))
			.map((lock) -> this.engine.holders().describe(name, lock.holder(), lock.remaining()));
	}

	@Override
	public Optional<LockHandle> current(String name) {
		LockNames.check(name);
		return Optional.ofNullable(this.localLocks.current(name));
	}

	@Override
	public Optional<LockHandle> reenter(LockHandle held, LockOptions options) {
		if (held.parts().size() > 1) {
			return CompositeHandle.reenter(held.parts(), (part) -> enterAgain(part, options));
		}
		return Optional.ofNullable(enterAgain(held, options));
	}

	@Nullable Handle enterAgain(LockHandle held, LockOptions options) {
		return (held instanceof Handle handle && handle.isOf(this.engine))
				? this.engine.admission().reenter(handle, options) : null;
	}

	long now() {
		return this.engine.core().now();
	}

	/**
	 * Let releases end without anybody who waits.
	 */
	void concludeLater(List<Release> releases) {
		releases.forEach((release) -> release.toFuture(this.engine.core().threads()));
	}

	ViewLocks lockedByViews() {
		return this.viewLocks;
	}

	@Override
	public Lock asLock(String name, LockOptions options) {
		LockNames.check(name);
		return new LockView(this, name, options);
	}

	@Override
	public List<HeldLock> held() {
		return this.localLocks.held();
	}

	@Override
	public List<WaitingLock> waiting() {
		return this.localLocks.waiting();
	}

	/**
	 * Return the identity of this instance in the store: what the tokens of its locks
	 * start with.
	 * @return the instance name, a tilde and random characters
	 */
	public String instanceId() {
		return this.engine.core().instance();
	}

	/**
	 * Return what does the work. For tests.
	 */
	LockEngine engine() {
		return this.engine;
	}

	/**
	 * Do now what the watchdog would do by itself a moment later. For tests.
	 */
	void runDue() {
		this.engine.core().timer().runDue();
	}

	/**
	 * Do now whatever is due, and end the waits that are over, as it would happen by
	 * itself a moment later: for clocks that are moved by hand.
	 * @return the reading of the clock at which something is due next,
	 * {@link Long#MAX_VALUE} if nothing is
	 */
	public long catchUp() {
		return this.engine.manualTime().catchUp();
	}

	/**
	 * Return the calls that wait for a lock at the moment: for clocks that are moved by
	 * hand.
	 * @return the waits, in no order
	 */
	public List<? extends Wait> waits() {
		return this.engine.manualTime().waits();
	}

	/**
	 * End a wait with a {@link io.distributedlock.LockUnavailableException}, if it goes
	 * on still: for clocks that are moved by hand.
	 * @param wait the wait
	 * @param why the message of the exception
	 */
	public void refuse(Wait wait, String why) {
		this.engine.manualTime().refuse((Waiter) wait, why);
	}

	/**
	 * End all waits with a {@link io.distributedlock.LockUnavailableException}, and let
	 * all handles be lost without telling anybody, so that the next test finds nothing of
	 * the one before. Locks that were held are left in the store.
	 * @param why a sentence for those who wait, and for those who look at their handles
	 */
	public void abandonAll(String why) {
		this.engine.shutdown().abandonAll(why);
	}

	/**
	 * Wait until the thread for I/O has done what it was given so far. For tests.
	 */
	void awaitIo() {
		CompletableFuture<Void> done = new CompletableFuture<>();
		this.engine.core().threads().io(() -> done.complete(null));
		done.join();
	}

	/**
	 * Close without waiting for the holders.
	 */
	@Override
	public void close() {
		close(Duration.ZERO);
	}

	/**
	 * Let nobody acquire any more, wait for the holders while their leases are renewed,
	 * then release what is still held and tell its holders that it is lost. A second call
	 * does nothing.
	 * @param grace how long to wait for the holders; zero for not at all
	 */
	public void close(Duration grace) {
		this.engine.shutdown().run(grace);
	}

	/**
	 * A call that waits for a lock.
	 */
	public interface Wait {

		/**
		 * Return what it waits for.
		 * @return the name of the lock
		 */
		String name();

		/**
		 * Return which thread is blocked meanwhile.
		 * @return the thread, or {@code null} if the caller has a future
		 */
		@Nullable Thread thread();

		/**
		 * Return when it ends.
		 * @return a reading of the clock, many years ahead if the wait has no limit
		 */
		long until();

	}

}
