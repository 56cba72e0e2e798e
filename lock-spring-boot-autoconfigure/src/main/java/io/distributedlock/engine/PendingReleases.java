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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.Printable;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Releases which must reach the store although nobody waits for them: of attempts that
 * were given up, and of locks whose release was not answered. Each is repeated until it
 * is answered or the lease has ended by itself.
 */
final class PendingReleases {

	private static final Log logger = LogFactory.getLog(PendingReleases.class);

	private static final int MOST = 10_000;

	private static final long INTERVAL = Duration.ofMillis(500).toNanos();

	private final Core core;

	private final AtomicInteger pending = new AtomicInteger();

	/** Releases that are decided on and not answered yet. */
	private final AtomicInteger owed = new AtomicInteger();

	PendingReleases(Core core) {
		this.core = core;
	}

	/**
	 * Take note that a release is going to follow. The gate must be locked, and the state
	 * by which others could know about the release may be changed under the same lock: so
	 * whoever closes the engine can wait for it.
	 */
	void owe() {
		this.owed.incrementAndGet();
	}

	/**
	 * A release that was owed has been answered, or has failed.
	 */
	void settle() {
		this.owed.decrementAndGet();
	}

	boolean isNoneOwed() {
		return this.owed.get() == 0;
	}

	/**
	 * Release what is owed now and, if that is not answered, again.
	 * @return a future that completes normally when the first attempt was answered or
	 * failed
	 */
	CompletableFuture<Void> release(String name, LockToken token, long lease) {
		long until = this.core.now() + lease;
		return this.core.store().release(name, token).handle((outcome, failure) -> {
			settle();
			if (failure != null) {
				retryLater(name, token, until, failure);
			}
			return null;
		});
	}

	/**
	 * Release later, until it is answered or the lease has ended.
	 */
	void retryLater(String name, LockToken token, long until, Throwable failure) {
		if (Failures.unwrap(failure) instanceof LockConfigurationException) {
			logger.warn("Lock '" + Printable.of(name) + "' could not be released and stays taken until its lease ends. "
					+ failure.getMessage());
			return;
		}
		if (this.core.now() + INTERVAL >= until) {
			return;
		}
		if (this.pending.incrementAndGet() > MOST) {
			this.pending.decrementAndGet();
			logger.warn("More than " + MOST + " releases wait for the lock store. Lock '" + Printable.of(name)
					+ "' is not released but left to the end of its lease.");
			return;
		}
		this.core.timer().schedule(new Retry(name, token, until), this.core.now() + INTERVAL);
	}

	private void retry(Retry retry) {
		CompletableFuture<ReleaseOutcome> answer = this.core.store().release(retry.name, retry.token);
		answer.whenComplete((outcome, failure) -> {
			this.pending.decrementAndGet();
			if (failure != null) {
				retryLater(retry.name, retry.token, retry.until, failure);
			}
		});
	}

	private final class Retry extends Timed {

		private final String name;

		private final LockToken token;

		private final long until;

		Retry(String name, LockToken token, long until) {
			this.name = name;
			this.token = token;
			this.until = until;
		}

		@Override
		void fire(long now) {
			PendingReleases.this.core.threads().io(() -> retry(this));
		}

	}

}
