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

package io.distributedlock.leadership.configuration.internal;

import java.util.Collection;
import java.util.List;

import io.distributedlock.configuration.internal.LockServiceLifecycle;
import io.distributedlock.internal.DaemonThread;
import io.distributedlock.leadership.LeaderElection;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;

/**
 * Makes all candidates resign when the application stops: after the web server, listeners
 * and schedulers have stopped, so that the work of a leader is over, and just before the
 * lock service closes. Candidates of application code remain if the context is only
 * stopped or paused.
 */
public final class LeaderElectionLifecycle implements SmartLifecycle {

	/** Just before the lock service. */
	public static final int PHASE = LockServiceLifecycle.PHASE + 1;

	private final Collection<LeaderElection> elections;

	private final ConfigurableApplicationContext context;

	private volatile boolean running;

	LeaderElectionLifecycle(Collection<LeaderElection> elections, ConfigurableApplicationContext context) {
		this.elections = List.copyOf(elections);
		this.context = context;
	}

	@Override
	public void start() {
		this.running = true;
	}

	/**
	 * Stop in another thread, so that a callback of the application that does not return
	 * delays the shutdown by no more than the timeout of its phase.
	 */
	public static void stopElsewhere(Lifecycle lifecycle, Runnable callback) {
		new DaemonThread(() -> {
			try {
				lifecycle.stop();
			}
			finally {
				callback.run();
			}
		}, "distributed-lock-resignation").start();
	}

	@Override
	public void stop(Runnable callback) {
		stopElsewhere(this, callback);
	}

	@Override
	public void stop() {
		this.running = false;
		if (this.context.isClosed()) {
			this.elections.forEach(LeaderElection::close);
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
