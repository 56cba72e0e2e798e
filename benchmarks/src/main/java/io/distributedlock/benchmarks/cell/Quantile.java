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

package io.distributedlock.benchmarks.cell;

/**
 * Quantiles of measured values.
 */
final class Quantile {

	private Quantile() {
	}

	/**
	 * A quantile by linear interpolation.
	 * @param share the share below, from 0 to 1
	 * @return the quantile, not a number if there is no value
	 */
	static double of(double[] sorted, double share) {
		if (sorted.length == 0) {
			return Double.NaN;
		}
		double position = share * (sorted.length - 1);
		int below = (int) position;
		int above = Math.min(below + 1, sorted.length - 1);
		return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
	}

}
