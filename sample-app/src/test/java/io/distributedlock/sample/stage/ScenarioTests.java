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
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

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

	private static List<ScenarioResult> results;

	private static String output;

	@BeforeAll
	static void play(CapturedOutput captured) throws Exception {
		redis = RedisServer.from(new MockEnvironment());
		// All of it begins at once, also on a busy machine
		launcher = new InstanceLauncher(redis, new LiveFeed(), "--distributed-lock.redis.command-timeout=20s");
		try (ServerSocket taken = new ServerSocket(firstFreeOf(8081))) {
			instances = launcher.launch();
		}
		results = Lanes.play(instances);
		output = captured.getOut();
	}

	@AfterAll
	static void end() {
		launcher.close();
		redis.close();
	}

	@Test
	void aDuplicateReportIsSkippedAndAFailedOneCanBeAskedForAgain() {
		assertThat(seen(1)).containsEntry("reports written", 1L)
			.containsEntry("duplicates skipped, without waiting for the report", 1L)
			.containsEntry("exception of the failed query, as its caller saw it", "502 QueryFailedException");
		assertAsExpected(1);
	}

	@Test
	void aScheduledJobRunsTwiceWithoutTheLockAndOnceWithIt() {
		assertThat(seen(2)).containsEntry("lines in the file without the lock", 10L)
			.containsEntry("lines in the file with the lock", 5L);
		assertThat(output).containsOnlyOnce("could not get the lock 'keyword-job'");
		assertAsExpected(2);
	}

	@Test
	void anOrderIsPaidOnceAndFourSubmissionsAreRefused() {
		assertThat(seen(3)).containsEntry("payments in the database", 1L)
			.containsEntry("refused at once, while the payment was under way", 4L)
			.containsEntry("what the refusals say", List.of("being processed, please do not submit again"));
		assertAsExpected(3);
	}

	@Test
	void theSameRequestIsRefusedUntilTheMinimumHoldHasPassed() {
		assertAsExpected(4);
	}

	@Test
	void stockIsNeverOversold() {
		assertThat(seen(5)).containsEntry("customers who got one", 25L)
			.containsEntry("pieces left in the database", 0L)
			.containsEntry("pieces sold in the database", 25L);
		assertAsExpected(5);
	}

	@Test
	void anExpiredCacheEntryIsLoadedOnce() {
		assertThat(seen(6)).containsEntry("readers who got the price", 100L)
			.containsEntry("loads from the database since it expired", 1L);
		assertAsExpected(6);
	}

	@Test
	void everyJobIsProcessedOnce() {
		assertThat(seen(7)).containsEntry("runs of each job", List.of(1, 1, 1, 1, 1, 1));
		assertAsExpected(7);
	}

	@Test
	void aLongTaskKeepsItsLockIfItIsRenewedAndLearnsOfTheLossIfNot() {
		assertThat(seen(8)).containsEntry("without renewal: the cause that the holder received", "LEASE_EXPIRED");
		assertAsExpected(8);
	}

	@Test
	void aLeaderThatResignsOrLosesItsLockIsSucceeded() {
		assertThat(seen(9)).containsEntry("it resigns, and the other one leads at once", true)
			.containsEntry("the key vanishes, and one of them leads within the lease", true)
			.containsEntry("the former leader learns of it within the lease", true)
			.containsEntry("leaders afterwards", 1L);
		assertAsExpected(9);
	}

	@Test
	void aPlainClientAndOursExcludeEachOther() {
		assertThat(seen(10)).containsEntry("meanwhile ours was refused, without waiting", true)
			.containsEntry("the worker in Python was refused while ours was at work", true);
		assertAsExpected(10);
	}

	@Test
	void aReactiveMethodRunsOnceAndGivesItsLockBackWhenItIsCancelled() {
		assertThat(seen(11)).containsEntry("questions to the exchange", 1L)
			.containsEntry("the impatient one was cancelled, and its lock is free", true);
		assertAsExpected(11);
	}

	@Test
	void anAsyncMethodRunsOnceAndRefusesByItsFuture() {
		assertThat(seen(12)).containsEntry("mailings sent", 1L)
			.containsEntry("refused by their futures, while it was being sent", 3L);
		assertAsExpected(12);
	}

	@Test
	void twoHoldersOverwriteEachOtherOnlyWithoutAFence() {
		assertThat(seen(13)).containsEntry("without a fence: balance after two deposits of 10", 10L)
			.containsEntry("with a fence: balance after two deposits of 10", 20L);
		assertAsExpected(13);
	}

	@Test
	void threeExportsRunAtATimeAndNeverMore() {
		assertThat(seen(14)).containsEntry("exports that finished", 9L)
			.containsEntry("never more than three at a time, as the database counts them", true)
			.containsEntry("three at a time were seen", true);
		assertAsExpected(14);
	}

	@Test
	void readersReadTogetherAndNeitherDisturbNorStarveTheOneThatRebuilds() {
		assertThat(seen(15)).containsEntry("rebuilds that got their turn among readers that never cease", 2L)
			.containsEntry("readers who were refused", 0L)
			.containsEntry("readers read at the same time", true)
			.containsEntry("readers who saw a part of the index before a rebuild and a part after it", 0L)
			.containsEntry("versions of the index that were read", List.of(0, 1, 2));
		assertAsExpected(15);
	}

	@Test
	void allScenariosWerePlayedAsExpected() {
		assertThat(results).hasSize(15).doesNotContainNull().allMatch(ScenarioResult::asExpected);
		assertThat(output).contains("All scenarios finished: 1 of 1 as expected").doesNotContain("✗");
	}

	@Test
	void aPortThatIsTakenIsReplacedByAFreeOne() {
		assertThat(instances.toString()).doesNotContain(":8081 ");
	}

	@Test
	void anInstanceIsReachableFromThisMachineOnlyAndByItsOwnNamesOnly() throws IOException {
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

	private static Map<String, Object> seen(int scenario) {
		return results.get(scenario - 1).findings().stream().collect(Collectors.toMap(Finding::what, Finding::seen));
	}

	private static void assertAsExpected(int scenario) {
		assertThat(results.get(scenario - 1).findings()).isNotEmpty().allMatch(Finding::asExpected);
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
