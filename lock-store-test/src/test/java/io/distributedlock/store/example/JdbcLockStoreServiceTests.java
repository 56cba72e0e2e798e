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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockConfigurationException;
import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockOptions;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The lock service of two instances on the example, which pushes nothing.
 */
class JdbcLockStoreServiceTests {

	private static final LockOptions OPTIONS = LockOptions.ofLease(Duration.ofSeconds(30))
		.withWaitTime(Duration.ofSeconds(20));

	private final TestDatabase database = new TestDatabase();

	private final JdbcLockStore firstStore = new JdbcLockStore(this.database.dataSource());

	private final JdbcLockStore secondStore = new JdbcLockStore(this.database.dataSource());

	private final DefaultLockService first = new DefaultLockService(this.firstStore, EngineSettings.of("first"),
			List.of());

	private final DefaultLockService second = new DefaultLockService(this.secondStore, EngineSettings.of("second"),
			List.of());

	@AfterEach
	void closeAll() {
		this.first.close();
		this.second.close();
		this.firstStore.close();
		this.secondStore.close();
		this.database.close();
	}

	@Test
	void waiterGetsTheLockAsItAsksAgain() throws Exception {
		LockHandle held = this.first.acquireAsync("order:42", OPTIONS).get(20, TimeUnit.SECONDS);
		CompletableFuture<LockHandle> waiting = this.second.acquireAsync("order:42", OPTIONS);
		await().until(() -> this.second.waiting().size() == 1);
		assertThat(this.second.find("order:42").map(LockInfo::describeHolder))
			.hasValueSatisfying((holder) -> assertThat(holder).contains("first"));
		assertThat(waiting).isNotDone();
		held.close();
		try (LockHandle next = waiting.get(20, TimeUnit.SECONDS)) {
			assertThat(next.isHeld()).isTrue();
			assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
		}
		assertThat(this.first.isLocked("order:42")).isFalse();
	}

	@Test
	void readersShareALockThatExcludesAWriter() {
		LockOptions shared = OPTIONS.withShared();
		LockOptions once = OPTIONS.withWaitTime(Duration.ZERO);
		try (LockHandle one = this.first.acquireAsync("book", shared).join();
				LockHandle other = this.second.acquireAsync("book", shared).join()) {
			assertThat(one.isHeld() && other.isHeld()).isTrue();
			assertThat(this.second.tryAcquire("book", once)).isEmpty();
		}
		assertThat(this.second.tryAcquire("book", once)).isPresent();
	}

	@Test
	void databaseWithoutTheTablesIsAMistakeInTheConfiguration() {
		this.database.execute("drop table lock_holder", "drop table lock_name");
		assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> this.first.acquire("a", OPTIONS))
			.withMessageContaining("The tables of the locks are missing");
	}

}
