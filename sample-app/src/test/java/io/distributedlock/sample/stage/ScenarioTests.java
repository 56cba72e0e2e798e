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

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Plays the scenarios once, on a real Redis and two instances, and looks at what was
 * seen.
 */
@ExtendWith(OutputCaptureExtension.class)
class ScenarioTests {

	private static RedisServer redis;

	private static InstanceLauncher launcher;

	private static Instances instances;

	/** They mostly wait, and share no name: in each lane, one after the other. */
	private static final List<List<Integer>> LANES = List.of(List.of(2, 1, 12, 14), List.of(8, 10, 9),
			List.of(5, 6, 7, 11, 4, 3, 13, 15));

	private static final Map<Integer, List<Finding>> accounts = new ConcurrentHashMap<>();

	private static String output;

	@BeforeAll
	static void play(CapturedOutput captured) throws Exception {
		redis = RedisServer.from(new MockEnvironment());
		// All of it begins at once, also on a busy machine
		launcher = new InstanceLauncher(redis, new LiveFeed(), "--distributed-lock.redis.command-timeout=20s");
		try (ServerSocket taken = new ServerSocket(firstFreeOf(8081))) {
			instances = launcher.launch();
		}
		instances.awaitHealthy();
		ExecutorService threads = Executors.newFixedThreadPool(LANES.size());
		try {
			for (Future<Object> lane : threads.invokeAll(LANES.stream().map(ScenarioTests::lane).toList())) {
				lane.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		output = captured.getOut();
	}

	private static Callable<Object> lane(List<Integer> numbers) {
		return Executors.callable(() -> numbers.forEach((number) -> {
			Scenario scenario = Scenarios.ALL.get(number - 1);
			accounts.put(number, new Account(instances, List.of(scenario), new LiveFeed()).write().get(0));
		}));
	}

	@AfterAll
	static void end() {
		launcher.close();
		redis.close();
	}

	@ParameterizedTest(name = "scenario {0}")
	@MethodSource
	void everyScenarioIsPlayedAsExpected(int number) {
		assertThat(account(number)).isNotEmpty().allMatch(Finding::asExpected);
	}

	static IntStream everyScenarioIsPlayedAsExpected() {
		return IntStream.rangeClosed(1, 15);
	}

	/** So that no scenario expects less than the documentation says. */
	@ParameterizedTest(name = "scenario {0}: {1}")
	@CsvSource(delimiter = '|', textBlock = """
			1  | ✓ reports written: 1
			1  | ✓ duplicates skipped, without waiting for the report: 1
			1  | ✓ exception of the failed query, as its caller saw it: 502 QueryFailedException
			2  | ⚠ lines in the file without a lock: 10 (shown on purpose: written twice)
			2  | ⚠ lines in the file with a lock alone: 10 (shown on purpose: written twice)
			2  | ✓ lines in the file, once per fire time: 5
			3  | ✓ payments in the database: 1
			3  | ✓ refused at once, while the payment was under way: 4
			3  | ✓ what the refusals say: being processed, please do not submit again
			4  | ✓ still refused after 1.5 s
			5  | ⚠ without the lock: sold 40 of 25, 15 too many (shown on purpose: oversold)
			5  | ⚠ released before the commit: sold 40 of 25, 15 too many (shown on purpose: oversold)
			5  | ✓ with the lock: sold 25 of 25
			5  | ⚠ without the lock: pieces sold in the database: 40 (shown on purpose: oversold)
			5  | ⚠ released before the commit: pieces sold in the database: 40 (shown on purpose: oversold)
			5  | ✓ with the lock: customers who were told that it is sold out: 15
			5  | ✓ with the lock: pieces left in the database: 0
			5  | ✓ with the lock: pieces sold in the database: 25
			6  | ✓ readers who got the price: 100
			6  | ✓ loads from the database since it expired: 1
			7  | ✓ runs of each job: 1, 1, 1, 1, 1, 1
			8  | ✓ with renewal: still held at the end
			8  | ✓ without renewal: it stopped before all parts were written
			9  | ✓ it resigns, and the other one leads at once
			9  | ✓ the key vanishes, and one of them leads within the lease
			9  | ✓ the former leader learns of it within the lease
			9  | ✓ leaders afterwards: 1
			10 | ✓ meanwhile ours was refused, without waiting
			10 | ✓ the worker in Python was refused while ours was at work
			11 | ✓ questions to the exchange: 1
			11 | ✓ the impatient one was cancelled, and its lock is free
			12 | ✓ mailings sent: 1
			12 | ✓ refused by their futures, while it was being sent: 3
			13 | ⚠ without a fence: balance after two deposits of 10: 10 (shown on purpose: one deposit is lost)
			13 | ✓ with a fence: balance after two deposits of 10: 20
			14 | ✓ exports that finished: 9
			14 | ✓ never more than three at a time, as the database counts them
			14 | ✓ three at a time were seen
			15 | ✓ rebuilds that got their turn among readers that never cease: 2
			15 | ✓ readers who were refused: 0
			15 | ✓ readers read at the same time
			15 | ✓ readers who saw a part of the index before a rebuild and a part after it: 0
			15 | ✓ versions of the index that were read: 0, 1, 2
			""")
	void aScenarioHasSeenWhatItIsAbout(int number, String finding) {
		assertThat(account(number)).map(Finding::toString).contains(finding);
	}

	@Test
	void whoDoesNotRenewItsLeaseLearnsThatItHasEnded() {
		String cause = "✓ without renewal: the cause that the holder received: ";
		assertThat(account(8)).map(Finding::toString).containsAnyOf(cause + "LEASE_EXPIRED", cause + "PROCESS_PAUSED");
	}

	@Test
	void whoFindsNothingLeftIsToldWhatIsSoldOut() {
		instances.first().put("/stock/pear?quantity=0");
		Answer answer = instances.second().post("/stock/pear/purchase");
		assertThat(answer.status()).isEqualTo(Answer.SOLD_OUT);
		assertThat(answer.detail()).isEqualTo("Sold out: product 'pear' has none left.");
	}

	@Test
	void instancesAreNamedInWords() {
		assertThat(account(14)).map(Finding::toString).contains("· exported by: instance-1 (5), instance-2 (4)");
		assertThat(account(2)).map(Finding::toString).contains("· it was: instance-1");
		assertThat(accounts.values()).flatMap((account) -> account)
			.map(Finding::toString)
			.noneMatch((finding) -> finding.contains("{instance-") || finding.contains("[instance-"));
	}

	@Test
	void jobWhoseScheduleIsStoppedMissesNothing() {
		Answer locks = instances.first().get("/actuator/locks");
		assertThat(locks.body().path("jobs").valueStream()).singleElement().satisfies((job) -> {
			assertThat(job.path("name").asString()).isEqualTo(Scenarios.JOB);
			assertThat(job.path("missed").asInt(0)).isZero();
			assertThat(job.path("lastRun").isObject()).isFalse();
		});
	}

	@Test
	void theAccountsAreWritten() {
		assertThat(accounts).hasSize(Scenarios.ALL.size());
		assertThat(output).containsOnlyOnce("of job 'keyword-job' was run by instance 'instance-1'")
			.contains("All scenarios finished: 1 of 1 as expected")
			.doesNotContain("✗");
	}

	@Test
	void occupiedPortIsReplacedByAFreePort() {
		assertThat(instances.toString()).doesNotContain(":8081 ");
	}

	@Test
	void instanceIsReachableOnlyFromThisMachineAndOnlyByItsOwnNames() throws IOException {
		int port = URI.create(instances.first().url()).getPort();
		assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> new Socket("127.0.0.2", port).close());
		for (String path : List.of("/actuator/locks", "/accounts/7")) {
			assertThat(statusOf(port, path, "localhost:" + port)).isEqualTo("200");
			assertThat(statusOf(port, path, "127.0.0.1")).isEqualTo("200");
			assertThat(statusOf(port, path, "rebinding.example:" + port)).isEqualTo("403");
		}
	}

	/** With a name that no client of the JDK would send. */
	private static String statusOf(int port, String path, String host) throws IOException {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
			socket.getOutputStream()
				.write("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(path, host)
					.getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8).split(" ")[1];
		}
	}

	private static List<Finding> account(int number) {
		return accounts.get(number);
	}

	/** If the port is taken already, by whomever, so much the better. */
	private static int firstFreeOf(int port) {
		try (ServerSocket socket = new ServerSocket(port)) {
			return socket.getLocalPort();
		}
		catch (Exception ex) {
			return 0;
		}
	}

}
