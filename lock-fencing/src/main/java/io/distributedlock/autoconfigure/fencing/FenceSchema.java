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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;

import javax.sql.DataSource;

import io.distributedlock.autoconfigure.fencing.FencingProperties.Schema;
import io.distributedlock.fencing.JdbcFences;

import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.datasource.init.UncategorizedScriptException;

/**
 * Creates the table of the fences, with the script for the database, as Spring Boot does
 * for the tables of other projects. This is not an initializer on which all other users
 * of the database depend, so no table is created where nothing is fenced.
 */
final class FenceSchema {

	private static final String SCRIPT = "io/distributedlock/fencing/schema-@@platform@@.sql";

	/** Belongs to the schema of the table. */
	private static final String INDEX = JdbcFences.DEFAULT_TABLE + "_claimed";

	private final FencingProperties settings;

	FenceSchema(FencingProperties settings) {
		this.settings = settings;
	}

	void createIfWanted(DataSource dataSource) {
		if (!isWanted(dataSource)) {
			return;
		}
		ResourceDatabasePopulator populator = new ResourceDatabasePopulator();
		new PlatformPlaceholderDatabaseDriverResolver().resolveAll(dataSource, SCRIPT)
			.forEach((script) -> populator.addScript(withNameOfTable(new ClassPathResource(script))));
		// Not the connection of a transaction that may be under way
		try (Connection connection = dataSource.getConnection()) {
			populator.populate(connection);
			if (!connection.getAutoCommit()) {
				connection.commit();
			}
		}
		catch (SQLException ex) {
			throw new UncategorizedScriptException("The table of the fences cannot be created: " + ex.getMessage(), ex);
		}
	}

	private boolean isWanted(DataSource dataSource) {
		return this.settings.schema() == Schema.ALWAYS
				|| (this.settings.schema() == Schema.EMBEDDED && EmbeddedDatabaseConnection.isEmbedded(dataSource));
	}

	private Resource withNameOfTable(Resource script) {
		String table = this.settings.table();
		try {
			return new ByteArrayResource(script.getContentAsString(StandardCharsets.UTF_8)
				.replace(INDEX, table.substring(table.lastIndexOf('.') + 1) + "_claimed")
				.replace(JdbcFences.DEFAULT_TABLE, table)
				.getBytes(StandardCharsets.UTF_8), script.getDescription());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
