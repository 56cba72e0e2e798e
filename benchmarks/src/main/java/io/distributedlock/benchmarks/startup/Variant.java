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

package io.distributedlock.benchmarks.startup;

import java.util.List;

/**
 * An application that is compared with others.
 */
public enum Variant {

	/**
	 * An application with Spring Data Redis that sends no command when it starts.
	 */
	IDLE("data-redis", false, false),

	IDLE_STARTER("data-redis and the starter", true, false),

	/**
	 * An application that sends a command to Redis before it is ready.
	 */
	USING("data-redis, one command before it is ready", false, true),

	USING_STARTER("data-redis, one command before it is ready, and the starter", true, true),

	BEANS("data-redis, the starter, and 200 beans", Interception.NOTHING, 200),

	/**
	 * Annotated beans that get their proxies, but are not validated.
	 */
	BEANS_UNCHECKED("data-redis, the starter, and 200 beans with `@DistributedLock`, validation off",
			Interception.LOCKS, 200, "-Ddistributed-lock.validation=off"),

	/**
	 * Annotated beans that get their proxies and are validated. Says so, as a property of
	 * locks has a price of its own.
	 */
	BEANS_LOCKED("data-redis, the starter, and 200 beans with `@DistributedLock`", Interception.LOCKS, 200,
			"-Ddistributed-lock.validation=fail"),

	BEANS_TRANSACTIONAL("data-redis, the starter, and 200 beans with `@Transactional`", Interception.TRANSACTIONS, 200),

	BEANS_CACHED("data-redis, the starter, and 200 beans with `@Cacheable`", Interception.CACHE, 200);

	private final String label;

	private final Interception interception;

	private final boolean starter;

	private final boolean usesRedis;

	private final int beans;

	private final List<String> options;

	Variant(String label, boolean starter, boolean usesRedis) {
		this(label, Interception.NOTHING, starter, usesRedis, 0);
	}

	Variant(String label, Interception interception, int beans, String... options) {
		this(label, interception, true, false, beans, options);
	}

	Variant(String label, Interception interception, boolean starter, boolean usesRedis, int beans, String... options) {
		this.label = label;
		this.interception = interception;
		this.starter = starter;
		this.usesRedis = usesRedis;
		this.beans = beans;
		this.options = List.of(options);
	}

	public String label() {
		return this.label;
	}

	boolean hasStarter() {
		return this.starter;
	}

	public int beans() {
		return this.beans;
	}

	List<String> arguments() {
		return List.of(Boolean.toString(this.usesRedis), Integer.toString(this.beans), this.interception.name());
	}

	List<String> options() {
		return this.options;
	}

}
