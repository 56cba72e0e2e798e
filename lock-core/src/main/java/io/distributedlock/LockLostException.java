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

package io.distributedlock;

import io.distributedlock.internal.Printable;

/**
 * Thrown when a lock was lost before its release: its holder may no longer be the only
 * one.
 *
 * @since 0.1.0
 */
public final class LockLostException extends LockException {

	private static final long serialVersionUID = 1L;

	private final LossCause lossCause;

	/**
	 * Create a new instance.
	 * @param event the loss
	 */
	public LockLostException(LockEvent.Lost event) {
		super(event.name(), "Lock '" + event.name() + "' was lost after " + Printable.elapsed(event.held()) + ". "
				+ event.explanation(), null);
		this.lossCause = event.cause();
	}

	/**
	 * Return the likely cause.
	 * @return the likely cause of the loss
	 */
	public LossCause getLossCause() {
		return this.lossCause;
	}

}
