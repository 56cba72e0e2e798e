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

import io.distributedlock.LockInfo;

/**
 * Says who holds a lock, for people.
 */
final class Holders {

	private final Core core;

	Holders(Core core) {
		this.core = core;
	}

	/**
	 * Return what others are told of a holder in this JVM.
	 */
	LockInfo describe(Hold hold) {
		return new LockInfo(hold.lease.gate.name,
				"this instance (" + this.core.settings().instanceName() + ", " + hold.ownerName() + ")",
				Duration.ofNanos(Math.max(0, hold.lease.endsAt() - this.core.now())));
	}

	/**
	 * Return who holds a lock with the given token.
	 * @param token the token in the store
	 */
	String describe(String token) {
		int tilde = token.indexOf('~');
		if (tilde <= 0 || token.lastIndexOf(':') < tilde) {
			return "another client (" + LockNames.printable(token) + ")";
		}
		return LockNames.printable(token.substring(0, tilde))
				+ (token.startsWith(this.core.instance()) ? " (this instance)" : "");
	}

}
