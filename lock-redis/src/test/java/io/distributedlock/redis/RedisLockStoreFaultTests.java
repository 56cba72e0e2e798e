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
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.distributedlock.LockUnavailableException;
import io.distributedlock.internal.Printable;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireRequest;
import io.distributedlock.store.ExtendOutcome;
import io.distributedlock.store.LeaseExtension;
import io.distributedlock.store.LockToken;
import io.distributedlock.store.RecordChange;
import io.distributedlock.store.ReleaseOutcome;
import io.distributedlock.store.StoreReport;
import io.distributedlock.store.test.StoreClient;
import io.distributedlock.testsupport.CapturedOutput;
import io.distributedlock.testsupport.Direction;
import io.distributedlock.testsupport.Fault;
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
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisLockStore} behind a bad network, and on a bad server.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisLockStoreFaultTests {

	@RegisterExtension
	static final RedisExtension extension = RedisExtension.with(RedisServer.builder());

	private static final Duration PATIENCE = RedisFixture.PATIENCE;

	private final RedisFixture redis = new RedisFixture();

	private final String name = "order:1";

	private RedisServer server;

	private FaultProxy proxy;

	@BeforeEach
	void open() {
		this.server = extension.server();
		this.server.flushAll();
		this.proxy = FaultProxy.to(this.server);
	}

	@AfterEach
	void close() {
		if (this.server.isRunning()) {
			this.server.resume();
		}
		this.redis.close();
		this.proxy.close();
	}

	@Test
	void resetOfTheConnectionIsSurvived() {
		StoreClient client = this.redis.client(this.proxy);
		this.proxy.resetConnections();
		LockToken token = client.newToken();
		assertThat(acquireUntilAnswered(client, token)).isInstanceOf(AcquireOutcome.Granted.class);
		assertThat(client.release(this.name, token)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void repeatedAcquireAfterALostReplyIsGranted() {
		StoreClient client = this.redis.client(this.proxy);
		Fault lost = this.proxy.dropNextReply(LockScript.ACQUIRE.sha);
		LockToken token = client.newToken();
		AcquireOutcome outcome = acquireUntilAnswered(client, token);
		lost.awaitStrike(PATIENCE);
		assertThat(outcome).isInstanceOf(AcquireOutcome.Granted.class);
		assertThat(RedisFixture.holder(this.server, this.name)).isEqualTo(token.text());
		assertThat(client.release(this.name, token)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	/** The first time it enters the queue, the second time it takes the lock. */
	@Test
	void requestThatIsExecutedTwiceLeavesNoPlaceInTheQueue() {
		StoreClient client = this.redis.client(this.redis.template("jedis", RedisFixture.address(this.proxy)),
				RedisFixture.settings());
		StoreClient holder = this.redis.client(this.server);
		holder.mustAcquire(this.name, holder.newToken());
		client.find("until it is connected");
		// Jedis sends it again at once, and it is under way when the lock becomes free
		this.proxy.delay(Direction.TO_SERVER, Duration.ofMillis(500));
		this.proxy.dropNextReply(LockScript.ACQUIRE.sha);
		LockToken token = client.newToken();
		CompletableFuture<AcquireOutcome> answer = client.store()
			.acquire(new AcquireRequest(this.name, token, StoreClient.LEASE, 1, StoreClient.PLACE));
		await().atMost(PATIENCE).until(() -> this.server.cli("ZCARD", queue()).equals(1L));
		this.server.cli("DEL", RedisFixture.key(this.name));
		assertThat(StoreClient.get(answer)).isInstanceOf(AcquireOutcome.Granted.class);
		assertThat(RedisFixture.holder(this.server, this.name)).isEqualTo(token.text());
		assertThat(this.server.cli("ZCARD", queue())).isEqualTo(0L);
	}

	private String queue() {
		return "{" + RedisFixture.key(this.name) + "}:queue";
	}

	@Test
	void repeatedReleaseAfterALostReplyIsNotReportedAsALoss() {
		StoreClient client = this.redis.client(this.proxy);
		LockToken token = client.newToken();
		client.mustAcquire(this.name, token);
		Fault lost = this.proxy.dropNextReply(LockScript.RELEASE.sha);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.release(this.name, token));
		lost.awaitStrike(PATIENCE);
		assertThat(RedisFixture.holder(this.server, this.name)).isNull();
		ReleaseOutcome repeated = await().atMost(PATIENCE)
			.ignoreExceptionsInstanceOf(LockUnavailableException.class)
			.until(() -> client.release(this.name, token), (outcome) -> true);
		assertThat(repeated).isEqualTo(ReleaseOutcome.ABSENT);
	}

	@Test
	void repeatedReplacementOfTheRecordAfterALostReplyIsAnsweredAsTheFirstTime() {
		StoreClient client = this.redis.client(this.proxy);
		LockToken token = client.newToken();
		client.mustAcquire(this.name, token);
		Fault lost = this.proxy.dropNextReply(LockScript.RECORD.sha);
		assertThat(untilAnswered(() -> client.replaceRecord(this.name, token, null, "one")))
			.isEqualTo(new RecordChange.Outcome.Replaced());
		lost.awaitStrike(PATIENCE);
		assertThat(this.redis.client(this.server).record(this.name)).isEqualTo("one");
	}

	@Test
	void replacementOfTheRecordThatIsRepeatedAfterTheLossOfTheLockIsUnavailable() {
		StoreClient client = this.redis.client(this.redis.template("jedis", RedisFixture.address(this.proxy)),
				RedisFixture.settings());
		LockToken token = client.newToken();
		client.mustAcquire(this.name, token);
		client.record("until the script is known");
		// Jedis sends it again at once, and it is under way when the lock is lost
		this.proxy.delay(Direction.TO_SERVER, Duration.ofMillis(500));
		this.proxy.dropNextReply(LockScript.RECORD.sha);
		CompletableFuture<RecordChange.Outcome> answer = client.store()
			.replaceRecord(new RecordChange(this.name, token, null, "one", StoreClient.LEASE));
		await().atMost(PATIENCE).until(() -> this.server.cli("EXISTS", record()).equals(1L));
		this.server.cli("DEL", RedisFixture.key(this.name));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> StoreClient.get(answer))
			.withMessageContaining("this may be the answer to a repetition");
		this.proxy.heal();
		assertThat(untilAnswered(() -> client.replaceRecord(this.name, token, null, "one")))
			.isEqualTo(new RecordChange.Outcome.NotHeld());
	}

	private String record() {
		return "{" + RedisFixture.key(this.name) + "}:record";
	}

	@Test
	void undeliveredCommandIsSentAgainOrReportedAsUnavailable() {
		StoreClient client = this.redis.client(this.proxy);
		LockToken token = client.newToken();
		client.mustAcquire(this.name, token);
		Fault lost = this.proxy.dropNextRequest(LockScript.EXTEND.sha);
		try {
			assertThat(client.extend(this.name, token, StoreClient.LEASE)).isEqualTo(ExtendOutcome.EXTENDED);
		}
		catch (LockUnavailableException ex) {
			assertThat(client.extend(this.name, token, StoreClient.LEASE)).isEqualTo(ExtendOutcome.EXTENDED);
		}
		lost.awaitStrike(PATIENCE);
	}

	@Test
	void demotedServerIsLeft() {
		StoreClient client = this.redis.client(this.proxy);
		FaultProxy before = this.proxy;
		assertThat(before.openConnections()).isEqualTo(1);
		String connection = connectionIds();
		this.proxy.answerNext(LockScript.ACQUIRE.sha, "READONLY You can't write against a read only replica.");
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> client.tryAcquire(this.name, client.newToken()));
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(connectionIds()).isNotEqualTo(connection).isNotEmpty());
		assertThat(acquireUntilAnswered(client, client.newToken())).isInstanceOf(AcquireOutcome.Granted.class);
	}

	@Test
	void serverThatStaysAReplicaIsReconnectedToEverLessOften(CapturedOutput output) {
		StoreClient client = this.redis.client(this.proxy);
		this.server.cli("REPLICAOF", "127.0.0.1", "1");
		try {
			long before = connectionsReceived();
			long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
			int refused = 0;
			while (System.nanoTime() - end < 0) {
				assertThatExceptionOfType(LockUnavailableException.class)
					.isThrownBy(() -> client.tryAcquire(this.name, client.newToken()));
				refused++;
			}
			// After 0, 250, 750 and 1,750 ms
			assertThat(refused).isGreaterThan(20);
			assertThat(connectionsReceived() - before).isBetween(1L, 12L);
			assertThat(output.toString().lines().filter((line) -> line.contains("as the server has become a replica")))
				.hasSize(1);
		}
		finally {
			this.server.cli("REPLICAOF", "NO", "ONE");
		}
		assertThat(acquireUntilAnswered(client, client.newToken())).isInstanceOf(AcquireOutcome.Granted.class);
	}

	private long connectionsReceived() {
		String stats = String.valueOf(this.server.cli("INFO", "stats"));
		return stats.lines()
			.filter((line) -> line.startsWith("total_connections_received:"))
			.mapToLong((line) -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
			.sum();
	}

	@Test
	void inspectionWhoseAnswerIsCutIsAnsweredByItsRepetition() {
		StoreClient client = this.redis.client(this.proxy);
		StoreClient.get(client.store().inspect());
		Fault cut = this.proxy.cutNextReply(LockScript.INSPECT.sha);
		StoreReport report = StoreClient.get(client.store().inspect());
		assertThat(cut.hasStruck()).isTrue();
		assertThat(report.findings()).isEmpty();
		assertThat(report.version()).isNotNull();
	}

	@ParameterizedTest
	@EnumSource(names = { "FIND", "DESCRIBE", "EXTEND" })
	void listThatIsCutIsNotMistakenForAnAnswer(LockScript script) {
		StoreClient client = this.redis.client(this.proxy);
		LockToken token = client.newToken();
		client.mustAcquire(this.name, token);
		Runnable question = () -> {
			switch (script) {
				case FIND -> client.find(this.name);
				case DESCRIBE -> StoreClient.get(client.store().describe(this.name));
				default -> client.extend(this.name, token, StoreClient.LEASE);
			}
		};
		question.run();
		Fault cut = this.proxy.cutNextReply(script.sha);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(question::run)
			.withMessageContaining("this may be the answer to a repetition");
		assertThat(cut.hasStruck()).isTrue();
		question.run();
	}

	@Test
	void garbageAnswerIsUnavailable() {
		StoreClient client = this.redis.client(this.proxy);
		this.proxy.rewriteNextReply(LockScript.FIND.sha, "ERR what is this");
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.find(this.name));
	}

	@Test
	void everyFutureCompletesWithinTheTimeoutIfNothingComesBack() {
		StoreClient client = this.redis.impatientClient(this.proxy);
		this.proxy.stall();
		LockToken token = client.newToken();
		long start = System.nanoTime();
		List<CompletableFuture<?>> futures = new ArrayList<>();
		futures.add(client.store().acquire(new AcquireRequest(this.name, token, StoreClient.LEASE, 1, null)));
		futures.addAll(client.store()
			.extend(List.of(new LeaseExtension(this.name, token, StoreClient.LEASE, LeaseExtension.Mode.EXACTLY, 1))));
		for (int i = 0; i < 40; i++) {
			futures.add(client.store().find(this.name));
		}
		futures.add(client.store().release(this.name, token));
		for (CompletableFuture<?> future : futures) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> StoreClient.get(future));
		}
		// Far less than one timeout after the other
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(RedisFixture.SHORT_TIMEOUT,
				RedisFixture.SHORT_TIMEOUT.multipliedBy(20));
	}

	@Test
	void timeoutBeforeThereIsAConnectionTellsHowLongTheCallReallyTook() {
		this.proxy.stall();
		StoreClient client = this.redis.coldClient(this.proxy);
		CompletableFuture<?> connecting = client.store().find(this.name);
		CompletableFuture<?> next = client.store().find(this.name);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> StoreClient.get(connecting));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> StoreClient.get(next))
			.withMessageContaining("within " + Printable.of(RedisFixture.SHORT_TIMEOUT.multipliedBy(4)));
	}

	@Test
	void acquireWithAnUnknownScriptDoesNotOvertakeTheRelease() {
		StoreClient client = this.redis.client(this.proxy);
		this.server.cli("SCRIPT", "FLUSH");
		this.server.cli("SCRIPT", "LOAD", new String(LockScript.RELEASE.source, StandardCharsets.UTF_8));
		// Both are on their way before the answer to the first comes back
		this.proxy.delay(Duration.ofMillis(100));
		LockToken token = client.newToken();
		CompletableFuture<?> acquire = client.store()
			.acquire(new AcquireRequest(this.name, token, StoreClient.LEASE, 1, null));
		CompletableFuture<ReleaseOutcome> release = client.store().release(this.name, token);
		assertThat(StoreClient.get(release)).isEqualTo(ReleaseOutcome.ABSENT);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> StoreClient.get(acquire));
		assertThat(client.find(this.name)).isNull();
	}

	@Test
	void releaseCleansUpAfterATimedOutAcquire() {
		StoreClient client = this.redis.impatientClient(this.proxy);
		this.server.pause();
		LockToken token = client.newToken();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.tryAcquire(this.name, token));
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.release(this.name, token));
		this.server.resume();
		await().atMost(PATIENCE).until(() -> calls("evalsha") >= 6);
		assertThat(this.server.cli("EXISTS", RedisFixture.key(this.name))).isEqualTo(0L);
		assertThat(this.redis.client(this.server).find(this.name)).isNull();
	}

	@Test
	void timedOutAcquireWithoutAReleaseIsExecuted() {
		StoreClient client = this.redis.impatientClient(this.proxy);
		this.server.pause();
		LockToken token = client.newToken();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.tryAcquire(this.name, token));
		this.server.resume();
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(RedisFixture.holder(this.server, this.name)).isEqualTo(token.text()));
	}

	@Test
	void callTimedOutWhileDisconnectedIsNeverSent() throws Exception {
		StoreClient client = this.redis.impatientClient(this.proxy);
		this.proxy.refuseConnections();
		this.proxy.resetConnections();
		LockToken token = client.newToken();
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.tryAcquire(this.name, token));
		this.proxy.heal();
		assertThat(acquireUntilAnswered(client, client.newToken())).isInstanceOf(AcquireOutcome.Granted.class);
		assertThat(RedisFixture.holder(this.server, this.name)).isNotEqualTo(token.text());
	}

	@Test
	void blackHoledConnectionIsReplacedAfterThreeTimeouts() {
		StoreClient client = this.redis.impatientClient(this.proxy);
		this.proxy.blackHole();
		for (int i = 0; i < 3; i++) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.find(this.name));
		}
		// The black hole swallows the end of the old one
		await().atMost(PATIENCE).until(() -> this.proxy.openConnections() >= 2);
		this.proxy.heal();
		assertThat(acquireUntilAnswered(client, client.newToken())).isInstanceOf(AcquireOutcome.Granted.class);
	}

	@Test
	void connectionIsKeptIfThereAreAnswersBetweenTheTimeouts(CapturedOutput output) {
		StoreClient client = this.redis.client(this.redis.lettuce(RedisFixture.address(this.proxy)),
				RedisFixture.impatient().withCommandTimeout(RedisFixture.SHORT_TIMEOUT.multipliedBy(3)));
		for (int i = 0; i < 3; i++) {
			await().atMost(PATIENCE)
				.ignoreExceptionsInstanceOf(LockUnavailableException.class)
				.until(() -> client.find(this.name) == null);
			this.proxy.stall();
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.find(this.name));
			this.proxy.heal();
		}
		assertThat(output).doesNotContain("Reconnecting to Redis");
	}

	@Test
	void blackHoledInboxIsReplacedWithTheConnection() throws Exception {
		StoreClient holder = this.redis.client(this.server);
		StoreClient waiter = this.redis.impatientClient(this.proxy).listen();
		this.proxy.blackHole();
		for (int i = 0; i < 3; i++) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> waiter.find(this.name));
		}
		// The black hole swallows the end of the two old ones
		await().atMost(PATIENCE).until(() -> this.proxy.openConnections() >= 4);
		this.proxy.heal();
		waiter.awaitSubscribed();
		assertHandedOff(holder, waiter);
	}

	@Test
	void inboxSubscribesAgainAfterEachReset() throws Exception {
		StoreClient waiter = this.redis.client(this.proxy).listen();
		for (int i = 0; i < 3; i++) {
			this.proxy.resetConnections();
			waiter.awaitSubscribed();
		}
		StoreClient holder = this.redis.client(this.server);
		assertHandedOff(holder, waiter);
	}

	@Test
	void brokenConnectionIsAnInterruptionAndTheFirstOneIsNot() {
		StoreClient client = this.redis.client(this.proxy);
		List<String> told = new CopyOnWriteArrayList<>();
		client.store().listen("app@host~told", RedisFixture.listener(told::add));
		await().atMost(PATIENCE).until(() -> !told.isEmpty());
		assertThat(told).containsExactly("subscribed");
		this.proxy.resetConnections();
		await().atMost(PATIENCE).until(() -> told.contains("interrupted"));
	}

	@Test
	void inboxKeepsTryingUntilRedisIsThere() throws Exception {
		this.proxy.refuseConnections();
		StoreClient waiter = this.redis.coldClient(this.proxy);
		waiter.store().listen("app@host~waiter", waiter);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> waiter.find(this.name));
		this.proxy.heal();
		waiter.awaitSubscribed();
	}

	@Test
	void storeIsCreatedAndAnswersWhileRedisIsDownAndRecovers() {
		this.server.kill();
		StoreClient client = this.redis.client(this.redis.lettuce(RedisFixture.address(this.server)),
				RedisFixture.impatient());
		client.store().warmUp();
		assertThatExceptionOfType(LockUnavailableException.class)
			.isThrownBy(() -> client.tryAcquire(this.name, client.newToken()))
			.withMessageContaining("Connection refused");
		this.server.restart();
		assertThat(acquireUntilAnswered(client, client.newToken())).isInstanceOf(AcquireOutcome.Granted.class);
	}

	@Test
	void restartOfRedisIsSurvivedAndFencingTokensStillIncrease() {
		StoreClient client = this.redis.client(this.proxy);
		LockToken token = client.newToken();
		long fence = client.mustAcquire(this.name, token);
		this.server.restart();
		LockToken next = client.newToken();
		AcquireOutcome outcome = acquireUntilAnswered(client, next);
		assertThat(((AcquireOutcome.Granted) outcome).fencingToken()).isGreaterThan(fence);
		assertThat(client.release(this.name, token)).isEqualTo(ReleaseOutcome.OTHER);
	}

	@Test
	void callsFailImmediatelyDuringALongOutageAndRecover() {
		StoreClient client = this.redis.impatientClient(this.proxy);
		this.proxy.refuseConnections();
		this.proxy.resetConnections();
		for (int i = 0; i < 4; i++) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.find(this.name));
		}
		long start = System.nanoTime();
		for (int i = 0; i < 1000; i++) {
			assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.find(this.name))
				.withMessageContaining("cannot be reached at present");
		}
		assertThat(Duration.ofNanos(System.nanoTime() - start))
			.isLessThan(RedisFixture.SHORT_TIMEOUT.multipliedBy(100));
		this.proxy.heal();
		assertThat(acquireUntilAnswered(client, client.newToken())).isInstanceOf(AcquireOutcome.Granted.class);
	}

	@Test
	void orderIsKeptWhileTheFirstConnectionIsBeingMade() throws Exception {
		for (int round = 0; round < 20; round++) {
			try (RedisFixture own = new RedisFixture()) {
				StoreClient client = own.client(this.server);
				String lock = this.name + round;
				LockToken token = client.newToken();
				client.store().acquire(new AcquireRequest(lock, token, StoreClient.LEASE, 1, null));
				CompletableFuture<ReleaseOutcome> release = client.store().release(lock, token);
				assertThat(release.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)).isEqualTo(ReleaseOutcome.RELEASED);
			}
		}
	}

	@Test
	void connectionFactoryOfTheApplicationMayBeStoppedAndStarted() throws Exception {
		StringRedisTemplate template = this.redis.lettuce(RedisFixture.address(this.server));
		StoreClient client = this.redis.client(RedisLockStore.withConnectionOf(template, RedisFixture.settings()))
			.listen();
		client.mustAcquire("before", client.newToken());
		LettuceConnectionFactory connectionFactory = (LettuceConnectionFactory) template.getRequiredConnectionFactory();
		connectionFactory.stop();
		connectionFactory.start();
		LockToken waiting = client.newToken();
		StoreClient holder = this.redis.client(this.server);
		LockToken held = holder.newToken();
		holder.mustAcquire(this.name, held);
		assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> client.queue(this.name, waiting));
		client.queue(this.name, waiting);
		client.awaitSubscribed();
		client.queue(this.name, waiting);
		holder.release(this.name, held);
		assertThat(client.awaitGrant().token()).isEqualTo(waiting);
	}

	@Test
	void closedStoreLeavesNoConnection() throws Exception {
		StoreClient client = this.redis.client(this.proxy).listen();
		assertThat(this.proxy.openConnections()).isEqualTo(2);
		client.store().close();
		await().atMost(PATIENCE).until(() -> this.proxy.openConnections() == 0);
	}

	private void assertHandedOff(StoreClient holder, StoreClient waiter) throws InterruptedException {
		LockToken held = holder.newToken();
		LockToken waiting = waiter.newToken();
		holder.mustAcquire(this.name, held);
		await().atMost(PATIENCE).ignoreExceptions().until(() -> waiter.queue(this.name, waiting) != null);
		holder.release(this.name, held);
		assertThat(waiter.awaitGrant().token()).isEqualTo(waiting);
	}

	private AcquireOutcome acquireUntilAnswered(StoreClient client, LockToken token) {
		return untilAnswered(() -> client.tryAcquire(this.name, token));
	}

	private static <T> T untilAnswered(Callable<T> command) {
		return await().atMost(PATIENCE)
			.ignoreExceptionsInstanceOf(LockUnavailableException.class)
			.until(command, (answer) -> true);
	}

	private String connectionIds() {
		return String.valueOf(this.server.cli("CLIENT", "LIST"))
			.lines()
			.filter((line) -> line.contains("evalsha") || line.contains("cmd=ping"))
			.map((line) -> line.replaceFirst("^id=(\\d+) .*$", "$1"))
			.toList()
			.toString();
	}

	private long calls(String command) {
		return this.server.commandStats().getOrDefault(command, 0L);
	}

}
