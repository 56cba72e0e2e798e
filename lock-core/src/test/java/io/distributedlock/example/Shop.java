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

package io.distributedlock.example;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockOptions;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.InMemoryLockStore;

/**
 * Locks in a program without Spring: the example of docs/lock-service.md.
 */
final class Shop {

	private Shop() {
	}

	public static void main(String... args) {
		LockOptions options = LockOptions.ofLease(Duration.ofSeconds(10)).withWaitTime(Duration.ofSeconds(2));
		try (InMemoryLockStore store = new InMemoryLockStore();
				DefaultLockService locks = new DefaultLockService(store, EngineSettings.of("shop"), List.of())) {
			locks.executeWithoutResult("order:42", options, (handle) -> {
				System.out.println("Paid under the lock " + handle.name());
				handle.assertHeld();
			});
			System.out.println("Held now: " + locks.held().size());
		}
	}

}
