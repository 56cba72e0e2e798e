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

package io.distributedlock.scheduling;

import java.time.Instant;
import java.util.Map;
import java.util.Set;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OncePerFireTime;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockAnnotationAutoConfiguration;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The commands of a call, from the annotation to a real Redis.
 */
@Timeout(120)
class CommandsOfJobsTests {

	private static final Instant THREE = Instant.parse("2026-11-27T03:00:00Z");

	private static final Instant FOUR = Instant.parse("2026-11-27T04:00:00Z");

	/** Of the test, and of connections. */
	private static final Set<String> OTHERS = Set.of("config|resetstat", "info", "ping");

	private final RedisServer redis = RedisServer.start();

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class,
				DistributedLockAutoConfiguration.class, LockAnnotationAutoConfiguration.class))
		.withPropertyValues("distributed-lock.redis.command-timeout=10s")
		.withPropertyValues(this.redis.springProperties())
		.withPropertyValues("spring.data.redis.username=jobs", "spring.data.redis.password=secret");

	/** Without the right, no lock is watched, however long the machine stands still. */
	@BeforeEach
	void forbidTracking() {
		this.redis.cli("ACL", "SETUSER", "jobs", "on", ">secret", "~*", "&*", "+@all", "-client|tracking");
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	@Test
	void lockExecutesNotOneCommandMoreBesideJobs() {
		Map<String, Long> alone = Map.of("evalsha", 2L, "set", 2L, "time", 1L, "get", 1L, "zpopmin", 1L, "del", 1L);
		this.contextRunner.withBean(Orders.class).run((context) -> {
			Orders orders = context.getBean(Orders.class);
			orders.bill();
			assertThat(commands(orders::bill)).isEqualTo(alone);
		});
		this.contextRunner.withBean(Orders.class).withBean(Report.class).run((context) -> {
			Orders orders = context.getBean(Orders.class);
			Report report = context.getBean(Report.class);
			orders.bill();
			report.write(THREE);
			assertThat(commands(orders::bill)).isEqualTo(alone);
		});
	}

	@Test
	void runOfAJobIsThreeCommandsMoreThanALockAndASkippedCallOne() {
		this.contextRunner.withBean(Report.class).run((context) -> {
			Report report = context.getBean(Report.class);
			report.write(THREE);
			assertThat(scripts(() -> report.write(THREE))).as("skipped").isEqualTo(2 + 1);
			assertThat(scripts(() -> report.write(FOUR))).as("the next run").isEqualTo(2 + 3);
			assertThat(scripts(() -> report.write(FOUR))).as("skipped again").isEqualTo(2 + 1);
			assertThat(scripts(() -> report.write(THREE))).as("late and skipped").isEqualTo(2 + 1);
			assertThat(report.runs()).isEqualTo(2);
			this.redis.cli("DEL", "{lock:report}:record");
			assertThat(scripts(() -> report.write(FOUR))).as("the first run of a new job").isEqualTo(2 + 2);
			assertThat(report.runs()).isEqualTo(3);
		});
	}

	@Test
	void runThatFailsAndItsRepetitionAreThreeCommandsMoreThanALock() {
		this.contextRunner.withBean(Report.class).run((context) -> {
			Report report = context.getBean(Report.class);
			report.repeat(THREE);
			report.fail(true);
			Instant now = Instant.now();
			assertThat(scripts(() -> assertThatIllegalStateException().isThrownBy(() -> report.repeat(now))))
				.as("it fails")
				.isEqualTo(2 + 3);
			report.fail(false);
			assertThat(scripts(() -> report.repeat(now))).as("it is repeated").isEqualTo(2 + 3);
			assertThat(scripts(() -> report.repeat(now))).as("it is not repeated again").isEqualTo(2 + 1);
			assertThat(report.runs()).isEqualTo(3);
		});
	}

	/** Each is one command of the client. */
	private long scripts(Runnable call) {
		Map<String, Long> commands = commands(call);
		assertThat(commands).doesNotContainKeys("eval", "script|load", "publish");
		return commands.get("evalsha");
	}

	private Map<String, Long> commands(Runnable call) {
		this.redis.resetCommandStats();
		call.run();
		Map<String, Long> commands = this.redis.commandStats();
		commands.keySet().removeAll(OTHERS);
		return commands;
	}

	static class Orders {

		@DistributedLock("bill")
		void bill() {
		}

	}

	static class Report {

		private int runs;

		private boolean failing;

		int runs() {
			return this.runs;
		}

		void fail(boolean failing) {
			this.failing = failing;
		}

		@OncePerFireTime(name = "report", fireTime = "#time")
		void write(Instant time) {
			this.runs++;
		}

		@OncePerFireTime(name = "repeated", fireTime = "#time", catchUp = "2h")
		void repeat(Instant time) {
			this.runs++;
			if (this.failing) {
				throw new IllegalStateException("planned");
			}
		}

	}

}
