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

package io.distributedlock.migration;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the registry in docs/migration.md.
 */
class LockServiceLockRegistryTests {

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final DefaultLockService service = new DefaultLockService(this.store, EngineSettings.of("app"), List.of());

	private final LockServiceLockRegistry registry = new LockServiceLockRegistry(this.service,
			LockOptions.ofLease(Duration.ofSeconds(30)).withAutoRenew());

	@AfterEach
	void close() {
		this.service.close();
		this.store.close();
	}

	@Test
	void aThreadLocksAndEntersAgainAndOthersDoNot() throws Exception {
		DistributedLock lock = this.registry.obtain("order:1");
		lock.lock();
		assertThat(this.registry.obtain("order:1").tryLock(Duration.ZERO, Duration.ofSeconds(5))).isTrue();
		assertThat(elsewhere()).isFalse();
		lock.unlock();
		assertThat(elsewhere()).isFalse();
		lock.unlock();
		assertThat(elsewhere()).isTrue();
	}

	@Test
	void leaseOfACallReplacesTheLeaseOfTheRegistry() {
		DistributedLock lock = this.registry.obtain("order:1");
		lock.lock(Duration.ofMinutes(10));
		assertThat(this.service.held()).singleElement()
			.satisfies((held) -> assertThat(held.remaining()).isGreaterThan(Duration.ofMinutes(5)));
		lock.unlock();
	}

	@Test
	void workRunsUnderALock() throws Exception {
		LockService locks = this.service;
		this.registry.executeLocked("order:1", () -> assertThat(locks.isLocked("order:1")).isTrue());
		assertThat(locks.isLocked("order:1")).isFalse();
	}

	private boolean elsewhere() {
		return CompletableFuture.supplyAsync(() -> {
			DistributedLock lock = this.registry.obtain("order:1");
			boolean locked = lock.tryLock();
			if (locked) {
				lock.unlock();
			}
			return locked;
		}).join();
	}

}
