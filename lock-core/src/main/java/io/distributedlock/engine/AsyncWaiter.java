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

import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.internal.LockKeeper;
import io.distributedlock.internal.WorkUnderLock;
import org.jspecify.annotations.Nullable;

/**
 * A caller that has a future and blocks no thread. The timer ends its wait, or the caller
 * by cancelling the future.
 */
final class AsyncWaiter extends Waiter {

	private final LockEngine engine;

	/** The scope that surrounded the call. */
	private final LockKeeper.@Nullable Keeping keeping;

	private final Pending future = new Pending();

	private final LeaseTimer.Timed timeout = new LeaseTimer.Timed() {

		@Override
		void fire(long now) {
			giveUpLater(Outcome.GivenUp.TIMED_OUT);
		}

	};

	AsyncWaiter(String name, LockOptions options, LockEngine engine, LockKeeper.@Nullable Keeping keeping) {
		this(name, options, engine, keeping, engine.asking());
	}

	/**
	 * Create a waiter for a caller whose call may have been made in another thread.
	 */
	AsyncWaiter(String name, LockOptions options, LockEngine engine, LockKeeper.@Nullable Keeping keeping,
			@Nullable Object asking) {
		super(name, options, null, engine.now());
		this.engine = engine;
		this.keeping = keeping;
		this.asking = asking;
	}

	CompletableFuture<LockHandle> start() {
		this.engine.submit(this);
		if (waits() && outcome() == null) {
			LeaseTimer timer = this.engine.timer();
			timer.schedule(this.timeout, this.since + this.options.waitTime().toNanos());
			if (outcome() != null) {
				timer.cancel(this.timeout);
			}
		}
		return this.future;
	}

	@Override
	void wake() {
		this.engine.timer().cancel(this.timeout);
		this.engine.completions().execute(this::complete);
	}

	private void complete() {
		try {
			LockHandle handle = this.engine.conclude(this, Objects.requireNonNull(outcome()));
			if (!this.future.isDone()) {
				this.engine.keep(this.keeping, handle, this.options);
			}
			if (!this.future.complete(handle)) {
				// Nothing was done under it
				WorkUnderLock.discardAsync(handle);
			}
		}
		catch (RuntimeException ex) {
			this.future.completeExceptionally(ex);
		}
	}

	private void giveUpLater(Outcome.GivenUp why) {
		this.engine.threads().io(() -> this.engine.giveUp(this, why));
	}

	private final class Pending extends CompletableFuture<LockHandle> {

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			AsyncWaiter.this.engine.giveUp(AsyncWaiter.this, Outcome.GivenUp.INTERRUPTED);
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
		 * A caller that completes the future, or gives it a timeout, no longer waits.
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
