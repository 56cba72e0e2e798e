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

package io.distributedlock.store.trace;

import java.util.List;

import io.distributedlock.store.LockStore;

/**
 * A store whose clock stands still between the steps of a trace.
 */
interface Subject extends AutoCloseable {

	/** All instances listen. */
	List<String> INSTANCES = List.of("app@a~AAAAAAAAAAAAAAAAAAAAAA", "app@b~BBBBBBBBBBBBBBBBBBBBBB");

	/** A tick, which is the grace of several holders as well. */
	long SECOND = 1_000_000_000;

	boolean isRedis();

	LockStore store();

	void pass(String name, long ticks);

	Step.Observed look(String name);

	/**
	 * Return the grants that were pushed to tokens that now hold the lock.
	 */
	List<Step.Pushed> messages(int expected);

	/**
	 * Whether no real time was lost since the last call, in which the clock did not stand
	 * still.
	 */
	boolean wasPunctual();

	@Override
	void close();

}
