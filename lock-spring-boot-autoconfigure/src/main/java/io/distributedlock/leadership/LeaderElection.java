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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.distributedlock.InvalidLockNameException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.OnLost;
import io.distributedlock.Printable;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Where candidates of this instance stand for leaderships. The candidates with the same
 * name, in all instances that share a lock store, compete for the lock of that name.
 * Applications inject this class, or a {@link Leadership} that is configured.
 *
 * @since 0.1.0
 */
public final class LeaderElection implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(LeaderElection.class);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final LockService locks;

	private final List<LeadershipListener> listeners;

	private final ElectionThreads threads = new ElectionThreads();

	private final Set<Campaign> campaigns = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean closed = new AtomicBoolean();

	/**
	 * Create an election without listeners.
	 * @param locks where the candidates compete; not closed by this, and to be closed
	 * later
	 */
	public LeaderElection(LockService locks) {
		this(locks, List.of());
	}

	/**
	 * Create an election.
	 * @param locks where the candidates compete; not closed by this, and to be closed
	 * later
	 * @param listeners receive the events
	 */
	public LeaderElection(LockService locks, List<LeadershipListener> listeners) {
		this.locks = locks;
		this.listeners = List.copyOf(listeners);
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
	 * Stand for a leadership. Returns at once: the candidate waits without a thread, and
	 * for as long as it takes, also while the store cannot be reached.
	 * @param name the name of the leadership, and of its lock
	 * @param options the lease, the renewal interval and the declared name (by default
	 * the name of the leadership). {@link LockOptions#maxHold()} limits a term: then
	 * another candidate has its turn. The lease is always renewed; the rest has no
	 * meaning
	 * @return the candidacy, to be closed by the caller
	 * @throws InvalidLockNameException if the name cannot be a lock name
	 * @throws IllegalStateException if this election is closed
	 */
	public Leadership campaign(String name, LockOptions options) {
		return campaign(name, options, (leadership) -> {
		});
	}

	/**
	 * Stand for a leadership with callbacks that miss nothing: those that are registered
	 * before the candidate stands are called for the first term in the order in which
	 * they were registered.
	 * @param name the name of the leadership, and of its lock
	 * @param options the options as in {@link #campaign(String, LockOptions)}
	 * @param registration registers callbacks with the candidacy, which does not stand
	 * yet; called at once, in the thread of the caller
	 * @return the candidacy, to be closed by the caller
	 * @throws InvalidLockNameException if the name cannot be a lock name
	 * @throws IllegalStateException if this election is closed
	 */
	public Leadership campaign(String name, LockOptions options, Consumer<? super Leadership> registration) {
		Campaign campaign = new Campaign(this, name, adapted(name, options));
		registration.accept(campaign);
		this.campaigns.add(campaign);
		try {
			if (this.closed.get()) {
				throw new IllegalStateException(
						"The election is closed, so nobody can stand for the leadership '%s' any more."
							.formatted(Printable.of(name)));
			}
			publish(new LeadershipEvent.Standing(name));
			campaign.stand();
		}
		catch (RuntimeException ex) {
			this.campaigns.remove(campaign);
			throw ex;
		}
		return campaign;
	}

	private static LockOptions adapted(String name, LockOptions options) {
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
	 * Have all leaders of this instance resign and stand again.
	 * @see Leadership#stepDown()
	 */
	public void stepDown() {
		this.campaigns.forEach(Campaign::stepDown);
	}

	LockService locks() {
		return this.locks;
	}

	ElectionThreads threads() {
		return this.threads;
	}

	void remove(Campaign campaign) {
		this.campaigns.remove(campaign);
	}

	void publish(LeadershipEvent event) {
		for (LeadershipListener listener : this.listeners) {
			try {
				listener.onLeadershipEvent(event);
			}
			catch (Throwable ex) {
				logger.error("The listener " + listener + " failed with an event of the leadership '"
						+ Printable.of(event.name()) + "'. The candidacy and the other listeners are not affected.",
						ex);
			}
		}
	}

	/**
	 * Have all candidates of this instance resign, and wait until the callbacks of
	 * {@link Leadership#onRevoked} have returned and the locks are released, but for no
	 * longer than 30 s. The lock of a leader whose callback has not returned by then is
	 * released when it does, or when the lock service is closed. A second call does
	 * nothing.
	 */
	@Override
	public void close() {
		close(PATIENCE);
	}

	/**
	 * Like {@link #close()}.
	 * @param patience how long to wait
	 */
	void close(Duration patience) {
		if (!this.closed.compareAndSet(false, true)) {
			return;
		}
		// At the same time: if the store does not answer, each waits for a command
		// timeout
		Map<String, CompletableFuture<?>> resignations = new LinkedHashMap<>();
		this.campaigns.forEach((campaign) -> resignations.merge(campaign.name(), resign(campaign),
				(one, other) -> CompletableFuture.allOf(one, other)));
		await(CompletableFuture.allOf(resignations.values().toArray(CompletableFuture[]::new)), patience);
		resignations.forEach((name, resignation) -> {
			if (!resignation.isDone()) {
				logger.warn("The leadership '" + Printable.of(name) + "' did not end within " + Printable.of(patience)
						+ ", because a callback has not returned. Its lock is released when it does, or when the lock service closes. Let callbacks of onRevoked only signal the work to stop.");
			}
		});
		this.threads.close();
	}

	private CompletableFuture<?> resign(Campaign campaign) {
		CompletableFuture<?> done = new CompletableFuture<>();
		Runnable resignation = () -> {
			try {
				campaign.close();
			}
			finally {
				done.complete(null);
			}
		};
		if (!this.threads.execute(resignation)) {
			resignation.run();
		}
		return done;
	}

	private static void await(CompletableFuture<?> future, Duration patience) {
		long end = System.nanoTime() + patience.toNanos();
		boolean interrupted = false;
		while (true) {
			try {
				future.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
				break;
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
			catch (ExecutionException | TimeoutException ex) {
				break;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
