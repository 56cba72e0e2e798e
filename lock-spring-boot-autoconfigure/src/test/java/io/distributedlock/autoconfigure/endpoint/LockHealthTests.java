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

package io.distributedlock.autoconfigure.endpoint;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import io.distributedlock.configuration.internal.LockStoreCheck;
import io.distributedlock.store.StoreReport;
import io.distributedlock.testsupport.RedisServer;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Tests for the health of locks, on a real Redis.
 */
class LockHealthTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class,
				DistributedLockAutoConfiguration.class, LocksEndpointAutoConfiguration.class));

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private RedisServer redis;

	@BeforeEach
	void start() {
		this.redis = RedisServer.start();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void healthIsWhatTheStoreAnswersNow(String client) {
		health(client).run((context) -> {
			HealthIndicator indicator = context.getBean(HealthIndicator.class);
			assertThat(health(indicator).getStatus()).isEqualTo(Status.UP);
			assertThat(health(indicator).getDetails()).containsOnlyKeys("version");

			this.redis.cli("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "volatile-lru");
			Health evicting = health(indicator);
			assertThat(evicting.getStatus()).isEqualTo(Status.UP);
			assertTexts(evicting, "warnings").singleElement()
				.asString()
				.contains("maxmemory-policy volatile-lru", "noeviction");
			assertThat(context.getBean(LockStoreCheck.class).get().findings()).as("what the endpoint shows")
				.extracting(StoreReport.Finding::severity)
				.containsExactly(StoreReport.Severity.WARNING);

			this.redis.cli("REPLICAOF", "127.0.0.1", "1");
			Health replica = health(indicator);
			assertThat(replica.getStatus()).isEqualTo(Status.DOWN);
			assertTexts(replica, "errors").singleElement().asString().contains("replica");

			this.redis.cli("REPLICAOF", "NO", "ONE");
			this.redis.cli("CONFIG", "SET", "maxmemory", "1", "maxmemory-policy", "noeviction");
			Health full = health(indicator);
			assertThat(full.getStatus()).isEqualTo(Status.DOWN);
			assertTexts(full, "errors").singleElement().asString().contains("refuses to write locks", "OOM");

			this.redis.cli("CONFIG", "SET", "maxmemory", "0");
			assertThat(health(indicator).getStatus()).isEqualTo(Status.UP);
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aChangeIsLoggedOnceByTheNextCheck(CapturedOutput output) {
		inUse().run((context) -> {
			HealthIndicator indicator = context.getBean(HealthIndicator.class);
			await().atMost(PATIENCE).until(() -> output.toString().contains("Distributed locks are kept in Redis"));
			health(indicator);
			assertThat(lines(output)).isEmpty();

			this.redis.cli("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru");
			health(indicator);
			health(indicator);
			assertThat(lines(output)).singleElement()
				.asString()
				.contains("WARN", "now finds: Redis at", "evicts keys", "maxmemory-policy allkeys-lru",
						"Set maxmemory-policy to noeviction");

			this.redis.cli("ACL", "SETUSER", "default", "-info");
			assertThat(health(indicator).getDetails()).containsKey("unchecked");
			this.redis.stop();
			assertThat(health(indicator).getStatus()).isEqualTo(Status.DOWN);
			assertThat(lines(output)).as("nothing is known of a change").hasSize(1);

			// With its policy of before
			this.redis.restart();
			await().atMost(PATIENCE).until(() -> health(indicator).getStatus().equals(Status.UP));
			health(indicator);
			assertThat(lines(output)).hasSize(2)
				.last(InstanceOfAssertFactories.STRING)
				.contains("INFO", "no longer finds anything that weakens a guarantee");
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aRightThatIsTakenAwayIsLoggedOnceByTheNextCheck(CapturedOutput output) {
		inUse().run((context) -> {
			HealthIndicator indicator = context.getBean(HealthIndicator.class);
			await().atMost(PATIENCE).until(() -> output.toString().contains("Distributed locks are kept in Redis"));
			this.redis.cli("ACL", "SETUSER", "default", "-pexpire");
			assertThat(health(indicator).getStatus()).isEqualTo(Status.DOWN);
			health(indicator);
			assertThat(lines(output)).singleElement().asString().contains("WARN", "now finds: ", "pexpire");

			this.redis.cli("ACL", "SETUSER", "default", "+pexpire");
			assertThat(health(indicator).getStatus()).isEqualTo(Status.UP);
			assertThat(lines(output)).hasSize(2)
				.last(InstanceOfAssertFactories.STRING)
				.contains("INFO", "no longer finds anything");
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void whatTheStartHasLoggedIsNotLoggedAgain(CapturedOutput output) {
		this.redis.cli("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru");
		inUse().run((context) -> {
			await().atMost(PATIENCE).until(() -> output.toString().contains("evicts keys"));
			health(context.getBean(HealthIndicator.class));
			assertThat(lines(output)).isEmpty();
		});
	}

	@Test
	void healthIsDownWhileTheStoreDoesNotAnswer() {
		health("lettuce").run((context) -> {
			HealthIndicator indicator = context.getBean(HealthIndicator.class);
			assertThat(health(indicator).getStatus()).isEqualTo(Status.UP);
			this.redis.stop();
			Health down = health(indicator);
			assertThat(down.getStatus()).isEqualTo(Status.DOWN);
			assertTexts(down, "errors").isNotEmpty();
			this.redis.restart();
			// The connection comes back by itself
			await().atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(health(indicator).getStatus()).isEqualTo(Status.UP));
		});
	}

	@Test
	void healthIsKnownWithoutACheckAtStart() {
		health("lettuce").withPropertyValues("distributed-lock.check=off")
			.run((context) -> assertThat(health(context.getBean(HealthIndicator.class)).getDetails())
				.containsKey("version"));
	}

	@Test
	void locksHaveNoHealthUnlessItIsWanted() {
		health("lettuce").withPropertyValues("management.health.distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthIndicator.class));
		this.contextRunner.withPropertyValues(this.redis.springProperties())
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthIndicator.class));
	}

	@Test
	void applicationStartsWithoutTheHealthOfSpringBoot() {
		health("lettuce").withClassLoader(new FilteredClassLoader(HealthIndicator.class))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(LockService.class));
	}

	@Test
	void healthOfAServiceOfTheApplicationIsNotKnown() {
		health("lettuce").withBean(LockService.class, () -> mock(LockService.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthIndicator.class));
	}

	private ApplicationContextRunner health(String client) {
		return this.contextRunner.withPropertyValues(this.redis.springProperties())
			.withPropertyValues("spring.data.redis.client-type=" + client,
					"management.health.distributed-lock.enabled=true");
	}

	/** The start only asks if somebody uses locks. */
	private ApplicationContextRunner inUse() {
		return health("lettuce").withConfiguration(AutoConfigurations.of(LockAnnotationAutoConfiguration.class))
			.withBean(Locked.class);
	}

	private static Health health(HealthIndicator indicator) {
		Health health = indicator.health();
		assertThat(health).isNotNull();
		return health;
	}

	private static ListAssert<String> assertTexts(Health health, String detail) {
		return assertThat(health.getDetails()).extractingByKey(detail, InstanceOfAssertFactories.list(String.class));
	}

	private static List<String> lines(CapturedOutput output) {
		return output.toString().lines().filter((line) -> line.contains("The check of the lock store")).toList();
	}

	static class Locked {

		@DistributedLock("order")
		void order() {
		}

	}

}
