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

import io.distributedlock.LockEvent;
import io.distributedlock.LockLostException;
import org.jspecify.annotations.Nullable;

/**
 * How the release of a hold went, or is going.
 */
final class Release {

	/** Nothing was to be done, or it was done without the store. */
	static final Release DONE = new Release("", null, null);

	private final String name;

	private final LockEvent.@Nullable Lost loss;

	private final @Nullable CompletableFuture<LockEvent.@Nullable Lost> answer;

	private Release(String name, LockEvent.@Nullable Lost loss,
			@Nullable CompletableFuture<LockEvent.@Nullable Lost> answer) {
		this.name = name;
		this.loss = loss;
		this.answer = answer;
	}

	/**
	 * The lock had been lost before.
	 */
	static Release lost(LockEvent.Lost loss) {
		return new Release(loss.name(), loss, null);
	}

	/**
	 * The store was asked. The future gives the loss that the answer reveals, and fails
	 * if there is no answer.
	 */
	static Release asked(String name, CompletableFuture<LockEvent.@Nullable Lost> answer) {
		return new Release(name, null, answer);
	}

	/**
	 * Wait for the answer of the store, whatever it is. Interrupts do not end this.
	 * @return the loss, if it is known that the lock had been lost
	 */
	LockEvent.@Nullable Lost await() {
		return (this.answer != null) ? this.answer.exceptionally((failure) -> null).join() : this.loss;
	}

	/**
	 * Wait for the answer of the store and insist that it is the right one.
	 */
	void awaitStrictly() {
		LockEvent.Lost loss = (this.answer != null) ? Failures.join(this.name, this.answer) : this.loss;
		if (loss != null) {
			throw new LockLostException(loss);
		}
	}

	CompletableFuture<Void> toFuture() {
		return (this.answer != null) ? this.answer.handle((loss, failure) -> null)
				: CompletableFuture.completedFuture(null);
	}

}
