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

package io.distributedlock.topologies;

import io.distributedlock.testsupport.RedisServer;

import org.springframework.data.redis.connection.RedisConfiguration;

/**
 * Servers of which one takes over from another.
 */
interface Topology extends AutoCloseable {

	RedisConfiguration configuration();

	RedisServer masterOf(String key);

	RedisServer replicaOf(String key);

	/**
	 * Kill the master of a key once its replica has everything, and wait until that has
	 * taken over.
	 */
	void killMaster(String key);

	/**
	 * Let the replica take over from the living master.
	 */
	void failover(String key);

	/**
	 * Let all servers run again, those that were killed as replicas.
	 */
	void heal();

	@Override
	void close();

}
