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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Incidents}, without a page. {@link PageTests} see them on the page.
 */
class IncidentsTests {

	/** On a busy machine, the first command takes long. */
	private static final String PATIENT = "--distributed-lock.redis.command-timeout=20s";

	@Test
	@Timeout(120)
	void holderOfADeletedKeyLearnsOfItBeforeItsNextRenewal() throws Exception {
		try (Stage stage = Stage.open(new MockEnvironment(), PATIENT);
				LiveFeed.Subscription events = stage.feed().subscribe(null)) {
			assertThat(stage.incidents().begin(Incidents.DELETED_KEY)).isTrue();
			assertThat(stage.incidents().begin(Incidents.DELETED_KEY)).as("at the same time").isFalse();
			assertThat(stage.incidents().begin(Incidents.PAUSED_HOLDER)).as("another at the same time").isFalse();
			List<String> told = new ArrayList<>();
			while (told.size() < 3) {
				LiveFeed.Message message = events.next(60, TimeUnit.SECONDS);
				assertThat(message).as("after %s", told).isNotNull();
				if (message.data().contains("incident:deleted")
						&& (message.type().equals("deleted") || message.data().matches(".*\"(Acquired|Lost)\".*"))) {
					told.add(message.data());
				}
			}
			assertThat(told.get(0)).contains("\"Acquired\"");
			assertThat(told.get(1)).doesNotContain("event");
			assertThat(told.get(2)).contains("\"Lost\"", "\"KEY_VANISHED\"");
			assertThat(unconfirmed(stage)).as("seconds since the store was asked to watch it").isBetween(1.0, 5.0);
		}
	}

	@Test
	@Timeout(120)
	void fullRedisRenewsWhatIsHeldAndRefusesWhatIsNew() throws Exception {
		List<String> told = play(Incidents.FULL_REDIS, "incident:");
		List<String> meanwhile = meanwhile(told, "is full");
		assertThat(meanwhile).filteredOn((event) -> event.contains("\"Renewed\""))
			.first()
			.asString()
			.contains("\"instance-1\"");
		assertThat(meanwhile).filteredOn((event) -> event.contains("\"NotAcquired\""))
			.singleElement()
			.asString()
			.contains("\"instance-2\"", "\"UNAVAILABLE\"", "incident:new");
		assertThat(meanwhile).filteredOn((event) -> event.contains("\"Acquired\""))
			.as("handed off")
			.singleElement()
			.asString()
			.contains("\"instance-2\"", "incident:full");
		assertThat(told).noneMatch((event) -> event.contains("\"Lost\""))
			.last()
			.asString()
			.contains("\"Released\"", "incident:new");
	}

	@Test
	@Timeout(120)
	void readOnlyRedisRenewsNothingAndItsHolderLearnsOfIt() throws Exception {
		List<String> told = play(Incidents.READ_ONLY_REDIS, "incident:");
		List<String> meanwhile = meanwhile(told, "is read-only");
		assertThat(meanwhile).filteredOn((event) -> event.contains("\"NotAcquired\""))
			.singleElement()
			.asString()
			.contains("\"instance-2\"", "\"UNAVAILABLE\"", "incident:new");
		assertThat(meanwhile).filteredOn((event) -> event.contains("\"Lost\""))
			.singleElement()
			.asString()
			.contains("\"instance-1\"", "incident:read-only", "\"STORE_UNREACHABLE\"", "READONLY");
		assertThat(meanwhile).noneMatch((event) -> event.contains("\"Renewed\""))
			.noneMatch((event) -> event.contains("\"Acquired\""));
		assertThat(told).last().asString().contains("\"Released\"", "incident:new");
	}

	@Test
	@Timeout(120)
	void redisWithoutTheRightToRenewGrantsALockAndRenewsNoneUntilTheRightIsBack() throws Exception {
		List<String> told = play(Incidents.DENYING_REDIS, "incident:");
		List<String> meanwhile = meanwhile(told, "refuses PEXPIRE");
		assertThat(meanwhile).filteredOn((event) -> event.contains("\"Lost\""))
			.singleElement()
			.asString()
			.contains("\"instance-1\"", "incident:right", "\"STORE_UNREACHABLE\"", "Its user lacks a permission",
					"ACL SETUSER");
		assertThat(meanwhile).filteredOn((event) -> event.contains("\"NotAcquired\""))
			.as("does not wait for the right")
			.singleElement()
			.asString()
			.contains("\"instance-2\"", "incident:right", "\"UNAVAILABLE\"");
		assertThat(meanwhile).filteredOn((event) -> event.contains("incident:new"))
			.satisfiesExactly((acquired) -> assertThat(acquired).contains("\"Acquired\""),
					(released) -> assertThat(released).contains("\"Released\""));
		assertThat(meanwhile).noneMatch((event) -> event.contains("\"Renewed\""));
		assertThat(told).filteredOn((event) -> event.contains("incident:again"))
			.anyMatch((event) -> event.contains("\"Renewed\""))
			.last()
			.asString()
			.contains("\"Released\"");
	}

	@Test
	@Timeout(120)
	void restartedRedisPassesTheLockToTheWaiterAndTheHolderLearnsOfIt() throws Exception {
		List<String> told = play(Incidents.RESTARTED_REDIS, "incident:restarted");
		assertThat(
				told.indexOf(told.stream().filter((event) -> event.contains("\"restarts\"")).findFirst().orElseThrow()))
			.as("held before")
			.isEqualTo(1);
		assertThat(told).filteredOn((event) -> event.contains("\"Lost\""))
			.singleElement()
			.asString()
			.contains("\"instance-1\"")
			.containsAnyOf("\"KEY_VANISHED\"", "\"TAKEN_BY_OTHER\"");
		List<Long> tokens = told.stream()
			.filter((event) -> event.contains("\"Acquired\""))
			.map((event) -> Long.valueOf(event.replaceFirst(".*\"token\":(\\d+).*", "$1")))
			.toList();
		assertThat(tokens).hasSize(2).isSorted().doesNotHaveDuplicates();
	}

	/** What is told of Redis, and of locks whose names begin so, until it is over. */
	private static List<String> play(String incident, String locks) throws Exception {
		try (Stage stage = Stage.open(new MockEnvironment(), PATIENT);
				LiveFeed.Subscription events = stage.feed().subscribe(null)) {
			assertThat(stage.incidents().begin(incident)).isTrue();
			List<String> told = new ArrayList<>();
			while (true) {
				LiveFeed.Message message = events.next(60, TimeUnit.SECONDS);
				assertThat(message).as("after %s", told).isNotNull();
				if (message.type().equals("incident") && message.data().contains("\"happening\":false")) {
					assertThat(order(stage.instances().second())).as("afterwards").isEqualTo(Answer.OK);
					assertThat(stage.incidents().disturbScenarios()).as("afterwards").isFalse();
					return told;
				}
				if (message.type().equals("redis")
						|| message.type().equals("lock") && message.data().contains("\"lock\":\"" + locks)) {
					told.add(message.data());
				}
			}
		}
	}

	/** Between the beginning of the trouble and its end. */
	private static List<String> meanwhile(List<String> told, String trouble) {
		List<String> redis = told.stream().filter((event) -> event.contains("\"trouble\"")).toList();
		assertThat(redis).satisfiesExactly((begin) -> assertThat(begin).contains("\"trouble\":\"" + trouble + '"'),
				(end) -> assertThat(end).contains("\"trouble\":\"\""));
		return told.subList(told.indexOf(redis.get(0)), told.indexOf(redis.get(1)));
	}

	@Test
	@Timeout(120)
	void jobOfAKilledInstanceIsRunAgainByTheOtherOne() throws Exception {
		// The instance that is dead must say so before it is started again
		try (Stage stage = Stage.open(new MockEnvironment(), "--distributed-lock.redis.command-timeout=3s");
				LiveFeed.Subscription events = stage.feed().subscribe(null)) {
			Instance first = stage.instances().first();
			assertThat(order(first)).as("before").isEqualTo(Answer.OK);
			first.delete("/keywords");
			assertThat(stage.incidents().begin(Incidents.KILLED_INSTANCE)).isTrue();
			List<String> told = new ArrayList<>();
			while (told.isEmpty() || !told.get(told.size() - 1).contains("SUCCEEDED")) {
				LiveFeed.Message message = events.next(60, TimeUnit.SECONDS);
				assertThat(message).as("after %s", told).isNotNull();
				if (message.type().equals("killed")) {
					assertThat(order(first)).as("while it is dead").isNotEqualTo(Answer.OK);
				}
				if (message.type().equals("killed") || message.type().equals("job")
						|| message.data().contains("\"keyword-job\"") && message.data().contains("\"Lost\"")) {
					told.add(message.data());
				}
			}
			assertThat(told).satisfiesExactly((killed) -> assertThat(killed).contains("\"killed\":true"),
					(abandoned) -> assertThat(abandoned).contains("\"instance\":\"instance-2\"", "\"ABANDONED\"",
							"\"by\":\"instance-1\""),
					(again) -> assertThat(again).contains("\"instance\":\"instance-2\"", "\"repeated\":true",
							"\"by\":\"instance-2\""));
			List<String> writers = first.get("/keywords")
				.body()
				.valueStream()
				.map((line) -> line.path("instance").asString())
				.toList();
			assertThat(writers).filteredOn("instance-1"::equals).hasSizeBetween(2, 4);
			assertThat(writers).filteredOn("instance-2"::equals).hasSize(5);
			await().atMost(Browser.LONG).until(() -> order(first) == Answer.OK);
		}
	}

	@Test
	@Timeout(180)
	void jobThatAnOperatorHoldsIsRefusedOnBothInstancesAndRunLate() throws Exception {
		try (Stage stage = Stage.open(new MockEnvironment(), PATIENT)) {
			// What it missed while its schedule was stopped is nothing to tell
			Scenarios.ALL.get(1).script().apply(stage.instances());
			Pause.of(Scenarios.untilNextTick().plusSeconds(1));
			try (LiveFeed.Subscription events = stage.feed().subscribe(null)) {
				assertThat(stage.incidents().begin(Incidents.HELD_JOB)).isTrue();
				List<String> told = new ArrayList<>();
				List<String> jobs = new ArrayList<>();
				boolean over = false;
				while (!over) {
					LiveFeed.Message message = events.next(60, TimeUnit.SECONDS);
					assertThat(message).as("after %s", told).isNotNull();
					over = message.type().equals("incident") && message.data().contains("\"happening\":false");
					if (message.type().equals("job")) {
						jobs.add(message.data());
					}
					if (message.type().equals("operator")
							|| !told.isEmpty() && message.data().contains("\"keyword-job\"")
									&& message.data().matches(".*\"(NotAcquired|SUCCEEDED)\".*")) {
						told.add(message.data());
					}
				}
				assertThat(jobs).as("nothing was missed")
					.isNotEmpty()
					.allSatisfy((job) -> assertThat(job).contains("\"SUCCEEDED\"", "\"repeated\":false"));
				assertThat(told).first()
					.asString()
					.contains("\"keyword-job\"", "held by operator 'anonymous' (maintenance)");
				assertThat(told).filteredOn((event) -> event.contains("\"NotAcquired\""))
					.hasSizeGreaterThanOrEqualTo(2)
					.anyMatch((event) -> event.contains("\"instance-1\""))
					.anyMatch((event) -> event.contains("\"instance-2\""));
				assertThat(told).filteredOn((event) -> event.contains("\"SUCCEEDED\""))
					.singleElement()
					.asString()
					.contains("\"repeated\":false");
			}
		}
	}

	private static int order(Instance instance) {
		return instance.post("/orders/" + Instances.fresh("cart")).status();
	}

	private static double unconfirmed(Stage stage) {
		return stage.instances()
			.first()
			.get("/actuator/metrics/distributed.lock.lost.unconfirmed?tag=lock.name:incident&tag=cause:key_vanished")
			.body()
			.path("measurements")
			.valueStream()
			.filter((measurement) -> measurement.path("statistic").asString().equals("TOTAL_TIME"))
			.findFirst()
			.orElseThrow()
			.path("value")
			.asDouble();
	}

}
