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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.store.test.StoreClient;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.FaultProxy;
import io.distributedlock.testsupport.OutputCaptureExtension;
import io.distributedlock.testsupport.RedisExtension;
import io.distributedlock.testsupport.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link OutageLog}.
 */
@ExtendWith(OutputCaptureExtension.class)
class OutageLogTests {

	@RegisterExtension
	static final RedisExtension extension = RedisExtension.with(RedisServer.builder());

	/** It is not known which node has a key. */
	private static final Map<String, String> UNKNOWN = Map.of("a", "");

	private static final LockUnavailableException FAILURE = new LockUnavailableException("a", "No answer.", null);

	private static final LockUnavailableException REFUSAL = new LockUnavailableException("a",
			"Redis refuses lock 'a'. It does not accept the credentials.", null);

	private final RedisFixture redis = new RedisFixture();

	private FaultProxy proxy;

	@BeforeEach
	void open() {
		this.proxy = FaultProxy.to(extension.server());
	}

	@AfterEach
	void close() {
		this.redis.close();
		this.proxy.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void outageIsLoggedOnceAtItsBeginningAndOnceAtItsEnd(String client, CapturedOutput output) {
		StoreClient store = this.redis.client(this.redis.template(client, RedisFixture.address(this.proxy)),
				RedisFixture.impatient());
		awaitAnswer(store);
		int before = lines(output).size();
		this.proxy.refuseConnections();
		this.proxy.resetConnections();
		for (int i = 0; i < 5; i++) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> store.find("a"))
				.withMessageNotContaining("load of Redis");
		}
		assertThat(lines(output)).hasSize(before + 1).last().asString().contains("WARN", "does not answer");
		this.proxy.heal();
		awaitAnswer(store);
		assertThat(lines(output)).hasSize(before + 2).last().asString().contains("INFO", "answers again, after");
	}

	@Test
	void silenceOfAConnectedServerIsNotReportedAsALostConnection() {
		StoreClient store = this.redis.impatientClient(this.proxy);
		this.proxy.stall();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> store.find("a"))
			.withMessageContaining("load of Redis")
			.withNoCause();
		this.proxy.heal();
	}

	@Test
	void simultaneouslyUnansweredCallsAreOneOutageAndOneReconnect(CapturedOutput output) {
		StoreClient store = this.redis.impatientClient(this.proxy);
		int before = lines(output).size();
		this.proxy.blackHole();
		List<CompletableFuture<?>> calls = new ArrayList<>();
		for (int i = 0; i < 3_000; i++) {
			calls.add(store.store().find("a" + i));
		}
		// Otherwise those that were not sent yet would be answered
		await().atMost(RedisFixture.PATIENCE).until(() -> calls.stream().anyMatch(CompletableFuture::isDone));
		this.proxy.heal();
		await().atMost(RedisFixture.PATIENCE.multipliedBy(3)).until(() -> {
			// Answers over the new connection, between the timeouts of the others
			store.store().find("b");
			return calls.stream().allMatch(CompletableFuture::isDone);
		});
		awaitAnswer(store);
		// A busy machine may add a real one
		assertThat(lines(output)).hasSizeBetween(before + 2, before + 8).last().asString().contains("answers again");
		assertThat(output.toString().lines().filter((line) -> line.contains("Reconnecting to Redis")))
			.hasSizeLessThan(5);
	}

	@Test
	void failureToOpenTheInboxIsPartOfTheOutage(CapturedOutput output) throws Exception {
		StoreClient store = this.redis.impatientClient(this.proxy);
		this.proxy.refuseConnections();
		this.proxy.resetConnections();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> store.find("a"));
		CountDownLatch subscribed = new CountDownLatch(1);
		store.store().listen("app@host~waiter", RedisFixture.listener((told) -> {
			if (told.equals("subscribed")) {
				subscribed.countDown();
			}
		}));
		assertThat(subscribed.await(1, TimeUnit.SECONDS)).isFalse();
		this.proxy.heal();
		assertThat(subscribed.await(1, TimeUnit.MINUTES)).isTrue();
		assertThat(output).contains("does not answer").doesNotContain("Cannot subscribe");
	}

	@Test
	void closeIsNotLoggedAsAnOutage(CapturedOutput output) {
		StoreClient store = this.redis.client(this.proxy);
		store.store().close();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> store.find("a"))
			.withMessageContaining("closed");
		assertThat(lines(output)).isEmpty();
	}

	@Test
	void nodesOfAClusterHaveSeparateOutagesEvenIfKeysMove(CapturedOutput output) {
		Map<String, String> nodes = new HashMap<>(Map.of("a", "one", "b", "two"));
		OutageLog outageLog = new OutageLog("Redis Cluster", Duration.ZERO);
		failed(outageLog, "a", nodes);
		answered(outageLog, "b", nodes);
		failed(outageLog, "a", nodes);
		assertThat(lines(output)).singleElement().asString().contains("Redis Cluster, node one, does not answer");
		nodes.put("a", "three");
		answered(outageLog, "a", nodes);
		assertThat(lines(output)).hasSize(2).last().asString().contains("node one, answers again");
	}

	@Test
	void outageOfAnUnknownNodeDoesNotEndWithTheNextAnswer(CapturedOutput output) {
		OutageLog outageLog = new OutageLog("Redis", Duration.ofHours(1));
		failed(outageLog, "a", Map.of("a", ""));
		answered(outageLog, "b", Map.of("b", ""));
		failed(outageLog, "a", Map.of("a", ""));
		assertThat(lines(output)).singleElement().asString().contains("Redis does not answer");
	}

	@Test
	void outageOfAnUnknownNodeEndsAtItsFirstAnswerOnceNothingHasFailedForLongEnough(CapturedOutput output) {
		AtomicLong seconds = new AtomicLong();
		OutageLog outageLog = answeredAfterFiveSeconds(seconds);
		assertThat(lines(output)).hasSize(1);
		seconds.set(30);
		answered(outageLog, "a", UNKNOWN);
		// It was awaited for a second
		assertThat(lines(output)).hasSize(2).last().asString().contains("Redis answers again, after 6s");
	}

	private static OutageLog answeredAfterFiveSeconds(AtomicLong seconds) {
		OutageLog outageLog = new OutageLog("Redis", Duration.ofSeconds(10),
				() -> Duration.ofSeconds(seconds.get()).toNanos());
		failed(outageLog, "a", UNKNOWN);
		seconds.set(5);
		answered(outageLog, "a", UNKNOWN);
		return outageLog;
	}

	@Test
	void failureLongAfterAnAnswerIsAnotherOutage(CapturedOutput output) {
		AtomicLong seconds = new AtomicLong();
		OutageLog outageLog = answeredAfterFiveSeconds(seconds);
		seconds.set(30);
		failed(outageLog, "a", UNKNOWN);
		assertThat(lines(output)).hasSize(3)
			.satisfies((lines) -> assertThat(lines.get(1)).contains("Redis answers again, after 6s"))
			.last()
			.asString()
			.contains("Redis does not answer");
		seconds.set(60);
		failed(outageLog, "a", UNKNOWN);
		assertThat(lines(output)).as("nothing was answered in between").hasSize(3);
	}

	@Test
	void refusalOfTheCredentialsIsNotReportedAsSilence(CapturedOutput output) {
		OutageLog outageLog = new OutageLog("Redis", Duration.ZERO);
		refused(outageLog);
		refused(outageLog);
		assertThat(lines(output)).singleElement()
			.asString()
			.contains("Redis refuses its clients. New locks")
			.doesNotContain("does not answer");
	}

	@Test
	void refusalByAServerThatDidNotAnswerBeforeIsLoggedOnce(CapturedOutput output) {
		OutageLog outageLog = new OutageLog("Redis", Duration.ZERO);
		for (int i = 0; i < 3; i++) {
			failed(outageLog, "a", UNKNOWN);
			refused(outageLog);
		}
		assertThat(lines(output)).satisfiesExactly((first) -> assertThat(first).contains("Redis does not answer"),
				(second) -> assertThat(second)
					.endsWith("Redis refuses its clients now. The failure is: " + REFUSAL.getMessage()));
		answered(outageLog, "a", UNKNOWN);
		assertThat(lines(output)).hasSize(3).last().asString().contains("answers again");
	}

	private static void refused(OutageLog outageLog) {
		outageLog.failed(bytes("a"), (key) -> "", REFUSAL, Duration.ofSeconds(1));
	}

	private static void awaitAnswer(StoreClient store) {
		await().atMost(RedisFixture.PATIENCE.multipliedBy(3))
			.ignoreExceptionsInstanceOf(LockUnavailableException.class)
			.until(() -> store.find("a") == null);
	}

	private static void failed(OutageLog outageLog, String key, Map<String, String> nodes) {
		outageLog.failed(bytes(key), (bytes) -> nodes.get(new String(bytes, StandardCharsets.UTF_8)), FAILURE,
				Duration.ofSeconds(1));
	}

	private static void answered(OutageLog outageLog, String key, Map<String, String> nodes) {
		outageLog.answered(bytes(key), (bytes) -> nodes.get(new String(bytes, StandardCharsets.UTF_8)));
	}

	private static byte[] bytes(String key) {
		return key.getBytes(StandardCharsets.UTF_8);
	}

	private static List<String> lines(CapturedOutput output) {
		return output.toString().lines().filter((line) -> line.contains(".OutageLog ")).toList();
	}

}
