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

import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockToken;

/**
 * What all parts of the engine share.
 *
 * @param store where the locks are
 * @param ticker the time
 * @param timer calls at a given time
 * @param gates the local gates
 * @param threads for I/O and for foreign code
 * @param announcer tells the listeners
 * @param settings the settings
 * @param instance the instance part of all tokens
 * @param sequence the last sequence number given to a token
 */
record Core(LockStore store, Ticker ticker, LeaseTimer timer, Gates gates, EngineThreads threads, Announcer announcer,
		EngineSettings settings, String instance, AtomicLong sequence) {

	long now() {
		return this.ticker.nanos();
	}

	LockToken newToken() {
		return new LockToken(this.instance, this.sequence.incrementAndGet());
	}

	LockToken token(Lease lease) {
		return new LockToken(this.instance, lease.sequence);
	}

}
