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

package io.distributedlock.topologies;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.faults.Call;
import io.distributedlock.faults.Instance;

import static org.awaitility.Awaitility.await;

/**
 * Three threads of each of two instances that take the same lock all the time.
 */
final class Contest {

	private final AtomicBoolean stopped = new AtomicBoolean();

	private final AtomicInteger grantsHere = new AtomicInteger();

	private final AtomicInteger grantsThere = new AtomicInteger();

	private final List<Call<Void>> contenders = new ArrayList<>();

	Contest(Instance here, Instance there, String name, LockOptions options, Consumer<LockHandle> section) {
		for (int i = 0; i < 3; i++) {
			this.contenders.add(start(here, this.grantsHere, name, options, section));
			this.contenders.add(start(there, this.grantsThere, name, options, section));
		}
	}

	private Call<Void> start(Instance instance, AtomicInteger grants, String name, LockOptions options,
			Consumer<LockHandle> section) {
		return Call.start(() -> {
			while (!this.stopped.get()) {
				try (LockHandle handle = instance.locks.acquire(name, options)) {
					section.accept(handle);
					grants.incrementAndGet();
				}
			}
			return null;
		});
	}

	/**
	 * Wait until both instances have had the lock as often again.
	 */
	void awaitMore(int grants, Duration limit) {
		int hereBefore = this.grantsHere.get();
		int thereBefore = this.grantsThere.get();
		await().atMost(limit)
			.until(() -> this.grantsHere.get() > hereBefore + grants && this.grantsThere.get() > thereBefore + grants);
	}

	void end() {
		this.stopped.set(true);
		this.contenders.forEach(Call::get);
	}

}
