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

package io.distributedlock.fencing.configuration.internal;

import java.util.List;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.distributedlock.fencing.JdbcFences;

/**
 * The settings of the application for fences.
 *
 * @param dataSources the names of the fenced data sources; none for all
 * @param creator creates the table where it is wanted, see {@link JdbcFences}
 */
public record FencingSettings(String table, List<String> dataSources, Consumer<DataSource> creator) {

	static final FencingSettings DEFAULTS = new FencingSettings(JdbcFences.DEFAULT_TABLE, List.of(), (database) -> {
	});

}
