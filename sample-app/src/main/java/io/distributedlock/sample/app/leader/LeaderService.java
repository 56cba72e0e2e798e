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

package io.distributedlock.sample.app.leader;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.leadership.LeaderElection;
import io.distributedlock.leadership.Leadership;
import io.distributedlock.leadership.LeadershipEvent;
import io.distributedlock.sample.app.InstanceMark;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Service;

/**
 * Scenario 9: all instances wait for one lock, without a thread, and the holder is the
 * leader. It keeps the lock by renewing it, until it resigns, stops, dies or loses it.
 */
@Service
public class LeaderService {

	private static final Logger logger = LoggerFactory.getLogger(LeaderService.class);

	private static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofSeconds(3));

	private final LeaderElection election;

	private final InstanceMark mark;

	private final AtomicInteger gained = new AtomicInteger();

	private final AtomicInteger lost = new AtomicInteger();

	private @Nullable Leadership leadership;

	LeaderService(LeaderElection election, InstanceMark mark) {
		this.election = election;
		this.mark = mark;
	}

	/**
	 * Become a candidate, unless it is one already.
	 */
	public synchronized void stand() {
		if (this.leadership == null) {
			this.leadership = this.election.campaign("leader", OPTIONS);
			this.leadership.onElected(this::gain);
			this.leadership.onRevoked(this::lose);
		}
	}

	/**
	 * Stop being the leader or a candidate. When the application stops, this happens by
	 * itself.
	 */
	public synchronized void resign() {
		if (this.leadership != null) {
			this.leadership.close();
			this.leadership = null;
		}
	}

	/**
	 * Return the part of this instance in the leadership.
	 */
	public synchronized LeaderStatus status() {
		return new LeaderStatus(this.leadership != null && this.leadership.isLeader(), this.gained.get(),
				this.lost.get());
	}

	private void gain(LockHandle lock) {
		this.gained.incrementAndGet();
		log("is the leader now, with the fencing token " + lock.fencingToken());
	}

	private void lose(LeadershipEvent.Revoked event) {
		if (event.loss() == null) {
			log("has resigned");
			return;
		}
		this.lost.incrementAndGet();
		log("is no longer the leader: " + event.loss().explanation());
	}

	private void log(String line) {
		this.mark.run(() -> logger.info(line));
	}

}
