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

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;

import io.distributedlock.LockEvent;
import io.distributedlock.LockLostException;
import io.distributedlock.store.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * How the release of a hold went, or is going. What follows from the answer is told in
 * the thread that awaits it, never in one of the store: listeners are user code.
 */
final class Release {

	/** Nothing was to be done, or it was done without the store. */
	static final Release DONE = new Release(null, null, (outcome, failure) -> null);

	private final LockEvent.@Nullable Lost loss;

	private final @Nullable CompletableFuture<@Nullable ReleaseOutcome> answer;

	private final BiFunction<@Nullable ReleaseOutcome, @Nullable Throwable, LockEvent.@Nullable Lost> conclusion;

	private Release(LockEvent.@Nullable Lost loss, @Nullable CompletableFuture<@Nullable ReleaseOutcome> answer,
			BiFunction<@Nullable ReleaseOutcome, @Nullable Throwable, LockEvent.@Nullable Lost> conclusion) {
		this.loss = loss;
		this.answer = answer;
		this.conclusion = conclusion;
	}

	/**
	 * The lock had been lost before.
	 */
	static Release lost(LockEvent.Lost loss) {
		return new Release(loss, null, (outcome, failure) -> null);
	}

	/**
	 * The store was asked.
	 * @param answer its answer
	 * @param conclusion tells listeners, and returns the loss that the answer reveals or
	 * throws if there is no answer
	 */
	static Release asked(CompletableFuture<@Nullable ReleaseOutcome> answer,
			BiFunction<@Nullable ReleaseOutcome, @Nullable Throwable, LockEvent.@Nullable Lost> conclusion) {
		return new Release(null, answer, conclusion);
	}

	/**
	 * Wait for the answer of the store, whatever it is. Interrupts do not end this.
	 * @return the loss, if it is known that the lock had been lost
	 */
	LockEvent.@Nullable Lost await() {
		try {
			return conclude();
		}
		catch (RuntimeException ex) {
			return null;
		}
	}

	/**
	 * Wait for the answer of the store and insist that it is the right one.
	 */
	void awaitStrictly() {
		LockEvent.Lost found = conclude();
		if (found != null) {
			throw new LockLostException(found);
		}
	}

	private LockEvent.@Nullable Lost conclude() {
		if (this.answer == null) {
			return this.loss;
		}
		ReleaseOutcome outcome;
		try {
			outcome = this.answer.join();
		}
		catch (CompletionException | CancellationException ex) {
			return this.conclusion.apply(null, ex);
		}
		return this.conclusion.apply(outcome, null);
	}

	/**
	 * Return a future that completes normally when the store has answered or failed.
	 */
	CompletableFuture<Void> toFuture(Executor completions) {
		if (this.answer == null) {
			return CompletableFuture.completedFuture(null);
		}
		return (this.answer.isDone() ? this.answer.handle(this.conclusion)
				: this.answer.handleAsync(this.conclusion, completions))
			.handle((found, failure) -> null);
	}

}
