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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockEvent;
import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.sample.app.InstanceMark;
import jakarta.annotation.PreDestroy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Service;

/**
 * Scenario 9: all instances wait for one lock, without a thread, and the holder is the
 * leader. It keeps the lock by renewing it, until it resigns, stops, dies or loses it.
 */
@Service
public class LeaderElection {

	private static final Logger logger = LoggerFactory.getLogger(LeaderElection.class);

	private static final String NAME = "leader";

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final LockOptions OPTIONS = LockOptions.lease(LEASE)
		.withDeclaredName(NAME)
		.withWaitTime(Duration.ofDays(1))
		.withAutoRenew();

	private static final Executor later = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

	private static final Executor afterALease = CompletableFuture.delayedExecutor(LEASE.toMillis(),
			TimeUnit.MILLISECONDS);

	private final LockService locks;

	private final InstanceMark mark;

	private final AtomicInteger gained = new AtomicInteger();

	private final AtomicInteger lost = new AtomicInteger();

	private @Nullable CompletableFuture<LockHandle> candidacy;

	LeaderElection(LockService locks, InstanceMark mark) {
		this.locks = locks;
		this.mark = mark;
	}

	/**
	 * Become a candidate, unless it is one already.
	 */
	public synchronized void stand() {
		if (this.candidacy == null) {
			campaign();
		}
	}

	/**
	 * Stop being the leader or a candidate.
	 */
	@PreDestroy
	public void resign() {
		CompletableFuture<LockHandle> given = withdraw();
		if (given != null && !given.cancel(false)) {
			given.thenAccept((lock) -> {
				lock.close();
				log("has resigned");
			});
		}
	}

	/**
	 * Return the part of this instance in the leadership.
	 * @return the leadership
	 */
	public synchronized Leadership leadership() {
		boolean leader = this.candidacy != null && this.candidacy.isDone() && !this.candidacy.isCompletedExceptionally()
				&& this.candidacy.join().isHeld();
		return new Leadership(leader, this.gained.get(), this.lost.get());
	}

	private synchronized @Nullable CompletableFuture<LockHandle> withdraw() {
		CompletableFuture<LockHandle> given = this.candidacy;
		this.candidacy = null;
		return given;
	}

	private synchronized void campaign() {
		CompletableFuture<LockHandle> begun = this.locks.acquireAsync(NAME, OPTIONS);
		this.candidacy = begun;
		begun.thenAccept((lock) -> gain(lock, begun)).exceptionally((failure) -> {
			later.execute(() -> again(begun));
			return null;
		});
	}

	private void gain(LockHandle lock, CompletableFuture<LockHandle> begun) {
		this.gained.incrementAndGet();
		log("is the leader now, with the fencing token " + lock.fencingToken());
		lock.onLost((loss) -> lose(loss, begun));
	}

	private void lose(LockEvent.Lost loss, CompletableFuture<LockHandle> begun) {
		this.lost.incrementAndGet();
		log("is no longer the leader: " + loss.explanation());
		// The others first, which may notice a little later that there is no leader
		afterALease.execute(() -> again(begun));
	}

	private synchronized void again(CompletableFuture<LockHandle> before) {
		if (this.candidacy == before) {
			campaign();
		}
	}

	private void log(String line) {
		this.mark.run(() -> logger.info(line));
	}

}
