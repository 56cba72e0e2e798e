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

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockListener;
import io.distributedlock.store.LockStore;

/**
 * Decides who in this JVM holds which lock. This class puts together the parts that do
 * it, in an order in which each uses only those before it; the many gates, and leases and
 * handles through them, know the whole.
 *
 * <p>
 * Each name has a {@link Gate}. A {@link Waiter} that comes to a gate is received by
 * {@link Admission}: it enters again ({@link Reentry}), stands in line behind the local
 * holder, or is the reason for a {@link Bid}, the one request of this JVM for this name
 * to the store. {@link Bidding} sends it, repeats it while somebody waits, and takes the
 * grant, be it an answer or a push to the {@link Inbox}. A grant becomes a {@link Lease},
 * and {@link Handover} gives the first waiter in line a {@link Hold} on it. When that is
 * released ({@link Releasing}), the next waiter gets the same lease without the store
 * being asked, for a bounded number of times and a bounded time from the grant; then the
 * store gets the lock back and a new bid is made at once, which stands behind those of
 * other instances.
 *
 * <p>
 * {@link LeaseSchedule} says when the timer has to look at a lease. {@link LeaseWatch}
 * looks, and has it renewed ({@link Renewals}, {@link Extensions}) or finds that it is
 * over ({@link Losses}).
 *
 * <p>
 * Every change happens with the lock of the gate's {@linkplain Gates.Stripe stripe} held,
 * for moments only. Requests to the store are prepared under it and sent after it was
 * released; answers come in any thread and take it again. Nothing here waits, but for
 * {@link Admission#giveUp} and {@link Shutdown}: blocking callers are parked outside
 * ({@link BlockingWaiter}), others have a future ({@link AsyncWaiter}). The order of
 * locks is stripe, then {@link Renewals}, then {@link LeaseTimer}.
 */
final class LockEngine {

	private final Core core;

	private final Holders holders;

	private final PendingReleases releases;

	private final Losses losses;

	private final Extensions extensions;

	private final Releasing releasing;

	private final LeaseWatch watch;

	private final Admission admission;

	private final Shutdown shutdown;

	private final ManualTime manualTime;

	LockEngine(LockStore store, EngineSettings settings, List<LockListener> listeners, Ticker ticker) {
		this.core = new Core(new GuardedStore(store), ticker, new LeaseTimer(ticker), new Gates(this),
				new EngineThreads(), new Announcer(listeners), settings, settings.newInstanceId(), new AtomicLong());
		this.holders = new Holders(this.core);
		this.releases = new PendingReleases(this.core);
		LeaseSchedule schedule = new LeaseSchedule(this.core);
		Handover handover = new Handover(this.core, schedule);
		Leftovers leftovers = new Leftovers(this.core, this.releases);
		Bidding bidding = new Bidding(this.core, handover, schedule, leftovers, this.holders);
		this.losses = new Losses(this.core, bidding);
		this.extensions = new Extensions(this.core, schedule, this.losses);
		this.releasing = new Releasing(this.core, handover, bidding, this.losses, this.releases);
		this.watch = new LeaseWatch(this.core, schedule, new Renewals(this.core, this.extensions), this.losses,
				this.releasing);
		this.admission = new Admission(this.core, new Reentry(this.core, schedule, this.extensions), bidding, leftovers,
				this.losses, this.holders);
		this.shutdown = new Shutdown(this.core, this.admission, bidding, leftovers, this.losses, this.releases);
		this.manualTime = new ManualTime(this.core, this.admission);
	}

	Core core() {
		return this.core;
	}

	Holders holders() {
		return this.holders;
	}

	PendingReleases releases() {
		return this.releases;
	}

	Losses losses() {
		return this.losses;
	}

	Extensions extensions() {
		return this.extensions;
	}

	Releasing releasing() {
		return this.releasing;
	}

	LeaseWatch watch() {
		return this.watch;
	}

	Admission admission() {
		return this.admission;
	}

	Shutdown shutdown() {
		return this.shutdown;
	}

	ManualTime manualTime() {
		return this.manualTime;
	}

}
