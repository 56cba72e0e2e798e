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

package io.distributedlock.engine.simulation;

import java.util.Random;

/**
 * A stream of random numbers that depends on its seed only. Purposes have streams of
 * their own, so that what is left of a history stays as it was when a part is removed.
 */
final class Chance extends Random {

	private static final long serialVersionUID = 1L;

	private long state;

	Chance(long seed) {
		super(0);
		this.state = seed;
	}

	static Chance of(long seed, long purpose) {
		return new Chance(mix(seed ^ mix(purpose + 0x632BE59BD9B4E019L)));
	}

	/**
	 * Spread a number over all bits.
	 */
	static long mix(long number) {
		long mixed = (number ^ (number >>> 30)) * 0xBF58476D1CE4E5B9L;
		mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
		return mixed ^ (mixed >>> 31);
	}

	@Override
	public long nextLong() {
		this.state += 0x9E3779B97F4A7C15L;
		return mix(this.state);
	}

	@Override
	protected int next(int bits) {
		return (int) (nextLong() >>> (64 - bits));
	}

	/**
	 * Both are included.
	 */
	long between(long from, long to) {
		return from + Math.floorMod(nextLong(), to - from + 1);
	}

	/**
	 * Return a number between two with all magnitudes equally likely.
	 */
	long magnitude(long from, long to) {
		return (long) (from * Math.pow((double) to / from, (nextLong() >>> 11) * 0x1.0p-53));
	}

	boolean happens(int percent) {
		return percent > 0 && Math.floorMod(nextLong(), 100) < percent;
	}

	@SafeVarargs
	final <T> T one(T... values) {
		return values[(int) between(0, values.length - 1)];
	}

}
