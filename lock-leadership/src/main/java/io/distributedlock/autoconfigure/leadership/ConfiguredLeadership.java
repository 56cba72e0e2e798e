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

package io.distributedlock.autoconfigure.leadership;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.autoconfigure.internal.OptionSettings;
import io.distributedlock.autoconfigure.leadership.LeadershipProperties.NamedLeadership;
import io.distributedlock.internal.Printable;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.LeadershipEvent;
import io.distributedlock.leadership.configuration.internal.LeaderElectionLifecycle;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * A configured leadership: this instance is a candidate while the context runs.
 */
final class ConfiguredLeadership implements Leadership, SmartLifecycle {

	private final String name;

	private final LeaderElection election;

	private final LockOptions options;

	private final boolean enabled;

	private final ReentrantLock lock = new ReentrantLock();

	/** Each registers callbacks with a candidacy. */
	private final List<Consumer<Leadership>> registrations = new ArrayList<>();

	/** The last one, also when it has resigned. */
	private volatile @Nullable Leadership candidacy;

	private volatile boolean running;

	private volatile boolean closed;

	ConfiguredLeadership(String name, LeaderElection election, LeadershipProperties properties) {
		NamedLeadership settings = properties.leadership().get(name);
		if (settings == null) {
			throw new IllegalStateException(
					"There are no properties 'distributed-lock.leadership[%s].*', although there were when the bean was registered. Set them where the application runs as well."
						.formatted(Printable.of(name)));
		}
		this.name = name;
		this.election = election;
		this.options = new OptionSettings("distributed-lock.leadership[" + name + "].", settings.given())
			.over(LockOptions.defaults().withAutoRenew().withDeclaredName(name));
		this.enabled = settings.enabled();
	}

	@Override
	public void start() {
		this.lock.lock();
		try {
			if (this.enabled && !this.running && !this.closed) {
				this.election.campaign(this.name, this.options, this::prepare);
			}
		}
		catch (RuntimeException ex) {
			this.running = false;
			throw ex;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Callbacks may ask this before the candidacy is returned.
	 */
	private void prepare(Leadership candidacy) {
		this.registrations.forEach((registration) -> registration.accept(candidacy));
		this.candidacy = candidacy;
		this.running = true;
	}

	@Override
	public void stop(Runnable callback) {
		LeaderElectionLifecycle.stopElsewhere(this, callback);
	}

	@Override
	public void stop() {
		Leadership candidacy;
		this.lock.lock();
		try {
			this.running = false;
			candidacy = this.candidacy;
		}
		finally {
			this.lock.unlock();
		}
		if (candidacy != null) {
			// Waits, also if another thread has closed it
			candidacy.close();
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isAutoStartup() {
		return this.enabled;
	}

	@Override
	public int getPhase() {
		return LeaderElectionLifecycle.PHASE;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public boolean isLeader() {
		Leadership candidacy = this.candidacy;
		return candidacy != null && candidacy.isLeader();
	}

	@Override
	public Optional<LockHandle> handle() {
		Leadership candidacy = this.candidacy;
		return (candidacy != null) ? candidacy.handle() : Optional.empty();
	}

	@Override
	public void onElected(Consumer<LockHandle> callback) {
		register((candidacy) -> candidacy.onElected(callback));
	}

	@Override
	public void onElected(Consumer<LockHandle> elected, Consumer<LeadershipEvent.Revoked> revoked) {
		register((candidacy) -> candidacy.onElected(elected, revoked));
	}

	@Override
	public void onRevoked(Consumer<LeadershipEvent.Revoked> callback) {
		register((candidacy) -> candidacy.onRevoked(callback));
	}

	private void register(Consumer<Leadership> registration) {
		this.lock.lock();
		try {
			this.registrations.add(registration);
			Leadership candidacy = this.candidacy;
			if (candidacy != null && this.running) {
				registration.accept(candidacy);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void stepDown() {
		Leadership candidacy = this.candidacy;
		if (candidacy != null) {
			candidacy.stepDown();
		}
	}

	@Override
	public void close() {
		this.closed = true;
		stop();
	}

	@Override
	public String toString() {
		return "leadership '" + Printable.of(this.name) + "' (" + (isLeader() ? "leads" : "does not lead") + ")";
	}

}
