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

package io.distributedlock.sample.stage;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class EmbeddedRedisTests {

	@Test
	void onlyClientsWithThePasswordAreAnswered() throws Exception {
		try (EmbeddedRedis redis = EmbeddedRedis.start()) {
			assertThat(ping(redis, redis.password())).isEqualTo("PONG");
			assertThatExceptionOfType(RedisConnectionException.class).isThrownBy(() -> ping(redis, "guessed"));
		}
	}

	@Test
	void serverEndsWhenClosed() throws Exception {
		EmbeddedRedis redis = EmbeddedRedis.start();
		redis.close();
		await().atMost(Duration.ofSeconds(30)).until(() -> !listens(redis.port()));
	}

	@Test
	void stoppedServerDoesNotAnswerAndKeepsTheData() throws Exception {
		try (EmbeddedRedis redis = EmbeddedRedis.start(); Socket client = connect(redis)) {
			assertThat(ask(client, "SET key value")).isEqualTo("+OK");
			redis.stop();
			await().atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThatExceptionOfType(SocketTimeoutException.class)
					.isThrownBy(() -> ask(client, "GET key")));
			redis.resume();
			client.setSoTimeout(30_000);
			assertThat(client.getInputStream().read()).isEqualTo('$');
		}
	}

	@Test
	void fullServerRefusesWhatNeedsMemoryUntilItIsEmptied() throws Exception {
		try (EmbeddedRedis redis = EmbeddedRedis.start(); Socket client = connect(redis)) {
			assertThat(ask(client, "SET key value")).isEqualTo("+OK");
			redis.fill();
			assertThat(ask(client, "SET other value")).startsWith("-OOM");
			assertThat(ask(client, "EXISTS key")).as("nothing is evicted").isEqualTo(":1");
			redis.empty();
			assertThat(ask(client, "SET other value")).isEqualTo("+OK");
		}
	}

	@Test
	void demotedServerRefusesWritesAndKeepsTheDataUntilItIsPromoted() throws Exception {
		try (EmbeddedRedis redis = EmbeddedRedis.start(); Socket client = connect(redis)) {
			assertThat(ask(client, "SET key value")).isEqualTo("+OK");
			redis.demote();
			assertThat(ask(client, "SET other value")).startsWith("-READONLY");
			assertThat(ask(client, "EXISTS key")).isEqualTo(":1");
			redis.promote();
			assertThat(ask(client, "SET other value")).isEqualTo("+OK");
			assertThat(ask(client, "EXISTS key")).isEqualTo(":1");
		}
	}

	@Test
	void deniedUserMaySetAKeyAndNotItsTimeUntilItIsAllowed() throws Exception {
		try (EmbeddedRedis redis = EmbeddedRedis.start(); Socket client = connect(redis)) {
			assertThat(ask(client, "SET key value")).isEqualTo("+OK");
			redis.deny();
			assertThat(ask(client, "PEXPIRE key 60000")).startsWith("-NOPERM");
			assertThat(ask(client, "SET key value PX 60000")).isEqualTo("+OK");
			redis.allow();
			assertThat(ask(client, "PEXPIRE key 60000")).isEqualTo(":1");
		}
	}

	@Test
	void restartedServerHasItsPortAndPasswordAndNoData() throws Exception {
		try (EmbeddedRedis redis = EmbeddedRedis.start()) {
			try (Socket client = connect(redis)) {
				assertThat(ask(client, "SET key value")).isEqualTo("+OK");
			}
			redis.restart();
			try (Socket client = connect(redis)) {
				assertThat(ask(client, "EXISTS key")).isEqualTo(":0");
			}
			redis.close();
			await().atMost(Duration.ofSeconds(30)).until(() -> !listens(redis.port()));
		}
	}

	@Test
	void serverGoesOnHoweverMuchItLogs() throws Exception {
		try (EmbeddedRedis redis = EmbeddedRedis.start(); Socket client = connect(redis)) {
			client.setSoTimeout(30_000);
			for (int i = 0; i < 500; i++) {
				assertThat(ask(client, "REPLICAOF 127.0.0.1 1")).isEqualTo("+OK");
				assertThat(ask(client, "REPLICAOF NO ONE")).isEqualTo("+OK");
			}
		}
	}

	@Test
	void stoppedServerEndsWhenClosed() throws Exception {
		EmbeddedRedis redis = EmbeddedRedis.start();
		redis.stop();
		redis.close();
		await().atMost(Duration.ofSeconds(30)).until(() -> !listens(redis.port()));
	}

	@Test
	void serverEndsWhenTheJvmIsKilled() throws Exception {
		Process jvm = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), Holder.class.getName())
			.redirectError(ProcessBuilder.Redirect.DISCARD)
			.start();
		try (BufferedReader output = jvm.inputReader()) {
			int port = Integer.parseInt(output.readLine());
			assertThat(listens(port)).isTrue();
			jvm.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
			await().atMost(Duration.ofSeconds(30)).until(() -> !listens(port));
		}
	}

	private static String ping(EmbeddedRedis redis, String password) {
		RedisClient client = RedisClient.create(RedisURI.builder()
			.withHost("127.0.0.1")
			.withPort(redis.port())
			.withPassword(password.toCharArray())
			.build());
		try (StatefulRedisConnection<String, String> connection = client.connect()) {
			return connection.sync().ping();
		}
		finally {
			client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
		}
	}

	private static Socket connect(EmbeddedRedis redis) throws IOException {
		Socket client = new Socket(InetAddress.getLoopbackAddress(), redis.port());
		client.setSoTimeout(500);
		assertThat(ask(client, "AUTH " + redis.password())).isEqualTo("+OK");
		return client;
	}

	private static String ask(Socket client, String command) throws IOException {
		client.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
		StringBuilder answer = new StringBuilder();
		for (int read = client.getInputStream().read(); read != '\n'; read = client.getInputStream().read()) {
			answer.append((char) read);
		}
		return answer.toString().strip();
	}

	private static boolean listens(int port) throws IOException {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			return true;
		}
		catch (ConnectException ex) {
			return false;
		}
	}

	/**
	 * Starts a Redis, tells its port and stays until it is killed.
	 */
	static final class Holder {

		private Holder() {
		}

		public static void main(String[] args) throws Exception {
			System.out.println(EmbeddedRedis.start().port());
			new java.util.concurrent.CountDownLatch(1).await();
		}

	}

}
