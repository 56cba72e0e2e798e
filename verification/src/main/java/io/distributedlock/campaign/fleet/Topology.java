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

package io.distributedlock.campaign.fleet;

import java.util.List;

import io.distributedlock.campaign.nemesis.Nemesis;

/**
 * The Redis servers of a phase, and what can be done to them.
 */
public interface Topology extends AutoCloseable {

	/**
	 * Returns how workers reach Redis.
	 */
	String[] properties(int slot);

	/**
	 * Returns what living instances left in the store although none of them holds a lock
	 * or waits for one.
	 */
	List<String> leftByLiving();

	/**
	 * Returns all keys that are left, but for the fencing tokens.
	 */
	List<String> left();

	/**
	 * Returns the version of the servers.
	 */
	String version();

	/**
	 * Returns what can be broken.
	 */
	List<Nemesis> nemeses(Fleet fleet);

	/**
	 * Returns how many connections the workers have, if that can be known.
	 */
	int connections();

	@Override
	void close();

}
