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

package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.internal.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Why a call has no answer, if that was found out here and not by the client. Never the
 * cause of an exception, to which it would add nothing.
 */
final class CallFailure extends Exception {

	private static final long serialVersionUID = 1L;

	private final boolean outage;

	private CallFailure(String message, boolean outage) {
		this(message, outage, null);
	}

	private CallFailure(String message, boolean outage, @Nullable Throwable cause) {
		super(message, cause, false, false);
		this.outage = outage;
	}

	/** After which a client may send a script once more. */
	static CallFailure repeated() {
		return new CallFailure("the connection was lost meanwhile, and this may be the answer to a repetition", false);
	}

	static CallFailure closed() {
		return new CallFailure("the lock store is closed", false);
	}

	static CallFailure tooManyCalls() {
		return new CallFailure("too many calls wait for a connection", false);
	}

	static CallFailure unreachable() {
		return new CallFailure("it cannot be reached at present", true);
	}

	static CallFailure notConnectedWithin(Duration patience) {
		return new CallFailure("there was no connection within " + Printable.of(patience), true);
	}

	static CallFailure disconnected(Duration patience) {
		return new CallFailure(
				"the connection was lost, and could not be re-established within " + Printable.of(patience), true);
	}

	/**
	 * The server can be reached, but does not let its client in: until it does, it is
	 * away.
	 */
	static CallFailure refused(Throwable refusal) {
		return new CallFailure("the connection was lost, and is refused", true, refusal);
	}

	/** Whether the server cannot be reached. */
	boolean isOutage() {
		return this.outage;
	}

}
