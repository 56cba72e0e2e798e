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

import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.RedisLockSettings;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.testsupport.RedisExtension;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract that ShedLock publishes for its providers, for the provider in
 * docs/migration.md.
 */
class LockServiceLockProviderTests extends AbstractExtensibleLockProviderIntegrationTest {

	@RegisterExtension
	static final RedisExtension redis = new RedisExtension();

	private static LettuceConnectionFactory connectionFactory;

	private static RedisLockStore store;

	private static DefaultLockService locks;

	@BeforeAll
	static void start() {
		connectionFactory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(redis.server().host(), redis.server().port()));
		connectionFactory.afterPropertiesSet();
		connectionFactory.start();
		store = RedisLockStore.withOwnConnection(new StringRedisTemplate(connectionFactory),
				RedisLockSettings.defaults()
					.withKeyPrefix("job-lock:default:")
					.withCommandTimeout(Duration.ofSeconds(20)));
		locks = new DefaultLockService(store, EngineSettings.of("app"), List.of());
		locks.acquire("warm-up").close();
	}

	@AfterAll
	static void stop() {
		locks.close();
		store.close();
		connectionFactory.destroy();
	}

	/**
	 * The contract's 50 ms are shorter than some answers of a busy machine take, and such
	 * a lock is not granted.
	 */
	@Override
	@Test
	public void shouldTimeout() throws InterruptedException {
		doTestTimeout(Duration.ofSeconds(1));
	}

	@Override
	protected ExtensibleLockProvider getLockProvider() {
		return new LockServiceLockProvider(locks);
	}

	@Override
	protected void assertUnlocked(String lockName) {
		assertThat(redis.server().cli("GET", "job-lock:default:" + lockName)).isNull();
	}

	@Override
	protected void assertLocked(String lockName) {
		assertThat(redis.server().cli("GET", "job-lock:default:" + lockName)).isNotNull();
	}

}
