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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link RedisServer} and {@link RespClient}.
 */
class RedisServerTests {

	@Test
	void takenPortIsRefusedInsteadOfTalkingToAStranger() throws Exception {
		try (RedisServer first = RedisServer.start()) {
			assertThatIllegalStateException().isThrownBy(() -> RedisServer.builder().port(first.port()).start())
				.withMessageContaining("in use");
			assertThat(first.cli("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void restartKeepsThePortAndLosesTheData() {
		try (RedisServer redis = RedisServer.start()) {
			int port = redis.port();
			redis.cli("SET", "a", "1");
			redis.restart();
			assertThat(redis.port()).isEqualTo(port);
			assertThat(redis.cli("GET", "a")).isNull();
		}
	}

	@Test
	void stoppedAndKilledServersRefuseConnectionsUntilRestarted() {
		try (RedisServer redis = RedisServer.start()) {
			redis.stop();
			assertThat(redis.isRunning()).isFalse();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> redis.cli("PING"));
			redis.restart();
			assertThat(redis.cli("PING")).isEqualTo("PONG");
			redis.kill();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> redis.cli("PING"));
			redis.restart();
			assertThat(redis.cli("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void pausedServerIsSilentAndCatchesUpWhenResumed() throws IOException {
		try (RedisServer redis = RedisServer.start(); RespClient client = redis.client()) {
			client.command("PING");
			redis.pause();
			client.timeout(Duration.ofMillis(300));
			client.send("SET", "late", "1");
			assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(client::receive);
			try (Socket socket = new Socket(redis.host(), redis.port())) {
				assertThat(socket.isConnected()).isTrue();
			}
			redis.resume();
			assertThat(redis.cli("GET", "late")).isEqualTo("1");
		}
	}

	@Test
	void commandStatsCountEachCommandAlsoInsideScripts() {
		try (RedisServer redis = RedisServer.start(); RespClient client = redis.client()) {
			client.command("EVAL", "return redis.call('SET', KEYS[1], '1')", "1", "key");
			assertThat(redis.commandStats()).containsEntry("eval", 1L).containsEntry("set", 1L);
			redis.resetCommandStats();
			client.command("GET", "key");
			client.command("GET", "key");
			assertThat(redis.commandStats()).containsEntry("get", 2L).doesNotContainKeys("eval", "set");
		}
	}

}
