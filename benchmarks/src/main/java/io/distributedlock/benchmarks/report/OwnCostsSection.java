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

package io.distributedlock.benchmarks.report;

import io.distributedlock.benchmarks.jmh.OwnCosts;

/**
 * The costs of this project without Redis.
 */
final class OwnCostsSection implements Section {

	@Override
	public String markdown(Results results) {
		if (results.ownCosts().scores().isEmpty()) {
			return "";
		}
		Table table = new Table("What", "ns", "Bytes allocated");
		for (OwnCosts.Cost cost : OwnCosts.Cost.values()) {
			table.row(cost.label(), Table.number(results.ownCosts().nanos(cost)),
					Table.number(results.ownCosts().bytes(cost)));
		}
		return """
				## Without Redis

				What this project itself costs (JMH, average time of one call or one pair, and what its thread \
				allocates meanwhile). The stubbed store allocates as well: a request and a future for each call.

				""" + table;
	}

}
