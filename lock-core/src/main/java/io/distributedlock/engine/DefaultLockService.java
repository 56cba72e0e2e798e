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
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import io.distributedlock.HeldLock;
import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockInspector;
import io.distributedlock.LockListener;
import io.distributedlock.LockObserver;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.WaitingLock;
import io.distributedlock.internal.DeferredInterrupts;
import io.distributedlock.internal.KnownLosses;
import io.distributedlock.internal.LockKeeper;
import io.distributedlock.internal.Printable;
import io.distributedlock.internal.Wait;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.GrantListener;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoredLock;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The lock service on any {@link LockStore}. {@link #close(Duration) Close} it before the
 * store.
 *
 * @since 0.1.0
 */
public final class DefaultLockService implements LockService, LockInspector, KnownLosses, AutoCloseable {

	/** Requests sent in the first one may have made something due. */
	private static final int ROUNDS_TO_CATCH_UP = 2;

	private final LockEngine engine;

	private final EngineSettings settings;

	private final Shutdown shutdown;

	private final LockView.Locked lockedByViews = new LockView.Locked();

	/**
	 * Create a lock service.
	 * @param store where the locks are; not closed by this
	 * @param settings the settings
	 * @param listeners receive the events
	 */
	public DefaultLockService(LockStore store, EngineSettings settings, List<LockListener> listeners) {
		this(store, settings, listeners, Ticker.system());
	}

	/**
	 * Create a lock service with a clock of its own.
	 * @param store where the locks are; not closed by this
	 * @param settings the settings
	 * @param listeners receive the events
	 * @param ticker the clock
	 */
	public DefaultLockService(LockStore store, EngineSettings settings, List<LockListener> listeners, Ticker ticker) {
		this(store, settings, listeners, ticker, null);
	}

	/**
	 * Create a lock service that is observed.
	 * @param store where the locks are; not closed by this
	 * @param settings the settings
	 * @param listeners receive the events
	 * @param ticker the clock
	 * @param observer observes the locks, or {@code null} for none
	 */
	public DefaultLockService(LockStore store, EngineSettings settings, List<LockListener> listeners, Ticker ticker,
			@Nullable LockObserver observer) {
		this(store, settings, listeners, ticker, observer, null);
	}

	/**
	 * Create a lock service for callers inside a scope that may keep their locks, such as
	 * a transaction.
	 * @param store where the locks are; not closed by this
	 * @param settings the settings
	 * @param listeners receive the events
	 * @param ticker the clock
	 * @param observer observes the locks, or {@code null} for none
	 * @param keeper keeps locks after their handles were closed, or {@code null} for none
	 */
	public DefaultLockService(LockStore store, EngineSettings settings, List<LockListener> listeners, Ticker ticker,
			@Nullable LockObserver observer, @Nullable LockKeeper keeper) {
		this(store, settings, listeners, observer, keeper,
				LockEngine.Surroundings.system(ticker::nanos, settings.newInstanceId()));
	}

	/**
	 * Create a lock service with threads, a clock and random numbers of its own. For
	 * tests.
	 */
	DefaultLockService(LockStore store, EngineSettings settings, List<LockListener> listeners,
			@Nullable LockObserver observer, @Nullable LockKeeper keeper, LockEngine.Surroundings surroundings) {
		this.engine = new LockEngine(new GuardedStore(store), settings, listeners, observer, keeper, surroundings);
		this.settings = settings;
		this.shutdown = new Shutdown(this.engine, settings.cleanupWait());
	}

	@Override
	public LockOptions defaults() {
		return this.settings.defaults();
	}

	@Override
	public LockOptions optionsFor(String name) {
		Names.check(name);
		return this.settings.customizer().customize(name, this.settings.defaults());
	}

	@Override
	public LockHandle acquire(String name, LockOptions options) {
		Names.check(name);
		LockKeeper.Keeping keeping = this.engine.keeping();
		LockHandle kept = this.engine.enterKept(keeping, name, options);
		LockHandle handle = (kept != null) ? kept : BlockingWaiter.acquire(this.engine, name, options);
		this.engine.keep(keeping, handle, options);
		return handle;
	}

	@Override
	public Optional<LockHandle> tryAcquire(String name, LockOptions options) {
		Names.check(name);
		return Optional.ofNullable(BlockingWaiter.tryAcquire(this.engine, name, options, BlockingWaiter.Mode.HANDLE));
	}

	@Override
	public LockHandle acquireAll(Collection<String> names, LockOptions options) {
		List<String> sorted = Names.sorted(names);
		if (sorted.size() == 1) {
			return acquire(sorted.get(0), options);
		}
		return new AcquireAll(this.engine, this.engine.keeping(), sorted, options).run();
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(String name, LockOptions options) {
		Names.check(name);
		LockKeeper.Keeping keeping = this.engine.keeping();
		LockHandle kept = this.engine.enterKept(keeping, name, options);
		if (kept != null) {
			this.engine.keep(keeping, kept, options);
			return CompletableFuture.completedFuture(kept);
		}
		return new AsyncWaiter(name, options, this.engine, keeping).start();
	}

	@Override
	public CompletableFuture<LockHandle> acquireAllAsync(Collection<String> names, LockOptions options) {
		List<String> sorted = Names.sorted(names);
		if (sorted.size() == 1) {
			return acquireAsync(sorted.get(0), options);
		}
		return new AcquireAll(this.engine, this.engine.keeping(), sorted, options).start();
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> executeAsync(String name, LockOptions options,
			Function<LockHandle, ? extends CompletionStage<T>> work) {
		return AsyncExecution.start(acquireAsync(name, options), options, work, this.engine.completions());
	}

	@Override
	public Optional<LockInfo> find(String name) {
		Names.check(name);
		return this.engine.find(name);
	}

	@Override
	public Optional<LockHandle> current(String name) {
		Names.check(name);
		return Optional.ofNullable(this.engine.current(name));
	}

	@Override
	public Optional<LockHandle> reenter(LockHandle held, LockOptions options) {
		return this.engine.enter(held, options);
	}

	@Override
	public Lock asLock(String name, LockOptions options) {
		Names.check(name);
		return new LockView(this.engine, this.lockedByViews, name, options);
	}

	@Override
	public List<HeldLock> held() {
		return this.engine.held();
	}

	@Override
	public List<WaitingLock> waiting() {
		return this.engine.waiting();
	}

	@Override
	public List<Loss> losses() {
		return this.engine.lastLosses();
	}

	/**
	 * Return the identity of this instance in the store: the prefix of all lock tokens.
	 * @return the instance name, a tilde and random characters
	 */
	public String instanceId() {
		return this.engine.instance();
	}

	/**
	 * For tests.
	 */
	LockEngine engine() {
		return this.engine;
	}

	/**
	 * Do now what the watchdog would do a moment later. For tests.
	 */
	void runDue() {
		this.engine.timer().runDue();
	}

	/**
	 * Run all due tasks and end all expired waits now, instead of a moment later. For
	 * clocks moved by hand.
	 * @return the reading of the clock at which something is due next,
	 * {@link Long#MAX_VALUE} if nothing is
	 */
	public long catchUp() {
		for (int i = 0; i < ROUNDS_TO_CATCH_UP; i++) {
			runDue();
			this.engine.endWaits();
			// Not forever: the thread for I/O does it anyway
			DeferredInterrupts.await(this.engine.ioDone(), TimeUnit.SECONDS.toNanos(1));
		}
		return Math.min(this.engine.timer().runDue(), this.engine.endWaits());
	}

	/**
	 * Return the calls that wait for a lock at the moment: for clocks that are moved by
	 * hand.
	 * @return the waits, in no order
	 */
	public List<? extends Wait> waits() {
		return this.engine.waiters();
	}

	/**
	 * End a wait with a {@link io.distributedlock.LockUnavailableException}, if it has
	 * not ended yet: for clocks that are moved by hand.
	 * @param wait the wait
	 * @param why the message of the exception
	 */
	public void refuse(Wait wait, String why) {
		this.engine.dismiss(wait, why);
	}

	/**
	 * End all waits with a {@link io.distributedlock.LockUnavailableException}, and mark
	 * all handles as lost without a notification, so that the next test finds nothing of
	 * the previous one. Locks that were held are left in the store.
	 * @param why a sentence for the waiters and the holders
	 */
	public void abandonAll(String why) {
		this.shutdown.abandonAll(why);
	}

	/**
	 * Wait until the thread for I/O has done what it was given so far. For tests.
	 */
	void awaitIo() {
		this.engine.ioDone().join();
	}

	/**
	 * Close without waiting for the holders.
	 */
	@Override
	public void close() {
		close(Duration.ZERO);
	}

	/**
	 * Refuse new acquisitions, wait for the holders while their leases are renewed, then
	 * release the locks that are still held and notify their holders of the loss. A
	 * second call does nothing.
	 * @param grace how long to wait for the holders; zero for not at all
	 */
	public void close(Duration grace) {
		this.shutdown.run(grace, null);
	}

	/**
	 * Close as {@link #close(Duration)} does, with a last chance for work that goes on
	 * after the grace period: its locks stay held while the given task runs, and for up
	 * to a second after it, in which work that was interrupted may end.
	 * @param grace how long to wait for the holders; zero for not at all
	 * @param overtime called once if locks are still held then; waits for the work or
	 * stops it, and must not throw
	 */
	public void close(Duration grace, Runnable overtime) {
		this.shutdown.run(grace, overtime);
	}

	/**
	 * Checks names: any non-blank text of at most 4,096 bytes in UTF-8. Unpaired
	 * surrogates have no UTF-8 form, so that different names would become one.
	 */
	static final class Names {

		static final int LONGEST = 4096;

		private static final int SHOWN = 64;

		private Names() {
		}

		static void check(@Nullable String name) {
			if (name == null || name.isBlank()) {
				throw new InvalidLockNameException((name != null) ? name : "",
						"The name of a lock is " + ((name != null) ? "blank" : "null")
								+ ". Give a name that says what is locked, for example 'order:42'.");
			}
			int bytes = 0;
			for (int i = 0; i < name.length(); i++) {
				char c = name.charAt(i);
				if (c < 0x80) {
					bytes++;
				}
				else if (c < 0x800) {
					bytes += 2;
				}
				else if (!Character.isSurrogate(c)) {
					bytes += 3;
				}
				else if (Character.isHighSurrogate(c) && i + 1 < name.length()
						&& Character.isLowSurrogate(name.charAt(i + 1))) {
					bytes += 4;
					i++;
				}
				else {
					throw refused(name, ("contains half a surrogate pair (U+%04X) at index %d, which has no UTF-8. "
							+ "Do not cut texts between the two halves")
						.formatted((int) c, i));
				}
			}
			if (bytes > LONGEST) {
				throw refused(name, "is %d bytes of UTF-8 long, but may have %d at most. Use a digest of long parts"
					.formatted(bytes, LONGEST));
			}
		}

		/**
		 * Check names, and return them in the order in which all callers acquire them.
		 */
		static List<String> sorted(Collection<String> names) {
			if (names.isEmpty()) {
				throw new InvalidLockNameException("",
						"There is no name to lock: the collection of names is empty. Give at least one.");
			}
			for (String name : names) {
				check(name);
			}
			return new ArrayList<>(new TreeSet<>(names));
		}

		private static InvalidLockNameException refused(String name, String why) {
			return new InvalidLockNameException(name,
					"'" + Printable.of(start(name)) + "' cannot be the name of a lock: it " + why + ".");
		}

		private static String start(String name) {
			if (name.length() <= SHOWN) {
				return name;
			}
			return name.substring(0, Character.isHighSurrogate(name.charAt(SHOWN - 1)) ? SHOWN - 1 : SHOWN) + "…";
		}

	}

	/**
	 * Turns an exception of a command into a failed future, because the engine waits for
	 * answers. A store must not throw, but it may run out of memory, or miss a class.
	 */
	private static final class GuardedStore implements LockStore {

		private static final Log logger = LogFactory.getLog(GuardedStore.class);

		private final LockStore store;

		GuardedStore(LockStore store) {
			this.store = store;
		}

		@Override
		public CompletableFuture<AcquireOutcome> acquire(AcquireRequest request) {
			try {
				return this.store.acquire(request);
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

		@Override
		public List<CompletableFuture<ExtendOutcome>> extend(List<LeaseExtension> extensions) {
			return extended(extensions, this.store::extend);
		}

		@Override
		public List<CompletableFuture<ExtendOutcome>> extendAndWatch(List<LeaseExtension> extensions) {
			return extended(extensions, this.store::extendAndWatch);
		}

		@Override
		public boolean canWatch() {
			return this.store.canWatch();
		}

		private static List<CompletableFuture<ExtendOutcome>> extended(List<LeaseExtension> extensions,
				Function<List<LeaseExtension>, List<CompletableFuture<ExtendOutcome>>> command) {
			try {
				return command.apply(extensions);
			}
			catch (Throwable ex) {
				return extensions.stream()
					.map((extension) -> CompletableFuture.<ExtendOutcome>failedFuture(ex))
					.toList();
			}
		}

		@Override
		public CompletableFuture<ReleaseOutcome> release(String name, LockToken token) {
			try {
				return this.store.release(name, token);
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

		@Override
		public CompletableFuture<Optional<StoredLock>> find(String name) {
			try {
				return this.store.find(name);
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

		@Override
		public CompletableFuture<RecordChange.Outcome> replaceRecord(RecordChange change) {
			try {
				return this.store.replaceRecord(change);
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

		@Override
		public void listen(String instance, GrantListener listener) {
			try {
				this.store.listen(instance, listener);
			}
			catch (RuntimeException ex) {
				logger.warn("The lock store cannot listen for grants; waiters poll it instead.", ex);
			}
		}

		@Override
		public String description() {
			try {
				return this.store.description();
			}
			catch (RuntimeException ex) {
				return this.store.getClass().getSimpleName();
			}
		}

		@Override
		public void close() {
			this.store.close();
		}

	}

}
