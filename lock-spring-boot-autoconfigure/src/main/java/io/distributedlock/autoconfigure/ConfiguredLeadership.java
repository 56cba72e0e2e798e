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

package io.distributedlock.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.Printable;
import io.distributedlock.autoconfigure.DistributedLockProperties.NamedLeadership;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.LeadershipEvent;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * A leadership that is configured: it stands while the context runs.
 */
final class ConfiguredLeadership implements Leadership, SmartLifecycle {

	private final String name;

	private final LeaderElection election;

	private final LockOptions options;

	private final boolean enabled;

	private final int phase;

	private final ReentrantLock lock = new ReentrantLock();

	private final List<Consumer<LockHandle>> elected = new ArrayList<>();

	private final List<Consumer<LeadershipEvent.Revoked>> revoked = new ArrayList<>();

	private volatile @Nullable Leadership candidacy;

	private boolean closed;

	ConfiguredLeadership(String name, LeaderElection election, DistributedLockProperties properties) {
		NamedLeadership settings = properties.leadership().get(name);
		if (settings == null) {
			throw new IllegalStateException(
					"There are no properties 'distributed-lock.leadership[%s].*', although there were when the bean was registered. Set them where the application runs as well."
						.formatted(Printable.of(name)));
		}
		this.name = name;
		this.election = election;
		this.options = ConfiguredLockOptions.ofLeader(name, settings);
		this.enabled = settings.enabled();
		this.phase = LeaderElectionLifecycle.phaseBefore(properties.shutdown().phase());
	}

	@Override
	public void start() {
		this.lock.lock();
		try {
			if (this.candidacy == null && !this.closed) {
				Leadership candidacy = this.election.campaign(this.name, this.options);
				this.elected.forEach(candidacy::onElected);
				this.revoked.forEach(candidacy::onRevoked);
				this.candidacy = candidacy;
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void stop() {
		Leadership candidacy;
		this.lock.lock();
		try {
			candidacy = this.candidacy;
			this.candidacy = null;
		}
		finally {
			this.lock.unlock();
		}
		if (candidacy != null) {
			candidacy.close();
		}
	}

	@Override
	public boolean isRunning() {
		return this.candidacy != null;
	}

	@Override
	public boolean isAutoStartup() {
		return this.enabled;
	}

	@Override
	public int getPhase() {
		return this.phase;
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
		this.lock.lock();
		try {
			this.elected.add(callback);
			if (this.candidacy != null) {
				this.candidacy.onElected(callback);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	@Override
	public void onRevoked(Consumer<LeadershipEvent.Revoked> callback) {
		this.lock.lock();
		try {
			this.revoked.add(callback);
			if (this.candidacy != null) {
				this.candidacy.onRevoked(callback);
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
		this.lock.lock();
		try {
			this.closed = true;
		}
		finally {
			this.lock.unlock();
		}
		stop();
	}

	@Override
	public String toString() {
		return "leadership '" + Printable.of(this.name) + "' (" + (isLeader() ? "leads" : "does not lead") + ")";
	}

}
