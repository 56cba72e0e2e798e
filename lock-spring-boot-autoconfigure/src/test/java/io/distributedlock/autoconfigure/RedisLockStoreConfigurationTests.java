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

package io.distributedlock.autoconfigure;

import java.time.Duration;

import io.distributedlock.LockHandle;
import io.distributedlock.LockInfo;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockService;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.store.LockStore;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisLockStoreConfiguration} with a real Redis.
 */
@ExtendWith({ RedisExtension.class, OutputCaptureExtension.class })
class RedisLockStoreConfigurationTests {

	private ApplicationContextRunner contextRunner = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class));

	private RedisServer redis;

	@BeforeEach
	void connectTo(RedisServer redis) {
		this.redis = redis;
		this.contextRunner = this.contextRunner.withPropertyValues(redis.springProperties())
			.withPropertyValues("distributed-lock.redis.command-timeout=10s");
	}

	@Test
	void locksAreKeptInRedisWithoutAnyConfiguration() {
		this.contextRunner.run((context) -> {
			assertThat(context).getBean(LockStore.class).isInstanceOf(RedisLockStore.class);
			assertLocksAreKeptUnder("lock:order:1", context);
		});
	}

	@Test
	void locksAreWhereServiceConnectionsOrDockerComposeSay() {
		DataRedisConnectionDetails details = new DataRedisConnectionDetails() {

			@Override
			public Standalone getStandalone() {
				return Standalone.of(RedisLockStoreConfigurationTests.this.redis.host(),
						RedisLockStoreConfigurationTests.this.redis.port());
			}

		};
		this.contextRunner.withPropertyValues("spring.data.redis.host=nowhere.invalid")
			.withBean(DataRedisConnectionDetails.class, () -> details)
			.run((context) -> assertLocksAreKeptUnder("lock:order:1", context));
	}

	@Test
	void theKeyPrefixCanBeConfigured() {
		this.contextRunner.withPropertyValues("distributed-lock.key-prefix=shop/")
			.run((context) -> assertLocksAreKeptUnder("shop/order:1", context));
	}

	@Test
	void theNameOfTheInstanceIsSeenByOthers() {
		this.contextRunner.withPropertyValues("distributed-lock.instance-name=shop-1").run((context) -> {
			LockService service = context.getBean(LockService.class);
			try (LockHandle handle = service.acquire("order:1")) {
				assertThat(service.find("order:1"))
					.hasValueSatisfying((lock) -> assertThat(lock.holder()).isEqualTo("shop-1"));
			}
		});
	}

	@Test
	void theNameOfTheInstanceIsDerivedFromTheApplication() {
		this.contextRunner
			.withPropertyValues("spring.application.name=shop", "HOSTNAME=host1", "distributed-lock.instance-name=")
			.run((context) -> {
				LockService service = context.getBean(LockService.class);
				try (LockHandle handle = service.acquire("order:1")) {
					assertThat(service.find("order:1")).hasValueSatisfying((lock) -> assertThat(lock.holder())
						.isEqualTo("shop@host1-" + ProcessHandle.current().pid()));
				}
			});
	}

	@Test
	void tokenOfAForeignClientIsNotShown() {
		this.contextRunner.run((context) -> {
			LockService service = context.getBean(LockService.class);
			this.redis.cli("SET", "lock:order:1", "shop~s3cret:1", "PX", "10000");
			LockInfo info = service.find("order:1").orElseThrow();
			assertThat(info.kind()).isEqualTo(LockInfo.Kind.FOREIGN_CLIENT);
			assertThat(info.holder()).isNull();
			assertThat(info.digest()).hasSize(8);
			assertThat(info.toString()).doesNotContain("shop", "s3cret");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> service.acquire("order:1"))
				.withMessageContaining("held by a foreign client (digest " + info.digest() + ")")
				.withMessageNotContainingAny("shop", "s3cret");
			this.redis.cli("SET", "lock:order:1", "another", "PX", "10000");
			assertThat(service.find("order:1").orElseThrow().digest()).isNotEqualTo(info.digest());
		});
	}

	@Test
	void locksUseDedicatedConnections() {
		this.contextRunner.withPropertyValues("spring.data.redis.client-name=shop").run((context) -> {
			try (LockHandle handle = context.getBean(LockService.class).acquire("order:1")) {
				assertThat(clients()).contains("name=shop-locks").doesNotContain("name=shop ");
			}
		});
		assertThat(clients()).doesNotContain("name=shop-locks");
	}

	@Test
	void connectionOfTheLocksIsOpenedBeforeTheFirstLock() {
		this.contextRunner.withPropertyValues("spring.data.redis.client-name=shop")
			.withBean(LockUser.class)
			.run((context) -> await().atMost(Duration.ofSeconds(10))
				.until(() -> clients().contains("name=shop-locks")));
	}

	@Test
	void connectionOfTheApplicationIsNotOpenedBeforeTheFirstLockWithoutTheCheck() {
		this.contextRunner
			.withPropertyValues("spring.data.redis.client-name=shop",
					"distributed-lock.redis.dedicated-connection=false", "distributed-lock.check=off")
			.run((context) -> await().during(Duration.ofMillis(300)).until(() -> !clients().contains("name=shop")));
	}

	@Test
	void locksUseTheConnectionsOfTheApplicationIfConfigured() {
		this.contextRunner
			.withPropertyValues("spring.data.redis.client-name=shop",
					"distributed-lock.redis.dedicated-connection=false")
			.run((context) -> {
				try (LockHandle handle = context.getBean(LockService.class).acquire("order:1")) {
					assertThat(clients()).contains("name=shop ").doesNotContain("name=shop-locks");
				}
			});
	}

	@Test
	void locksAddNoConnectionFactoryToTheApplication() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(RedisConnectionFactory.class)
			.hasBean("redisConnectionFactory")
			.getBean(LockStore.class)
			.isInstanceOf(RedisLockStore.class));
	}

	@Test
	void jedisServesAsWellAndHasNoConnectionForLocks(CapturedOutput output) {
		this.contextRunner.withPropertyValues("spring.data.redis.client-type=jedis").run((context) -> {
			assertThat(context).hasSingleBean(JedisConnectionFactory.class);
			assertLocksAreKeptUnder("lock:order:1", context);
			assertThat(output.toString()
				.lines()
				.filter((line) -> line.contains("distributed-lock.redis.dedicated-connection"))).singleElement()
				.asString()
				.contains("INFO", "JedisConnectionFactory");
		});
	}

	@Test
	void jedisServesWithoutLettuceOnTheClassPath() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("io.lettuce")).run((context) -> {
			assertThat(context).hasSingleBean(JedisConnectionFactory.class)
				.doesNotHaveBean(LettuceConnectionFactory.class);
			assertLocksAreKeptUnder("lock:order:1", context);
		});
	}

	@Test
	void theConnectionFactoryCanBeChosenByName() {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(this.redis.host(), this.redis.port());
		server.setPassword(RedisPassword.of(this.redis.password()));
		this.contextRunner
			.withBean("lockRedis", RedisConnectionFactory.class, () -> new LettuceConnectionFactory(server))
			.withBean("cacheRedis", RedisConnectionFactory.class, () -> new LettuceConnectionFactory("127.0.0.1", 1))
			.withPropertyValues("distributed-lock.redis.connection-factory=lockRedis")
			.run((context) -> assertLocksAreKeptUnder("lock:order:1", context));
	}

	@Test
	void tooLongCommandTimeoutCausesAWarning(CapturedOutput output) {
		this.contextRunner
			.withPropertyValues("distributed-lock.redis.command-timeout=2s", "distributed-lock.locks.short.timeout=5s",
					"distributed-lock.locks.long.timeout=6s")
			.run((context) -> assertThat(output.toString().lines().filter((line) -> line.contains("WARN")))
				.singleElement()
				.asString()
				.contains("command-timeout is 2s", "distributed-lock.locks[short].timeout, which is 5s"));
	}

	@Test
	void nothingIsConfiguredWithoutSpringDataRedis() {
		this.contextRunner.withClassLoader(new FilteredClassLoader("org.springframework.data.redis"))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockStore.class)
				.doesNotHaveBean(LockService.class));
	}

	@Test
	void redisIsNotAskedWhenAnotherProviderIsConfigured() {
		this.contextRunner.withPropertyValues("distributed-lock.provider=in-memory")
			.run((context) -> assertThat(context).doesNotHaveBean(RedisLockStore.class).hasSingleBean(LockStore.class));
	}

	private void assertLocksAreKeptUnder(String key, ApplicationContext context) {
		try (LockHandle handle = context.getBean(LockService.class).acquire("order:1")) {
			assertThat(this.redis.cli("EXISTS", key)).isEqualTo(1L);
		}
		assertThat(this.redis.cli("EXISTS", key)).isEqualTo(0L);
	}

	private String clients() {
		return String.valueOf(this.redis.cli("CLIENT", "LIST"));
	}

	record LockUser(LockService locks) {

	}

}
