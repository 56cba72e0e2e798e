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

package io.distributedlock.leadership;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.OnLost;
import io.distributedlock.internal.DeferredInterrupts;
import io.distributedlock.internal.ModuleVersion;
import io.distributedlock.internal.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Lets candidates of this instance stand for leaderships. The candidates with the same
 * name, in all instances that share a lock store, compete for the lock of that name.
 * Applications inject this class, or a configured {@link Leadership}.
 *
 * <p>
 * Callbacks and listeners are called with the context class loader of the thread that
 * created the election.
 *
 * @since 0.1.0
 */
public final class LeaderElection implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LeaderElection.class);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final LockService locks;

	private final List<LeadershipListener> listeners;

	/**
	 * The class loader of the application, also for callbacks in threads of the library.
	 */
	private final @Nullable ClassLoader contextClassLoader = Thread.currentThread().getContextClassLoader();

	private final ElectionThreads threads = new ElectionThreads();

	private final Set<Campaign> campaigns = ConcurrentHashMap.newKeySet();

	private final Duration patience;

	private final AtomicBoolean closed = new AtomicBoolean();

	/** Completes when the first call of {@link #close()} stops waiting. */
	private final CompletableFuture<@Nullable Void> resigned = new CompletableFuture<>();

	/**
	 * Create an election without listeners.
	 * @param locks where the candidates compete; not closed by the election, close it
	 * afterwards
	 */
	public LeaderElection(LockService locks) {
		this(locks, List.of());
	}

	/**
	 * Create an election.
	 * @param locks where the candidates compete; not closed by the election, close it
	 * afterwards
	 * @param listeners receive the events
	 */
	public LeaderElection(LockService locks, List<LeadershipListener> listeners) {
		this(locks, listeners, PATIENCE);
	}

	LeaderElection(LockService locks, List<LeadershipListener> listeners, Duration patience) {
		ModuleVersion.check(LeaderElection.class, "lock-leadership");
		this.locks = locks;
		this.listeners = List.copyOf(listeners);
		this.patience = patience;
	}

	/**
	 * Stand for a leadership, with the {@link LockService#optionsFor options configured
	 * for its lock}.
	 * @param name the name of the leadership, and of its lock
	 * @return the candidacy, to be closed by the caller
	 * @throws InvalidLockNameException if the name cannot be a lock name
	 * @see #campaign(String, LockOptions)
	 */
	public Leadership campaign(String name) {
		return campaign(name, this.locks.optionsFor(name));
	}

	/**
	 * Stand for a leadership. Returns immediately: the candidate waits without a thread
	 * and without limit, even while the store cannot be reached.
	 * @param name the name of the leadership, and of its lock
	 * @param options the lease, the renewal interval and the declared name (by default
	 * the name of the leadership). {@link LockOptions#maxHold()} limits a term, after
	 * which another candidate has its turn. The lease is always renewed; other options
	 * are ignored
	 * @return the candidacy, to be closed by the caller
	 * @throws InvalidLockNameException if the name cannot be a lock name
	 * @throws IllegalArgumentException if the options are for several holders
	 * @throws IllegalStateException if this election is closed
	 */
	public Leadership campaign(String name, LockOptions options) {
		return campaign(name, options, (leadership) -> {
		});
	}

	/**
	 * Stand for a leadership with callbacks that miss no term: they are registered before
	 * the candidate stands, and called for the first term in the order of their
	 * registration.
	 * @param name the name of the leadership, and of its lock
	 * @param options the options as in {@link #campaign(String, LockOptions)}
	 * @param registration registers callbacks with the candidacy, which does not stand
	 * yet; called immediately, in the thread of the caller
	 * @return the candidacy, to be closed by the caller
	 * @throws InvalidLockNameException if the name cannot be a lock name
	 * @throws IllegalArgumentException if the options are for several holders
	 * @throws IllegalStateException if this election is closed
	 */
	public Leadership campaign(String name, LockOptions options, Consumer<? super Leadership> registration) {
		Campaign campaign = new Campaign(this, name, adapted(name, options));
		this.campaigns.add(campaign);
		boolean stands = false;
		try {
			registration.accept(campaign);
			if (this.closed.get()) {
				throw new IllegalStateException(
						"The election is closed: no candidate can stand for the leadership '%s' any more."
							.formatted(Printable.of(name)));
			}
			if (!campaign.isClosed()) {
				publish(new LeadershipEvent.Standing(name));
				campaign.stand();
			}
			stands = true;
		}
		finally {
			if (!stands) {
				campaign.resign();
			}
		}
		return campaign;
	}

	private static LockOptions adapted(String name, LockOptions options) {
		if (options.permits() != 1 || options.mode() == LockMode.SHARED) {
			throw new IllegalArgumentException("Leadership '" + Printable.of(name)
					+ "' has options for several holders, but there is only one leader. Remove the permits, or withShared().");
		}
		LockOptions adapted = options.withWaitTime(LockOptions.LONGEST)
			.withAutoRenew()
			.withMinHold(Duration.ZERO)
			.withOnLost(OnLost.LOG);
		if (adapted.maxHold() == null) {
			// A term is meant to last: with a maximum, nobody is warned of a long hold
			adapted = adapted.withMaxHold(LockOptions.LONGEST);
		}
		return adapted.declaredName().equals(LockOptions.UNDECLARED) && !name.isBlank() ? adapted.withDeclaredName(name)
				: adapted;
	}

	/**
	 * Return the candidacies of this instance that are not closed.
	 * @return a snapshot
	 */
	public List<Candidacy> candidacies() {
		return this.campaigns.stream().map(Campaign::snapshot).toList();
	}

	/**
	 * Make all leaders of this instance resign and stand again.
	 * @see Leadership#stepDown()
	 */
	public void stepDown() {
		this.campaigns.forEach(Campaign::stepDown);
	}

	LockService locks() {
		return this.locks;
	}

	Duration patience() {
		return this.patience;
	}

	ElectionThreads threads() {
		return this.threads;
	}

	void remove(Campaign campaign) {
		this.campaigns.remove(campaign);
	}

	void publish(LeadershipEvent event) {
		for (LeadershipListener listener : this.listeners) {
			callOut(listener::onLeadershipEvent, event,
					() -> "The listener " + listener + " failed with an event of the leadership '"
							+ Printable.of(event.name())
							+ "'. The candidacy and the other listeners are not affected.");
		}
	}

	/**
	 * Call code of the application, with its context class loader.
	 * @param failure the message to log if it fails
	 */
	<T> void callOut(Consumer<T> code, T argument, Supplier<String> failure) {
		Thread thread = Thread.currentThread();
		ClassLoader usual = thread.getContextClassLoader();
		try {
			thread.setContextClassLoader(this.contextClassLoader);
			code.accept(argument);
		}
		catch (Throwable ex) {
			logger.error(failure.get(), ex);
		}
		finally {
			thread.setContextClassLoader(usual);
		}
	}

	/**
	 * Make all candidates of this instance resign, and wait until the callbacks of
	 * {@link Leadership#onRevoked} have returned and the locks are released, but at most
	 * 30 s. The lock of a leader whose callback has not returned by then is released when
	 * it does, or when the lock service is closed. A second call waits as long as the
	 * first one. Does not wait for a callback that calls this.
	 */
	@Override
	public void close() {
		boolean first = !this.closed.getAndSet(true);
		List<Campaign> calling = this.campaigns.stream().filter(Campaign::isCalledHere).toList();
		if (first) {
			try {
				resignAll(calling);
			}
			finally {
				this.threads.close();
				this.resigned.complete(null);
			}
		}
		else if (calling.isEmpty()) {
			DeferredInterrupts.await(this.resigned, this.patience.toNanos());
		}
	}

	/**
	 * All resign at the same time: if the store does not answer, each waits for a command
	 * timeout.
	 * @param calling the campaigns whose callbacks run in the current thread
	 */
	private void resignAll(List<Campaign> calling) {
		long end = System.nanoTime() + this.patience.toNanos();
		Map<Campaign, CompletableFuture<?>> resignations = new LinkedHashMap<>();
		for (Campaign campaign : this.campaigns) {
			if (!calling.contains(campaign)) {
				resignations.put(campaign, CompletableFuture.supplyAsync(campaign::resign, this.threads::execute)
					.thenCompose(Function.identity()));
			}
		}
		calling.forEach(Campaign::resign);
		DeferredInterrupts.await(CompletableFuture.allOf(resignations.values().toArray(CompletableFuture[]::new)),
				end - System.nanoTime());
		resignations.forEach((campaign, resignation) -> {
			if (!resignation.isDone()) {
				warnOfCallback(campaign.name());
			}
		});
	}

	void warnOfCallback(String name) {
		logger.warn("The leadership '" + Printable.of(name) + "' did not end within " + Printable.of(this.patience)
				+ ", because a callback has not returned. Its lock is released when it does, or when the lock service closes. Let callbacks of onRevoked only signal the work to stop.");
	}

	/**
	 * A snapshot of a candidacy of this instance. Applications do not implement it.
	 */
	public interface Candidacy {

		/**
		 * Return the name of the leadership.
		 * @return the name
		 */
		String name();

		/**
		 * Return the low-cardinality name for meters.
		 * @return the declared name
		 */
		String declaredName();

		/**
		 * Return whether it leads.
		 * @return whether it leads
		 */
		boolean leader();

		/**
		 * Return the fencing token of the term.
		 * @return the fencing token, zero if it does not lead
		 */
		long fencingToken();

		/**
		 * Return how long it is certain to lead without a renewal.
		 * @return the time until the deadline, zero if it does not lead
		 */
		Duration remaining();

	}

}
