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

package io.distributedlock.redis;

import java.net.URLClassLoader;
import java.time.Duration;
import java.util.concurrent.Callable;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.store.LockToken;
import io.distributedlock.store.test.StoreClient;
import io.distributedlock.testsupport.ClassPath;
import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisLockStore} in an application that has no Lettuce.
 */
class RedisLockStoreWithoutLettuceTests {

	@Test
	void jedisIsEnough() throws Exception {
		try (URLClassLoader loader = ClassPath.without("lettuce-core")) {
			assertThat(loader.getResource("io/lettuce/core/RedisClient.class")).isNull();
			RedisServer server = RedisServer.shared();
			Callable<?> probe = (Callable<?>) loader.loadClass(Probe.class.getName())
				.getConstructor(String.class, Integer.class)
				.newInstance(server.host(), server.port());
			assertThat(probe.call()).isEqualTo("RELEASED");
		}
	}

	/**
	 * Runs in a class loader without Lettuce.
	 */
	public static final class Probe implements Callable<String> {

		private final String host;

		private final int port;

		public Probe(String host, Integer port) {
			this.host = host;
			this.port = port;
		}

		@Override
		public String call() throws Exception {
			JedisConnectionFactory connectionFactory = new JedisConnectionFactory(
					new RedisStandaloneConfiguration(this.host, this.port));
			connectionFactory.afterPropertiesSet();
			try (RedisLockStore store = RedisLockStore.withOwnConnection(new StringRedisTemplate(connectionFactory),
					RedisLockSettings.defaults().withCommandTimeout(Duration.ofSeconds(10)))) {
				StoreClient client = new StoreClient(store, "app").listen();
				LockToken token = client.newToken();
				client.mustAcquire("without-lettuce", token);
				return client.release("without-lettuce", token).name();
			}
			finally {
				connectionFactory.destroy();
			}
		}

	}

}
