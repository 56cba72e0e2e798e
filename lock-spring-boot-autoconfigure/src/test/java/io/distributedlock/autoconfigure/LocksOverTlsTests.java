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

import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import io.distributedlock.LockUnavailableException;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for locks on a Redis that speaks TLS. They are skipped if the server cannot: the
 * system property {@code lock.test.redis.server} names another.
 */
class LocksOverTlsTests {

	private static final char[] PASSWORD = "changeit".toCharArray();

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@TempDir
	private static Path directory;

	private static Path certificate;

	private static int port;

	private static RedisServer redis;

	@BeforeAll
	static void start() throws Exception {
		Path key = createCertificate();
		try (ServerSocket free = new ServerSocket(0)) {
			port = free.getLocalPort();
		}
		try {
			redis = RedisServer.builder()
				.embedded()
				.config("tls-port", String.valueOf(port))
				.config("tls-cert-file", certificate.toString())
				.config("tls-key-file", key.toString())
				.config("tls-ca-cert-file", certificate.toString())
				.config("tls-auth-clients", "no")
				.start();
		}
		catch (IllegalStateException ex) {
			Assumptions.assumeFalse(String.valueOf(ex.getMessage()).contains("Bad directive"),
					"This redis-server was built without TLS. Name another one with -Dlock.test.redis.server.");
			throw ex;
		}
	}

	@AfterAll
	static void stop() {
		if (redis != null) {
			redis.close();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void aLockIsHandedFromOneInstanceToTheNext(String client) {
		ApplicationContextRunner runner = runner(client).withPropertyValues("spring.data.redis.ssl.bundle=redis",
				"spring.ssl.bundle.pem.redis.truststore.certificate=" + certificate.toUri());
		runner.run((first) -> runner.run((second) -> {
			LockOptions options = LockOptions.ofLease(Duration.ofMinutes(5)).withWaitTime(PATIENCE);
			LockHandle held = first.getBean(LockService.class).acquire("order:" + client, options);
			CompletableFuture<LockHandle> next = second.getBean(LockService.class)
				.acquireAsync("order:" + client, options);
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat((List<?>) redis.cli("PUBSUB", "CHANNELS")).isNotEmpty());
			assertThat(next).isNotDone();
			held.close();
			try (LockHandle handle = next.join()) {
				assertThat(handle.isHeld()).isTrue();
			}
			assertThat(connections()).filteredOn((connection) -> !connection.contains("cmd=client|list"))
				.isNotEmpty()
				.allMatch((connection) -> connection.contains(":" + port + " "));
		}));
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void untrustedServerGetsNoCommand(String client) {
		runner(client).withPropertyValues("spring.data.redis.ssl.enabled=true")
			.run((context) -> assertThatExceptionOfType(LockUnavailableException.class)
				.isThrownBy(() -> context.getBean(LockService.class).acquire("untrusted:" + client)));
		assertThat(redis.cli("EXISTS", "lock:untrusted:" + client)).isEqualTo(0L);
	}

	private static List<String> connections() {
		return String.valueOf(redis.cli("CLIENT", "LIST")).lines().toList();
	}

	private static ApplicationContextRunner runner(String client) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
					DistributedLockAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.client-type=" + client, "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + port, "distributed-lock.redis.command-timeout=10s");
	}

	/** Writes a certificate that signs itself, and returns the file of its key. */
	private static Path createCertificate() throws Exception {
		Path store = directory.resolve("redis.p12");
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "redis", "-keyalg", "EC", "-validity", "2", "-dname", "CN=127.0.0.1", "-ext",
				"SAN=IP:127.0.0.1", "-storetype", "PKCS12", "-storepass", new String(PASSWORD), "-keystore",
				store.toString())
			.inheritIO()
			.start();
		assertThat(keytool.waitFor()).isZero();
		KeyStore keys = KeyStore.getInstance("PKCS12");
		try (InputStream content = Files.newInputStream(store)) {
			keys.load(content, PASSWORD);
		}
		certificate = writePem("CERTIFICATE", keys.getCertificate("redis").getEncoded());
		return writePem("PRIVATE KEY", keys.getKey("redis", PASSWORD).getEncoded());
	}

	private static Path writePem(String type, byte[] content) throws IOException {
		String body = Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(content);
		return Files.writeString(directory.resolve(type.replace(' ', '-') + ".pem"),
				"-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(type, body));
	}

}
