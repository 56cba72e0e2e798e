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
import java.util.List;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.kinds.AskedKinds;
import io.distributedlock.kinds.LockKind;
import io.distributedlock.kinds.Shows;
import io.distributedlock.redis.RedisLockSettings;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.test.LockStoreContractTests;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.test.StoreClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The contract of a store, with disturbances in between: what is open at that moment must
 * fulfil the contract as soon as it is answered again, and what is opened later as well.
 */
@Tag("topologies")
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TopologyContractTests extends LockStoreContractTests {

	private static final Duration RECOVERY = Duration.ofSeconds(30);

	private static final int TESTS_BETWEEN_DISTURBANCES = 10;

	private Topology topology;

	private LettuceConnectionFactory connectionFactory;

	private int tests;

	abstract Topology start();

	/**
	 * Do something to the server of a key, which can be reached again afterwards.
	 */
	abstract void disturb(String key, int number);

	@BeforeAll
	void startTopology() {
		this.topology = start();
		this.connectionFactory = new LettuceConnectionFactory(this.topology.configuration());
		this.connectionFactory.afterPropertiesSet();
		this.connectionFactory.start();
	}

	@AfterAll
	void stopTopology() {
		this.connectionFactory.destroy();
		this.topology.close();
	}

	/** The stores of the next test are connected before, and the same ones afterwards. */
	@BeforeEach
	void disturbNowAndThen() {
		this.tests++;
		if (this.tests % TESTS_BETWEEN_DISTURBANCES == 0) {
			awaitAnswer(first());
			awaitAnswer(second());
			disturb("lock:" + name(), this.tests / TESTS_BETWEEN_DISTURBANCES);
			awaitAnswer(first());
			awaitAnswer(second());
		}
	}

	@Test
	@Shows("Master killed, replica promoted, slot moved")
	void storesThatAreOpenRecoverFromEachDisturbance() {
		for (int disturbance = 1; disturbance <= 3; disturbance++) {
			disturb("lock:" + name(), disturbance);
			awaitAnswer(first());
			awaitAnswer(second());
			LockKind.forEach((kind) -> {
				StoreClient other = newClient();
				String lock = kind.named(name());
				LockToken token = first().newToken();
				int limit = switch (kind) {
					case EXCLUSIVE -> 1;
					case PERMITS -> 2;
					case SHARED -> AcquireRequest.NO_LIMIT;
				};
				AcquireRequest request = new AcquireRequest(lock, token, StoreClient.LEASE, 1, null, limit);
				assertThat(StoreClient.get(AskedKinds.watch(first().store()).acquire(request)))
					.isInstanceOf(AcquireOutcome.Granted.class);
				for (StoreClient each : List.of(second(), other)) {
					assertThat(each.tryAcquire(lock, each.newToken())).isNotInstanceOf(AcquireOutcome.Granted.class);
				}
				LeaseExtension extension = new LeaseExtension(lock, token, StoreClient.LEASE,
						LeaseExtension.Mode.AT_LEAST, limit);
				assertThat(StoreClient.get(first().store().extend(List.of(extension)).get(0)))
					.isEqualTo(ExtendOutcome.EXTENDED);
				assertThat(first().release(lock, token)).isEqualTo(ReleaseOutcome.RELEASED);
			});
		}
	}

	@Override
	protected LockStore open() {
		return RedisLockStore.withOwnConnection(new StringRedisTemplate(this.connectionFactory),
				RedisLockSettings.defaults().withCommandTimeout(Duration.ofSeconds(5)));
	}

	@Override
	protected void pass(Duration time) throws InterruptedException {
		Thread.sleep(time.toMillis());
	}

	private void awaitAnswer(StoreClient client) {
		// Writes, so that only a master answers
		await().atMost(RECOVERY)
			.ignoreExceptionsInstanceOf(LockUnavailableException.class)
			.until(() -> client.release(name(), client.newToken()) == ReleaseOutcome.ABSENT);
	}

}
