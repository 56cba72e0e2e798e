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

import javax.sql.DataSource;

import io.distributedlock.testsupport.DatabaseServer;
import io.distributedlock.testsupport.EnabledIfInstalled;
import io.distributedlock.testsupport.OptionalPackage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Tests for fenced transactions on MariaDB.
 */
@EnabledIfInstalled(value = OptionalPackage.MARIADB, tests = "fenced transactions on MariaDB")
class MariaDbFencedTransactionTests extends FencedTransactionTests {

	MariaDbFencedTransactionTests() {
		super(TestDatabase.MARIADB);
	}

	@ParameterizedTest
	@CsvSource({ "localhost", "127.0.0.1" })
	void transactionOfATwinPoolDoesNotWaitForTheOuterTransaction(String host) {
		DataSource one = TestDatabase.MARIADB.create();
		DataSource twin = new DriverManagerDataSource(
				DatabaseServer.mariaDb().url().replace("127.0.0.1", host) + "&useCompression=true",
				DatabaseServer.mariaDb().user(), "");
		beginsWithinATransactionOf(one, twin);
	}

}
