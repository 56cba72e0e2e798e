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

package io.distributedlock.autoconfigure.fencing;

import java.util.List;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of fenced transactions. Nothing is created, and no row is written, unless
 * there is a fenced lock, or a bean that injects the fences.
 *
 * @param schema In which databases the table is created when the application starts.
 * @param table Name of the table, optionally with the name of its schema and a dot before
 * it.
 * @param dataSources Names of the data source beans whose transactions are fenced. All
 * data sources by default. Fenced methods cannot use transactions of others.
 * @since 0.1.0
 */
@ConfigurationProperties("distributed-lock.fencing")
public record FencingProperties(@DefaultValue("embedded") Schema schema,
		@DefaultValue("distributed_lock_fence") String table, @DefaultValue List<String> dataSources) {

	/**
	 * Copy the names.
	 */
	public FencingProperties {
		dataSources = List.copyOf(dataSources);
	}

	/**
	 * When the table of fenced transactions is created.
	 */
	public enum Schema {

		/**
		 * In embedded databases only.
		 */
		EMBEDDED,

		/**
		 * In all databases.
		 */
		ALWAYS,

		/**
		 * Never: the application creates it, for example with Flyway.
		 */
		NEVER

	}

}
