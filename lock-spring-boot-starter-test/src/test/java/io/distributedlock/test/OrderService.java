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

package io.distributedlock.test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLock;

/**
 * A service of an application under test.
 */
class OrderService {

	private final LockService locks;

	OrderService(LockService locks) {
		this.locks = locks;
	}

	@DistributedLock(name = "'order:' + #id", timeout = 10)
	public String order(long id) {
		return "ordered " + id;
	}

	@DistributedLock(name = "#name", waitTime = 60)
	public String whenFree(String name) {
		return "done";
	}

	@DistributedLock(name = "#name", waitTime = 60)
	public CompletableFuture<String> eventually(String name) {
		return CompletableFuture.completedFuture("done");
	}

	String patiently(String name) {
		return this.locks.execute(name, LockOptions.ofLease(Duration.ofSeconds(30)).withWaitTime(Duration.ofMinutes(1)),
				(handle) -> "done");
	}

}
