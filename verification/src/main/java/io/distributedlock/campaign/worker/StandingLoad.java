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
package io.distributedlock.campaign.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;

/**
 * A load that does not change for a while, so that its commands can be counted: many
 * renewed holds, or many waiters behind one holder of each lock. No journal says anything
 * of it.
 */
public final class StandingLoad {

	private static final int NAMES_OF_EACH_KIND = 10;

	private static final int NAMES_WITH_PERMITS = 2;

	private static final int PERMITS = 40;

	/** More than a JVM takes places for. */
	private static final int WAITERS_FOR_PERMITS = 30;

	private static final int PLACES_FOR_PERMITS = 16;

	private static final int READERS = 12;

	private static final int EXCLUSIVE_WAITERS = 3;

	/**
	 * How many places a worker has in the queues. For each of them, it asks once a
	 * second.
	 */
	public static final int PLACES = 2 * NAMES_OF_EACH_KIND + NAMES_WITH_PERMITS * PLACES_FOR_PERMITS;

	private static final int HOLDERS_OF_EACH_KIND = 40;

	/**
	 * How many locks a worker renews, each once a second.
	 */
	public static final int RENEWED = 3 * HOLDERS_OF_EACH_KIND;

	private static final Duration LONG = Duration.ofSeconds(90);

	/** For one round of warming up. */
	private static final Duration QUICK = Duration.ofMillis(200);

	/** The servers may be down. */
	private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(10);

	private static final LockOptions ALONE = LockOptions.ofLease(LONG).withDeclaredName("campaign");

	private static final LockOptions RENEWED_ALONE = LockOptions.ofLease(Duration.ofSeconds(3))
		.withDeclaredName("campaign")
		.withAutoRenew();

	private final LockService locks;

	private final int worker;

	private final List<CompletableFuture<LockHandle>> wanted = new ArrayList<>();

	StandingLoad(LockService locks, int worker) {
		this.locks = locks;
		this.worker = worker;
	}

	/**
	 * Take locks and release them, until that is quick. Several cold JVMs on a busy
	 * machine take seconds to connect to a cluster, and lose locks meanwhile for which
	 * nothing else is to blame.
	 */
	void warmUp() {
		long begin = System.nanoTime();
		long roundBegin;
		do {
			roundBegin = System.nanoTime();
			wantOwn();
			this.wanted.forEach((future) -> future.exceptionally((failure) -> null).join());
			drop();
		}
		while (System.nanoTime() - roundBegin > QUICK.toNanos()
				&& System.nanoTime() - begin < LONGEST_WARM_UP.toNanos());
	}

	/**
	 * Take all locks that the other workers are to wait for.
	 */
	void take() {
		for (int i = 0; i < NAMES_OF_EACH_KIND; i++) {
			want("exclusive:" + i, ALONE);
			want("shared:" + i, ALONE);
		}
		for (int i = 0; i < NAMES_WITH_PERMITS; i++) {
			want("permits:" + i, ALONE);
		}
		awaitAll();
	}

	/**
	 * Wait for the locks that another worker has taken.
	 */
	void queue() {
		LockOptions alone = ALONE.withWaitTime(LONG);
		for (int i = 0; i < NAMES_OF_EACH_KIND; i++) {
			wantSeveral(EXCLUSIVE_WAITERS, "exclusive:" + i, alone);
			wantSeveral(READERS, "shared:" + i, alone.withShared());
		}
		for (int i = 0; i < NAMES_WITH_PERMITS; i++) {
			wantSeveral(WAITERS_FOR_PERMITS, "permits:" + i, alone.withPermits(PERMITS));
		}
	}

	/**
	 * Hold locks of all kinds, and have them renewed.
	 */
	void keep() {
		wantOwn();
		awaitAll();
	}

	private void wantOwn() {
		String own = this.worker + ":";
		for (int i = 0; i < HOLDERS_OF_EACH_KIND; i++) {
			want(own + i, RENEWED_ALONE);
			want(own + "permits", RENEWED_ALONE.withPermits(PERMITS));
			want(own + "shared", RENEWED_ALONE.withShared());
		}
	}

	/**
	 * Hold nothing any more, and wait for nothing.
	 */
	void drop() {
		this.wanted.forEach((future) -> future.cancel(true));
		for (CompletableFuture<LockHandle> future : this.wanted) {
			try {
				future.join().close();
			}
			catch (CancellationException | CompletionException ex) {
				// It waits for nothing
			}
		}
		this.wanted.clear();
	}

	private void wantSeveral(int count, String name, LockOptions options) {
		for (int i = 0; i < count; i++) {
			want(name, options);
		}
	}

	private void want(String name, LockOptions options) {
		this.wanted.add(this.locks.acquireAsync("campaign:standing:" + name, options));
	}

	private void awaitAll() {
		this.wanted.forEach(CompletableFuture::join);
	}

}
