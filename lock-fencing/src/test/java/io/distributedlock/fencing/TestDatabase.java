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

package io.distributedlock.fencing;

import java.util.UUID;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.distributedlock.testsupport.DatabaseServer;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * The databases in which fences are tested.
 */
enum TestDatabase {

	H2(() -> new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000")),

	POSTGRESQL(() -> connect(DatabaseServer.postgres())),

	MARIADB(() -> connect(DatabaseServer.mariaDb()));

	private final Supplier<DataSource> connector;

	TestDatabase(Supplier<DataSource> connector) {
		this.connector = connector;
	}

	/**
	 * Connect to the database, with an empty table of fences.
	 */
	DataSource create() {
		DataSource dataSource = this.connector.get();
		new JdbcTemplate(dataSource).execute("drop table if exists " + JdbcFences.DEFAULT_TABLE);
		DatabasePopulatorUtils.execute(
				new ResourceDatabasePopulator(
						new ClassPathResource("schema-" + name().toLowerCase() + ".sql", JdbcFences.class)),
				dataSource);
		return dataSource;
	}

	private static DataSource connect(DatabaseServer server) {
		return new DriverManagerDataSource(server.url(), server.user(), "");
	}

}
