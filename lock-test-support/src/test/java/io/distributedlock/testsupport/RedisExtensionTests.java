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

package io.distributedlock.testsupport;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisExtension}.
 */
class RedisExtensionTests {

	@Nested
	@ExtendWith(RedisExtension.class)
	@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
	class SharedServer {

		@Test
		@Order(1)
		void injectsTheSharedServer(RedisServer redis) {
			assertThat(redis).isSameAs(RedisServer.shared());
			redis.cli("SET", "left", "behind");
		}

		@Test
		@Order(2)
		void flushesBeforeEachTest(RedisServer redis) {
			assertThat(redis.cli("DBSIZE")).isEqualTo(0L);
		}

	}

	@Nested
	@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
	class OwnServer {

		@RegisterExtension
		static final RedisExtension redis = RedisExtension.with(RedisServer.builder().password("secret"));

		private static RedisServer first;

		@Test
		@Order(1)
		void hasItsOwnSettings() {
			first = redis.server();
			assertThat(redis.server().password()).isEqualTo("secret");
			assertThat(redis.server()).isNotSameAs(RedisServer.shared());
			redis.server().kill();
		}

		@Test
		@Order(2)
		void isRestartedAfterATestThatKilledIt() {
			assertThat(redis.server().cli("PING")).isEqualTo("PONG");
			redis.server().pause();
		}

		@Nested
		class InsideOfIt {

			@Test
			void isTheSameAndResumedAfterATestThatFrozeIt() {
				assertThat(redis.server()).isSameAs(first);
				assertThat(redis.server().cli("PING")).isEqualTo("PONG");
			}

		}

		@Nested
		class AfterAnotherNestedClass {

			@Test
			void isStillTheSame() {
				assertThat(redis.server()).isSameAs(first);
				assertThat(redis.server().cli("PING")).isEqualTo("PONG");
			}

		}

	}

}
