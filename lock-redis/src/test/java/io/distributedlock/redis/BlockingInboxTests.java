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

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.Protocol;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import io.distributedlock.testsupport.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link BlockingInbox}.
 */
class BlockingInboxTests {

	private static final String CHANNEL = "lock:inbox:blocking";

	private final Semaphore subscriptions = new Semaphore(0);

	private final RedisServer server = RedisServer.shared();

	private final RedisFixture redis = new RedisFixture();

	@AfterEach
	void close() {
		this.redis.close();
	}

	@Test
	void subscribesAgainOverAnotherSocketAndLeavesNoReaderBehind() throws Exception {
		StringRedisTemplate template = this.redis.jedis(RedisFixture.address(this.server));
		try (BlockingInbox inbox = open(template.getRequiredConnectionFactory())) {
			awaitSubscription();
			Set<Thread> before = readers();
			assertThat(before).isNotEmpty();
			await().pollDelay(Duration.ofMillis(200)).until(() -> true);
			inbox.resubscribe();
			awaitSubscription();
			await().atMost(RedisFixture.PATIENCE).untilAsserted(() -> {
				assertThat(this.server.cli("PUBSUB", "NUMSUB", CHANNEL)).isEqualTo(List.of(CHANNEL, 1L));
				assertThat(readers()).hasSameSizeAs(before).isNotEqualTo(before);
			});
		}
	}

	@Test
	void connectionReturnsToThePoolOnlyAfterTheLastWrite() throws Exception {
		CountDownLatch used = new CountDownLatch(1);
		SlowSockets sockets = new SlowSockets(this.server, used);
		JedisConnectionFactory connectionFactory = this.redis.jedis(sockets);
		BlockingInbox inbox = open(connectionFactory);
		awaitSubscription();
		Thread closing = new Thread(inbox::close);
		closing.start();
		assertThat(sockets.unsubscribing.await(10, TimeUnit.SECONDS)).isTrue();
		try (RedisConnection next = connectionFactory.getConnection()) {
			byte[] key = "blocking-inbox".getBytes();
			next.stringCommands().set(key, "right".getBytes());
			assertThat(next.stringCommands().get(key)).asString().isEqualTo("right");
		}
		finally {
			used.countDown();
			closing.join();
		}
		assertThat(sockets.opened).hasValue(1);
	}

	@Test
	void subscribesAgainIfTheSubscriptionEndedUnasked() throws Exception {
		SlowSockets sockets = new SlowSockets(this.server, new CountDownLatch(0));
		JedisConnectionFactory connectionFactory = this.redis.jedis(sockets);
		try (RedisConnection connection = connectionFactory.getConnection()) {
			Jedis jedis = (Jedis) connection.getNativeConnection();
			jedis.getConnection().sendCommand(Protocol.Command.UNSUBSCRIBE);
		}
		try (BlockingInbox inbox = open(connectionFactory)) {
			awaitSubscription();
			assertThat(this.server.cli("PUBSUB", "NUMSUB", CHANNEL)).isEqualTo(List.of(CHANNEL, 1L));
			assertThat(sockets.opened).hasValue(2);
		}
	}

	private BlockingInbox open(RedisConnectionFactory connectionFactory) {
		InboxListener listener = new InboxListener(RedisFixture.listener((told) -> this.subscriptions.release()),
				Duration.ofSeconds(3), (key) -> null);
		InboxWatch watch = new InboxWatch(listener, Duration.ofSeconds(1), CompletableFuture::new, () -> {
		}, System::nanoTime);
		BlockingInbox inbox = new BlockingInbox(connectionFactory, CHANNEL.getBytes(), watch);
		inbox.open();
		return inbox;
	}

	private void awaitSubscription() throws InterruptedException {
		assertThat(this.subscriptions.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
	}

	private static Set<Thread> readers() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("distributed-lock-redis-inbox"))
			.collect(Collectors.toSet());
	}

	/**
	 * Sockets whose writer is still busy after the server has got what was written to end
	 * a subscription.
	 */
	private static final class SlowSockets implements JedisSocketFactory {

		private final RedisServer server;

		private final CountDownLatch delay;

		final CountDownLatch unsubscribing = new CountDownLatch(1);

		final AtomicInteger opened = new AtomicInteger();

		SlowSockets(RedisServer server, CountDownLatch delay) {
			this.server = server;
			this.delay = delay;
		}

		@Override
		public Socket createSocket() {
			this.opened.incrementAndGet();
			Socket socket = new Socket() {

				@Override
				public OutputStream getOutputStream() throws IOException {
					return new FilterOutputStream(super.getOutputStream()) {

						@Override
						public void write(byte[] bytes, int offset, int length) throws IOException {
							this.out.write(bytes, offset, length);
							if (new String(bytes, offset, length).contains("UNSUBSCRIBE")) {
								dawdle();
							}
						}

					};
				}

			};
			try {
				socket.connect(new InetSocketAddress(this.server.host(), this.server.port()));
				return socket;
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		private void dawdle() {
			this.unsubscribing.countDown();
			try {
				this.delay.await(1, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
