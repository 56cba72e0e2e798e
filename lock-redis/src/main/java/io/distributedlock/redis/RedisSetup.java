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

package io.distributedlock.redis;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConfiguration;

/**
 * The known facts about the servers before the first connection.
 *
 * @param description what and where they are, without credentials
 * @param user the user of the connection, {@code null} if it is not known
 */
record RedisSetup(String description, Topology topology, int database, boolean encrypted, @Nullable String user) {

	RedisSetup(String description, Topology topology, int database, boolean encrypted) {
		this(description, topology, database, encrypted, null);
	}

	/** The same, with the user that a client is configured with. */
	RedisSetup withUserOf(@Nullable RedisConfiguration configuration) {
		return new RedisSetup(this.description, this.topology, this.database, this.encrypted,
				RedisConfiguration.getUsernameOrElse(configuration, () -> null));
	}

	/**
	 * How servers belong together.
	 */
	enum Topology {

		/** One server, or whatever answers at one address. */
		SINGLE,

		/** A master that sentinels name. */
		SENTINEL,

		/** A master and replicas, all of them configured. */
		STATIC_NODES,

		/** A Redis Cluster. */
		CLUSTER,

		/** The connections of an unknown client. */
		UNKNOWN;

		/** Whether the client follows keys to other nodes, or may. */
		boolean mayBeCluster() {
			return this == CLUSTER || this == UNKNOWN;
		}

	}

}
