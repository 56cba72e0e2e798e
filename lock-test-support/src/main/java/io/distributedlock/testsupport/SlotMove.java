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

/**
 * A slot of a cluster on its way from one master to another. Until it is finished, the
 * source sends clients to the target with {@code ASK} for the keys that it has not.
 */
public final class SlotMove {

	private final String slot;

	private final RedisServer source;

	private final RedisServer target;

	private final Runnable awaitMoved;

	SlotMove(int slot, RedisServer source, RedisServer target, Runnable awaitMoved) {
		this.slot = Integer.toString(slot);
		this.source = source;
		this.target = target;
		this.awaitMoved = awaitMoved;
	}

	/**
	 * Moves all keys that the source has now.
	 */
	public void moveKeys() {
		for (List<?> keys = keys(); !keys.isEmpty(); keys = keys()) {
			List<String> migrate = new ArrayList<>(List.of("MIGRATE", this.target.host(),
					Integer.toString(this.target.port()), "", "0", "5000", "KEYS"));
			keys.forEach((key) -> migrate.add((String) key));
			this.source.cli(migrate.toArray(String[]::new));
		}
	}

	/**
	 * Moves one key, if the source has it.
	 */
	public void moveKey(String key) {
		this.source.cli("MIGRATE", this.target.host(), Integer.toString(this.target.port()), key, "0", "5000");
	}

	/**
	 * Moves the keys that are left, makes the target the master of the slot, and waits
	 * until all nodes know it.
	 */
	public void finish() {
		moveKeys();
		for (RedisServer node : List.of(this.target, this.source)) {
			node.cli("CLUSTER", "SETSLOT", this.slot, "NODE", RedisCluster.idOf(this.target));
		}
		this.awaitMoved.run();
	}

	private List<?> keys() {
		return (List<?>) Objects.requireNonNull(this.source.cli("CLUSTER", "GETKEYSINSLOT", this.slot, "100"));
	}

}
