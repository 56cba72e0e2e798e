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

package io.distributedlock.testsupport;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Who serves which slots, as one node of a cluster sees it.
 */
record ClusterTopology(List<Shard> shards) {

	static final int SLOTS = 16_384;

	static ClusterTopology seenBy(RedisServer node) {
		List<Shard> shards = new ArrayList<>();
		for (Object range : list(node.cli("CLUSTER", "SLOTS"))) {
			List<?> values = list(range);
			List<Integer> ports = values.stream().skip(2).map((member) -> number(list(member).get(1))).toList();
			shards.add(new Shard(number(values.get(0)), number(values.get(1)), ports));
		}
		return new ClusterTopology(List.copyOf(shards));
	}

	/**
	 * Returns the shard of a slot.
	 * @throws IllegalStateException if nobody serves the slot
	 */
	Shard shardOf(int slot) {
		return this.shards.stream()
			.filter((shard) -> shard.first() <= slot && slot <= shard.last())
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("Nobody serves slot " + slot));
	}

	boolean isComplete() {
		return this.shards.stream().mapToInt((shard) -> shard.last() - shard.first() + 1).sum() == SLOTS;
	}

	private static List<?> list(@Nullable Object value) {
		return (List<?>) Objects.requireNonNull(value);
	}

	private static int number(Object value) {
		return Math.toIntExact((Long) value);
	}

	/**
	 * A range of slots.
	 *
	 * @param ports the port of the master, then those of its replicas
	 */
	record Shard(int first, int last, List<Integer> ports) {

		int masterPort() {
			return this.ports.get(0);
		}

	}

}
