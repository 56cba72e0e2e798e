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

import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;

/**
 * A caller who has a future and blocks no thread. Its wait is ended by the timer, or by
 * the caller who cancels the future.
 */
final class AsyncWaiter extends Waiter {

	private final LockEngine engine;

	private final Outcomes outcomes;

	private final Pending future = new Pending();

	private final Timed timeout = new Timed() {

		@Override
		void fire(long now) {
			giveUpLater(Outcome.GivenUp.TIMED_OUT);
		}

	};

	AsyncWaiter(String name, LockOptions options, long since, LockEngine engine, Outcomes outcomes) {
		super(name, options, null, since);
		this.engine = engine;
		this.outcomes = outcomes;
	}

	CompletableFuture<LockHandle> start() {
		this.engine.admission().submit(this);
		if (waits() && outcome() == null) {
			LeaseTimer timer = this.engine.core().timer();
			timer.schedule(this.timeout, this.since + this.options.waitTime().toNanos());
			if (outcome() != null) {
				timer.cancel(this.timeout);
			}
		}
		return this.future;
	}

	@Override
	void settled(Outcome outcome) {
		this.engine.core().timer().cancel(this.timeout);
		this.engine.core().threads().complete(() -> complete(outcome));
	}

	private void complete(Outcome outcome) {
		try {
			Handle handle = this.outcomes.handle(this, outcome);
			if (!this.future.complete(handle)) {
				// Nothing was done under it
				handle.waiveMinHold();
				handle.releaseAsync();
			}
		}
		catch (RuntimeException ex) {
			this.future.completeExceptionally(ex);
		}
	}

	private void giveUpLater(Outcome.GivenUp why) {
		this.engine.core().threads().io(() -> this.engine.admission().giveUp(this, why));
	}

	private final class Pending extends CompletableFuture<LockHandle> {

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			AsyncWaiter.this.engine.admission().giveUp(AsyncWaiter.this, Outcome.GivenUp.INTERRUPTED);
			return cancelled;
		}

		@Override
		public boolean completeExceptionally(Throwable ex) {
			return endWait(super.completeExceptionally(ex));
		}

		@Override
		public boolean complete(LockHandle handle) {
			return endWait(super.complete(handle));
		}

		/**
		 * A caller who completes the future himself, or set a limit to it, does not wait
		 * any more.
		 */
		private boolean endWait(boolean completed) {
			if (completed && outcome() == null) {
				giveUpLater(Outcome.GivenUp.INTERRUPTED);
			}
			return completed;
		}

		@Override
		public <U> CompletableFuture<U> newIncompleteFuture() {
			return new CompletableFuture<>();
		}

	}

}
