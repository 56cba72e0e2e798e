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

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.testsupport.RespFrames.Frame;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link FaultProxy} against a real server.
 */
@ExtendWith(RedisExtension.class)
class FaultProxyTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	private static final Duration SILENCE = Duration.ofMillis(200);

	private final RedisServer redis;

	private FaultProxy proxy;

	FaultProxyTests(RedisServer redis) {
		this.redis = redis;
	}

	@BeforeEach
	void openProxy() {
		this.proxy = FaultProxy.to(this.redis);
	}

	@AfterEach
	void closeProxy() {
		this.proxy.close();
	}

	@Test
	void droppedReplyIsOfACommandThatWasExecuted() {
		Fault fault = this.proxy.dropNextReply("SET lost");
		try (RespClient client = connect()) {
			assertThat(client.command("SET", "kept", "1")).isEqualTo("OK");
			assertThat(fault.hasStruck()).isFalse();
			assertConnectionIsLost(() -> client.command("SET", "lost", "1"));
		}
		fault.awaitStrike(SOON);
		assertThat(this.redis.cli("GET", "lost")).isEqualTo("1");
		try (RespClient client = connect()) {
			assertThat(client.command("SET", "lost", "2")).isEqualTo("OK");
		}
	}

	@Test
	void oneMessageIsLostAndTheNextArrives() throws IOException {
		Fault fault = this.proxy.loseNextMessage("one");
		try (RespClient subscriber = connect(); RespClient publisher = connect()) {
			subscriber.send("SUBSCRIBE", "one");
			assertThat(subscriber.receive()).isEqualTo(List.of("subscribe", "one", 1L));
			assertThat(publisher.command("PUBLISH", "one", "first")).isEqualTo(1L);
			assertThat(publisher.command("PUBLISH", "one", "second")).isEqualTo(1L);
			assertThat(subscriber.receive()).isEqualTo(List.of("message", "one", "second"));
		}
		fault.awaitStrike(SOON);
		assertThat(fault.struckWords()).containsExactly("message", "one", "first");
	}

	@Test
	void oneMessageArrivesTwice() throws IOException {
		Fault fault = this.proxy.repeatNextMessage("one");
		try (RespClient subscriber = connect(); RespClient publisher = connect()) {
			subscriber.send("SUBSCRIBE", "one");
			assertThat(subscriber.receive()).isEqualTo(List.of("subscribe", "one", 1L));
			publisher.command("PUBLISH", "one", "first");
			publisher.command("PUBLISH", "one", "second");
			for (String message : List.of("first", "first", "second")) {
				assertThat(subscriber.receive()).isEqualTo(List.of("message", "one", message));
			}
		}
		assertThat(fault.hasStruck()).isTrue();
	}

	@Test
	void exactlyOneReplyOfAPipelineIsDropped() throws IOException {
		this.proxy.dropNextReply("INCR b");
		try (RespClient client = connect()) {
			client.send("INCR", "a");
			client.send("INCR", "b");
			assertThat(client.receive()).isEqualTo(1L);
			assertConnectionIsLost(client::receive);
		}
		assertThat(this.redis.cli("MGET", "a", "b")).isEqualTo(List.of("1", "1"));
	}

	@Test
	void droppedRequestIsNeverExecuted() {
		Fault fault = this.proxy.dropNextRequest("SET lost");
		try (RespClient client = connect()) {
			assertConnectionIsLost(() -> client.command("SET", "lost", "1"));
		}
		fault.awaitStrike(SOON);
		assertThat(this.redis.cli("GET", "lost")).isNull();
	}

	@Test
	void rewrittenReplyIsOfACommandThatWasExecuted() throws IOException {
		Fault fault = this.proxy.rewriteNextReply("INCR b", "-LOADING Redis is loading the dataset in memory");
		try (RespClient client = connect()) {
			client.send("INCR", "a");
			client.send("INCR", "b");
			client.send("INCR", "c");
			assertThat(client.receive()).isEqualTo(1L);
			assertThatExceptionOfType(RespException.class).isThrownBy(client::receive)
				.withMessage("LOADING Redis is loading the dataset in memory");
			assertThat(client.receive()).isEqualTo(1L);
		}
		fault.awaitStrike(SOON);
		assertThat(this.redis.cli("GET", "b")).isEqualTo("1");
	}

	@Test
	void answeredCommandIsNeverExecutedAndKeepsItsPlace() throws IOException {
		this.proxy.delay(Duration.ofMillis(50));
		Fault first = this.proxy.answerNext("INCR a", "-MOVED 1 127.0.0.1:1");
		Fault second = this.proxy.answerNext("INCR c", "-OOM command not allowed");
		try (RespClient client = connect()) {
			for (String key : List.of("a", "b", "c", "d")) {
				client.send("INCR", key);
			}
			assertThatExceptionOfType(RespException.class).isThrownBy(client::receive)
				.withMessage("MOVED 1 127.0.0.1:1");
			assertThat(client.receive()).isEqualTo(1L);
			assertThatExceptionOfType(RespException.class).isThrownBy(client::receive).withMessageStartingWith("OOM");
			assertThat(client.receive()).isEqualTo(1L);
		}
		first.awaitStrike(SOON);
		second.awaitStrike(SOON);
		assertThat(this.redis.cli("EXISTS", "a", "c")).isEqualTo(0L);
	}

	@Test
	void messagesAreNotTakenForReplies() throws IOException {
		try (RespClient subscriber = connect(); RespClient publisher = connect()) {
			subscriber.send("SUBSCRIBE", "one", "two");
			assertThat(subscriber.receive()).isEqualTo(List.of("subscribe", "one", 1L));
			assertThat(subscriber.receive()).isEqualTo(List.of("subscribe", "two", 2L));
			this.proxy.rewriteNextReply("PING", "-ERR rewritten");
			publisher.command("PUBLISH", "one", "hello");
			assertThat(subscriber.receive()).isEqualTo(List.of("message", "one", "hello"));
			assertThatExceptionOfType(RespException.class).isThrownBy(() -> subscriber.command("PING"))
				.withMessage("ERR rewritten");
		}
	}

	@Test
	void pushedMessagesOfResp3AreNotTakenForReplies() throws IOException {
		try (Resp3Client client = new Resp3Client(this.proxy.host(), this.proxy.port())) {
			client.send("HELLO 3", "SUBSCRIBE one two", "GET absent", "PUBLISH one hello", "INCR a", "INCR b");
			this.proxy.rewriteNextReply("INCR c", "-ERR rewritten");
			client.send("INCR c", "INCR d");
			assertThat(client.receive(10)).extracting(Frame::type)
				.containsExactly('%', '>', '>', '_', '>', ':', ':', ':', '-', ':');
		}
	}

	@Test
	void stalledTrafficArrivesLateWhenHealed() throws IOException {
		try (RespClient client = connect()) {
			client.command("PING");
			this.proxy.stall();
			client.send("SET", "late", "1");
			assertSilence(client);
			assertThat(this.redis.cli("GET", "late")).isNull();
			this.proxy.heal();
			await().atMost(SOON).until(() -> "1".equals(this.redis.cli("GET", "late")));
			assertThat(client.receive()).isEqualTo("OK");
		}
	}

	@Test
	void blackHoleSwallowsSilentlyAndHealingResetsWhatHasHoles() throws IOException {
		try (RespClient victim = connect(); RespClient idle = connect()) {
			victim.command("PING");
			idle.command("PING");
			this.proxy.blackHole();
			victim.send("SET", "swallowed", "1");
			assertSilence(victim);
			try (RespClient late = connect()) {
				late.send("PING");
				assertSilence(late);
			}
			this.proxy.heal();
			assertConnectionIsLost(victim::receive);
			assertThat(idle.command("PING")).isEqualTo("PONG");
			assertThat(this.redis.cli("GET", "swallowed")).isNull();
		}
	}

	@Test
	void cutOneWayLosesOnlyThatWay() throws IOException {
		try (RespClient client = connect()) {
			client.command("PING");
			this.proxy.cutOneWay(Direction.TO_CLIENT);
			client.send("SET", "arrived", "1");
			assertSilence(client);
			assertThat(this.redis.cli("GET", "arrived")).isEqualTo("1");
		}
		this.proxy.heal();
		try (RespClient client = connect()) {
			this.proxy.cutOneWay(Direction.TO_SERVER);
			client.send("SET", "arrived", "2");
			assertSilence(client);
			assertThat(this.redis.cli("GET", "arrived")).isEqualTo("1");
		}
	}

	@Test
	void halfClosedConnectionStillTakesCommands() throws IOException {
		try (RespClient client = connect()) {
			client.command("PING");
			this.proxy.halfClose();
			assertThatExceptionOfType(EOFException.class).isThrownBy(client::receive);
			client.send("SET", "after", "1");
			client.send("SET", "later", "1");
			await().atMost(SOON).until(() -> this.redis.cli("EXISTS", "after", "later").equals(2L));
		}
	}

	@Test
	void refusedConnectionsFailAtOnceUntilHealed() {
		try (RespClient open = connect()) {
			assertThat(open.command("PING")).isEqualTo("PONG");
			this.proxy.refuseConnections();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(this::connect)
				.withCauseInstanceOf(ConnectException.class);
			assertThat(open.command("PING")).isEqualTo("PONG");
			this.proxy.heal();
			try (RespClient again = connect()) {
				assertThat(again.command("PING")).isEqualTo("PONG");
			}
		}
	}

	@Test
	void resetHitsEveryOpenConnection() {
		try (RespClient one = connect(); RespClient two = connect()) {
			one.command("PING");
			two.command("PING");
			this.proxy.resetConnections();
			assertConnectionIsLost(() -> one.command("PING"));
			assertConnectionIsLost(() -> two.command("PING"));
		}
	}

	@Test
	void faultWhoseClientIsGoneBeforeTheAnswerHasStruck() throws IOException {
		Fault fault = this.proxy.rewriteNextReply("SET x", "-READONLY no master any more");
		this.proxy.delay(Direction.TO_CLIENT, SOON.multipliedBy(2));
		try (Resp3Client client = new Resp3Client(this.proxy.host(), this.proxy.port())) {
			client.send("SET x 1");
			await().atMost(SOON).until(() -> "1".equals(this.redis.cli("GET", "x")));
			assertThat(fault.hasStruck()).isFalse();
			client.socket.setSoLinger(true, 0);
		}
		fault.awaitStrike(SOON);
		this.proxy.delay(Direction.TO_CLIENT, Duration.ZERO);
		try (RespClient client = connect()) {
			assertThat(client.command("SET", "x", "2")).isEqualTo("OK");
		}
	}

	@Test
	void healingForgetsFaultsThatDidNotStrike() {
		Fault fault = this.proxy.dropNextReply("PING");
		this.proxy.heal();
		try (RespClient client = connect()) {
			assertThat(client.command("PING")).isEqualTo("PONG");
		}
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> fault.awaitStrike(Duration.ZERO))
			.withMessageContaining("'PING'");
	}

	/**
	 * Otherwise healing could overlook a connection with a hole, which then stays silent.
	 */
	@Test
	void lossIsNotedBeforeTheNetworkIsWholeAgain() throws Exception {
		LinkConditions conditions = new LinkConditions();
		conditions.set(Direction.TO_SERVER, LinkConditions.Traffic.LOST);
		Thread healer = new Thread(conditions::clear);
		AtomicBoolean noted = new AtomicBoolean();
		boolean passes = conditions.awaitPassage(Direction.TO_SERVER, () -> {
			healer.start();
			await().until(() -> healer.getState() == Thread.State.BLOCKED);
			noted.set(true);
		});
		assertThat(passes).isFalse();
		assertThat(noted).isTrue();
		healer.join();
		assertThat(conditions.awaitPassage(Direction.TO_SERVER, () -> noted.set(false))).isTrue();
	}

	private RespClient connect() {
		return RespClient.connect(this.proxy.host(), this.proxy.port(), SOON);
	}

	private void assertSilence(RespClient client) throws IOException {
		client.timeout(SILENCE);
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(client::receive);
		client.timeout(SOON);
	}

	private void assertConnectionIsLost(ThrowingCallable action) {
		assertThatExceptionOfType(Exception.class).isThrownBy(action).satisfies((ex) -> {
			Throwable cause = (ex instanceof UncheckedIOException) ? ex.getCause() : ex;
			assertThat(cause).isInstanceOf(SocketException.class).hasMessageContaining("reset");
		});
	}

	/**
	 * Sends commands in plain text and shows the frames that come back.
	 */
	private static final class Resp3Client implements AutoCloseable {

		private final Socket socket;

		private final RespFrames frames;

		Resp3Client(String host, int port) throws IOException {
			this.socket = new Socket(host, port);
			this.socket.setSoTimeout(5000);
			this.frames = new RespFrames(this.socket.getInputStream());
		}

		void send(String... commands) throws IOException {
			for (String command : commands) {
				this.socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
			}
		}

		List<Frame> receive(int count) throws IOException {
			List<Frame> received = new ArrayList<>();
			while (received.size() < count) {
				received.add(this.frames.next());
			}
			return received;
		}

		@Override
		public void close() throws IOException {
			this.socket.close();
		}

	}

}
