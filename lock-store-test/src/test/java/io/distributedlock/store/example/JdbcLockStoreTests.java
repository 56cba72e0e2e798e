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

package io.distributedlock.store.example;

import java.time.Duration;

import io.distributedlock.store.LockStore;
import io.distributedlock.store.test.LockStoreContractTests;
import org.junit.jupiter.api.AfterAll;

/**
 * The contract of a store, for the example.
 */
class JdbcLockStoreTests extends LockStoreContractTests {

	private static final TestDatabase database = new TestDatabase();

	@Override
	protected LockStore open() {
		return new JdbcLockStore(database.dataSource());
	}

	@Override
	protected void pass(Duration time) {
		database.pass(time);
	}

	@Override
	protected boolean handsOver() {
		return false;
	}

	@Override
	protected boolean describesQueue() {
		return false;
	}

	@Override
	protected boolean lists() {
		return false;
	}

	@Override
	protected boolean forceReleases() {
		return false;
	}

	@Override
	protected boolean keepsRecords() {
		return false;
	}

	@AfterAll
	static void closeDatabase() {
		database.close();
	}

}
