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
	IDLE("data-redis", false, false, 0),

	/**
	 * The same with the starter.
	 */
	IDLE_STARTER("data-redis and the starter", true, false, 0),

	/**
	 * An application that sends a command to Redis before it is ready.
	 */
	USING("data-redis, one command before it is ready", false, true, 0),

	/**
	 * The same with the starter.
	 */
	USING_STARTER("data-redis, one command before it is ready, and the starter", true, true, 0),

	/**
	 * Annotated beans, and nothing that reads their annotations.
	 */
	BEANS("data-redis, 200 beans", false, false, 200),

	/**
	 * Annotated beans that get their proxies, but are not validated.
	 */
	BEANS_UNCHECKED("data-redis, 200 annotated beans and the starter, validation off", true, false, 200,
			"-Ddistributed-lock.validation=off"),

	/**
	 * Annotated beans that get their proxies and are validated. Says so, as a property of
	 * locks has a price of its own.
	 */
	BEANS_STARTER("data-redis, 200 annotated beans and the starter", true, false, 200,
			"-Ddistributed-lock.validation=fail");

	private final String label;

	private final boolean starter;

	private final boolean usesRedis;

	private final int beans;

	private final List<String> options;

	Variant(String label, boolean starter, boolean usesRedis, int beans, String... options) {
		this.label = label;
		this.starter = starter;
		this.usesRedis = usesRedis;
		this.beans = beans;
		this.options = List.of(options);
	}

	/**
	 * Returns what it is called in the report.
	 * @return a short description
	 */
	public String label() {
		return this.label;
	}

	boolean hasStarter() {
		return this.starter;
	}

	/**
	 * Returns how many annotated beans it has.
	 * @return the number
	 */
	public int beans() {
		return this.beans;
	}

	/**
	 * The arguments of {@link StartedApplication}.
	 */
	List<String> arguments() {
		return List.of(Boolean.toString(this.usesRedis), Integer.toString(this.beans));
	}

	/**
	 * Further options of the JVM.
	 */
	List<String> options() {
		return this.options;
	}

}
