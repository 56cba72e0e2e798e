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
import io.distributedlock.faults.Company;
import io.distributedlock.faults.Instance;
import io.distributedlock.kinds.LockKind;

import static org.awaitility.Awaitility.await;

/**
 * Three threads of each of two instances that take a lock of some kind all the time, one
 * of the three alone.
 */
final class Contest {

	private final AtomicBoolean stopped = new AtomicBoolean();

	private final AtomicInteger grantsHere = new AtomicInteger();

	private final AtomicInteger grantsThere = new AtomicInteger();

	private final List<Call<Void>> contenders = new ArrayList<>();

	private final Company company = new Company();

	private final Consumer<LockHandle> section;

	/**
	 * @param options without the kind
	 * @param section what a holder does
	 */
	Contest(Instance here, Instance there, String name, LockKind kind, LockOptions options,
			Consumer<LockHandle> section) {
		this.section = section;
		for (LockOptions each : List.of(options, kind.of(options), kind.of(options))) {
			this.contenders.add(start(here, this.grantsHere, name, each));
			this.contenders.add(start(there, this.grantsThere, name, each));
		}
	}

	private Call<Void> start(Instance instance, AtomicInteger grants, String name, LockOptions options) {
		return Call.start(() -> {
			while (!this.stopped.get()) {
				try (LockHandle handle = instance.locks.acquire(name, options)) {
					this.company.enter(options);
					this.section.accept(handle);
					this.company.leave(options);
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

	/**
	 * Stop, and return the companies that were larger than one of their members accepts.
	 */
	List<String> end() {
		this.stopped.set(true);
		this.contenders.forEach(Call::get);
		return this.company.tooLarge();
	}

}
