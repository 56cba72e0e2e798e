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

package io.distributedlock.store.trace;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * What a script is called with, as far as the models know it. Times are ticks.
 *
 * @param limit how many holders the token accepts, 1 to be alone
 * @param waits for an acquisition, whether it enters the queue
 * @param sign how many requests entered or confirmed the place before
 * @param by the holder to be beside
 * @param life for how long the sign of life of a waiter is good
 * @param grantLease the lease under which the waiter is handed the lock
 * @param block how many fencing tokens to reserve
 */
record Command(Op op, String token, int limit, long lease, boolean exact, boolean waits, int sign, @Nullable String by,
		long life, long grantLease, int block) {

	static Command acquire(String token, int limit, long lease, int block, @Nullable String by) {
		return new Command(Op.ACQUIRE, token, limit, lease, false, false, 0, by, 0, 0, block);
	}

	Command waiting(int sign, long life, long grantLease) {
		return new Command(this.op, this.token, this.limit, this.lease, false, true, sign, this.by, life, grantLease,
				this.block);
	}

	static Command extend(String token, int limit, long lease, boolean exact) {
		return new Command(Op.EXTEND, token, limit, lease, exact, false, 0, null, 0, 0, 1);
	}

	static Command of(Op op, String token) {
		return new Command(op, token, 1, 0, false, false, 0, null, 0, 0, 1);
	}

	@Override
	public String toString() {
		return switch (this.op) {
			case ACQUIRE -> "acquire " + this.token + " limit " + this.limit + " lease " + this.lease
					+ (this.waits ? " queued, sign " + this.sign + ", life " + this.life : "")
					+ ((this.by != null) ? " beside " + this.by : "")
					+ ((this.block > 1) ? " block " + this.block : "");
			case EXTEND -> "extend " + this.token + (this.exact ? " exactly " : " at least ") + this.lease;
			default -> this.op.name().toLowerCase(Locale.ROOT) + " " + this.token;
		};
	}

	/**
	 * The scripts. Those that are not in the models must change nothing.
	 */
	enum Op {

		ACQUIRE, EXTEND, RELEASE, RECORD, FIND, DESCRIBE

	}

}
