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

import java.util.List;
import java.util.Set;

import io.distributedlock.benchmarks.contestant.Contestant;
import io.distributedlock.benchmarks.fleet.Fleet;

/**
 * Something to measure of each contestant, and the columns of its table.
 *
 * @param <F> the figures of one contestant in one round
 */
public interface Cell<F> {

	String title();

	/**
	 * Who can take part.
	 */
	Set<Contestant> contestants();

	F measure(Contestant contestant, Fleet fleet);

	List<Column<F>> columns();

	/**
	 * Why the figures are worth nothing.
	 * @return a sentence for each reason, empty if there is none
	 */
	default List<String> violations(Rounds<F> rounds) {
		return List.of();
	}

}
