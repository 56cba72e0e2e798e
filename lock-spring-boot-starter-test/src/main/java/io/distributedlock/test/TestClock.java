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

package io.distributedlock.test;

import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.engine.Ticker;

/**
 * A clock that stands still unless it is moved.
 */
final class TestClock implements Ticker {

	private final AtomicLong now = new AtomicLong();

	@Override
	public long nanos() {
		return this.now.get();
	}

	/**
	 * Move the clock, but never back.
	 */
	void moveTo(long reading) {
		this.now.accumulateAndGet(reading, Math::max);
	}

}
