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

import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

/**
 * Tests for fenced transactions on H2.
 */
class H2FencedTransactionTests extends FencedTransactionTests {

	H2FencedTransactionTests() {
		super(TestDatabase.H2);
	}

	/**
	 * It is asked how long its connection waits for a row, which costs no round trip.
	 */
	@Override
	int statementsOfClaim() {
		return 2;
	}

	@Test
	void claimThatTheDatabaseEndsEarlySaysSo() {
		DataSource impatient = new DriverManagerDataSource(
				"jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=200");
		DatabasePopulatorUtils.execute(
				new ResourceDatabasePopulator(new ClassPathResource("schema-h2.sql", JdbcFences.class)), impatient);
		JdbcFences fences = new JdbcFences(JdbcFences.DEFAULT_TABLE, List.of());
		TransactionTemplate transaction = new TransactionTemplate(transactionManager(impatient, fences));
		under("a", 1, () -> transaction.executeWithoutResult(NOTHING));
		under("a", 2, () -> transaction.executeWithoutResult((status) -> inAnotherThread(() -> under("a", 3,
				() -> assertThatExceptionOfType(QueryTimeoutException.class)
					.isThrownBy(() -> transaction.executeWithoutResult(NOTHING))
					.extracting(Throwable::getMessage, STRING)
					.matches("The fence of lock 'a' could not be claimed within (\\d+s)?(\\d+ms)?, when a "
							+ "timeout of the database ended the wait. The lock, or the transaction, had 30s "
							+ "left. Another transaction keeps the row 'a' of table 'distributed_lock_fence' "
							+ "locked. The transaction is rolled back. End the other one, and give transactions "
							+ "under a lock a timeout. To wait for longer, raise that timeout.")))
			.join()));
	}

}
