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

package io.distributedlock.leadership;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.distributedlock.LockOptions;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.testsupport.SettableTicker;
import org.junit.jupiter.api.AfterEach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two instances that stand for one leadership, with a clock that the test moves. Tests
 * extend this.
 */
abstract class LeadershipFixture {

	static final String NAME = "scheduler";

	final SettableTicker ticker = new SettableTicker();

	final InMemoryLockStore store = new InMemoryLockStore(this.ticker::nanos);

	final DefaultLockService here = service("here");

	final DefaultLockService there = service("there");

	final List<LeadershipEvent> events = new CopyOnWriteArrayList<>();

	final LeaderElection first;

	final LeaderElection second = new LeaderElection(this.there);

	LeadershipFixture(Duration patience) {
		this.first = new LeaderElection(this.here, List.of(this.events::add), patience);
	}

	private DefaultLockService service(String instance) {
		return new DefaultLockService(this.store.connect(), EngineSettings.of(instance), List.of(), this.ticker::nanos);
	}

	@AfterEach
	void close() {
		this.first.close();
		this.second.close();
		// What was granted while the candidate resigned is given back in the background
		await().untilAsserted(() -> {
			assertThat(this.here.held()).isEmpty();
			assertThat(this.here.waiting()).isEmpty();
			assertThat(this.first.candidacies()).isEmpty();
		});
		this.here.close();
		this.there.close();
	}

	static Leadership leader(LeaderElection election, LockOptions options) {
		Leadership leader = election.campaign(NAME, options);
		await().until(leader::isLeader);
		return leader;
	}

	void pass(Duration time) {
		for (long i = 0; i < time.toMillis(); i += 100) {
			this.ticker.advance(Duration.ofMillis(100));
			this.here.catchUp();
			this.there.catchUp();
		}
	}

	static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
