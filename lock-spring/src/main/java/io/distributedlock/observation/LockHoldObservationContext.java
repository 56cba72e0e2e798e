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

package io.distributedlock.observation;

import io.distributedlock.LockEvent;
import io.distributedlock.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * Context of the observation of a hold, from the grant to its end.
 *
 * @since 0.1.0
 */
public final class LockHoldObservationContext extends LockObservationContext {

	private @Nullable LossCause lossCause;

	private boolean ended;

	/**
	 * Create the context of a hold that begins.
	 * @param event the acquisition
	 */
	public LockHoldObservationContext(LockEvent.Acquired event) {
		super(event.name(), event.declaredName(), null);
		setFencingToken(event.fencingToken());
	}

	/**
	 * Create the context of a hold that was lost, and was not observed before.
	 * @param event the loss
	 */
	public LockHoldObservationContext(LockEvent.Lost event) {
		super(event.name(), event.declaredName(), ago(event.held()));
		setFencingToken(event.fencingToken());
		end(event);
	}

	/**
	 * The hold has ended.
	 */
	void end(LockEvent event) {
		this.ended = true;
		this.lossCause = (event instanceof LockEvent.Lost lost) ? lost.cause() : null;
	}

	/**
	 * Return whether the hold has ended.
	 * @return {@code false} while the lock is held
	 */
	public boolean isEnded() {
		return this.ended;
	}

	/**
	 * Return why the lock was lost.
	 * @return the likely cause, or {@code null} if it was not lost
	 */
	public @Nullable LossCause getLossCause() {
		return this.lossCause;
	}

}
