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

import java.util.Locale;

import io.distributedlock.benchmarks.scale.HeldLocks;
import io.distributedlock.benchmarks.scale.ManyInstances;
import io.distributedlock.benchmarks.scale.ManyNames;

/**
 * How locks scale.
 */
final class ScaleSection implements Section {

	@Override
	public String markdown(Results results) {
		if (results.scale() == null) {
			return "";
		}
		Table table = new Table("Workload", "Figure", "Measured");
		held(table, results.scale().held());
		names(table, results.scale().names());
		instances(table, results.scale().instances());
		return """
				## Scale

				Renewals that become due together travel in one command, up to 128 at a time; on a cluster, one by one. \
				A name costs memory only while somebody holds it or waits for it, and Redis about 100 bytes for its fence \
				until `redis.fence-retention` ends. Each instance has two connections, and asks once a second for each name \
				that it waits for. Redis runs scripts one after the other, so a cluster helps many names, and not one hot \
				name: hold it for less time, or split it (`stock-#{#warehouse}`).

				"""
				+ table;
	}

	private static void held(Table table, HeldLocks.Figures held) {
		String workload = count(held.count()) + " locks held by one instance, leases of 15 s";
		table.row(workload, "commands/s", Table.number(held.commandsPerSecond()));
		table.row(workload, "renewal threads", count(held.threads()));
		table.row(workload, "still held", count(held.held()));
	}

	private static void names(Table table, ManyNames.Figures names) {
		String workload = count(names.names()) + " names contended by 8 instances, then idle";
		table.row(workload, "acquisitions/s meanwhile", count(Math.round(names.pairsPerSecond())));
		table.row(workload, "heap growth, KiB for each instance", count(Math.round(names.heapGrowth() / 1024.0 / 8)));
		table.row(workload, "gates, holds, leases, handles, waiters and calls left", count(names.objects()));
		table.row(workload, "keys left in Redis", count(names.keys()));
	}

	private static void instances(Table table, ManyInstances.Figures instances) {
		String workload = count(instances.count()) + " instances wait for one lock";
		table.row(workload, "commands/s for each instance", Table.number(instances.commandsPerInstance()));
		table.row(workload, "connections of Redis", count(instances.connections()));
		table.row(workload, "served", count(instances.served()));
		table.row(workload, "served out of order", count(instances.outOfOrder()));
		table.row(workload, "last one served after, s", Table.number(instances.seconds()));
	}

	private static String count(long number) {
		return String.format(Locale.ROOT, "%,d", number);
	}

}
