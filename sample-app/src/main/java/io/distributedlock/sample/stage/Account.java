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
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plays the scenarios and reports the findings. Different scenarios may be played at the
 * same time, because they share no name; the same one may not.
 */
final class Account implements AutoCloseable {

	private static final Logger account = LoggerFactory.getLogger("io.distributedlock.sample.account");

	private final Instances instances;

	private final List<Scenario> scenarios;

	private final LiveFeed feed;

	/** For each scenario, a permit to play it. */
	private final List<Semaphore> permits;

	private final ExecutorService threads = Executors.newCachedThreadPool((task) -> {
		Thread thread = new Thread(null, task, "scenario", 0, false);
		thread.setDaemon(true);
		return thread;
	});

	Account(Instances instances, List<Scenario> scenarios, LiveFeed feed) {
		this.instances = instances;
		this.scenarios = scenarios;
		this.feed = feed;
		this.permits = scenarios.stream().map((scenario) -> new Semaphore(1)).toList();
	}

	List<Map<String, Object>> programme() {
		return IntStream.range(0, this.scenarios.size())
			.mapToObj((index) -> Map.<String, Object>of("number", index + 1, "title", this.scenarios.get(index).title(),
					"story", this.scenarios.get(index).story()))
			.toList();
	}

	/** Play all scenarios, one after the other, and return what was seen in each. */
	List<List<Finding>> write() {
		List<List<Finding>> results = new ArrayList<>();
		for (int number = 1; number <= this.scenarios.size(); number++) {
			this.permits.get(number - 1).acquireUninterruptibly();
			results.add(write(number));
		}
		account.info("");
		account.info(summary(results));
		return results;
	}

	/**
	 * Play one scenario in a thread of its own.
	 * @return whether it begins: not if it is being played already
	 */
	boolean begin(int number) {
		if (!this.permits.get(number - 1).tryAcquire()) {
			return false;
		}
		this.threads.execute(() -> write(number));
		return true;
	}

	boolean isPlaying() {
		return this.permits.stream().anyMatch((permit) -> permit.availablePermits() == 0);
	}

	private List<Finding> write(int number) {
		try {
			Scenario scenario = this.scenarios.get(number - 1);
			account.info("");
			account.info("Scenario {} · {}", number, scenario.title());
			scenario.story().lines().forEach((line) -> account.info("  {}", line));
			publish(number, true, List.of());
			List<Finding> findings = play(number);
			findings.forEach((finding) -> account.info("  {}", finding));
			publish(number, false, findings);
			return findings;
		}
		finally {
			this.permits.get(number - 1).release();
		}
	}

	private void publish(int number, boolean playing, List<Finding> findings) {
		this.feed.publishState("scenario", Integer.toString(number),
				Map.of("number", number, "playing", playing, "asExpected", Finding.areAsExpected(findings), "findings",
						findings.stream().map(Finding::toString).toList()));
	}

	private static String summary(List<List<Finding>> results) {
		long asExpected = results.stream().filter(Finding::areAsExpected).count();
		return ((asExpected == results.size()) ? "All scenarios finished: %d of %d as expected"
				: "✗ Not all as expected: only %d of %d scenarios")
			.formatted(asExpected, results.size());
	}

	private List<Finding> play(int number) {
		Instances watched = this.instances
			.watchedBy((step) -> this.feed.publish("step", Map.of("number", number, "step", step)));
		try {
			return this.scenarios.get(number - 1).script().apply(watched);
		}
		catch (RuntimeException ex) {
			return List.of(new Finding("the scenario", "to be played to its end", ex.toString()));
		}
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
	}

}
