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

import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class AccountTests {

	private static final Instances NOWHERE = Instances.at("http://localhost:1", "http://localhost:2");

	@Test
	void unexpectedFindingsAreVisible(CapturedOutput output) {
		List<List<Finding>> results = new Account(NOWHERE,
				List.of(told(Finding.number("sum", 3, 3)), told(Finding.number("lines", 5, 10))), new LiveFeed())
			.write();
		assertThat(results).map(Finding::areAsExpected).containsExactly(true, false);
		assertThat(output).contains("✓ sum: 3")
			.contains("✗ lines: expected 5, but saw 10")
			.contains("✗ Not all as expected: only 1 of 2 scenarios");
	}

	@Test
	void badResultThatWasExpectedIsNoTick(CapturedOutput output) {
		List<List<Finding>> results = new Account(NOWHERE,
				List.of(told(Finding.number("lines", 10, 10).shows("written twice")),
						told(Finding.number("sheets", 10, 5).shows("written twice"))),
				new LiveFeed())
			.write();
		assertThat(results).map(Finding::areAsExpected).containsExactly(true, false);
		assertThat(output).contains("⚠ lines: 10 (shown on purpose: written twice)")
			.contains("✗ sheets: expected 10, but saw 5")
			.doesNotContain("✓");
	}

	@Test
	void theAccountEndsWithTheSum(CapturedOutput output) {
		new Account(NOWHERE, List.of(told(Finding.number("sum", 3, 3)), told(Finding.number("lines", 5, 5))),
				new LiveFeed())
			.write();
		assertThat(output).contains("All scenarios finished: 2 of 2 as expected").doesNotContain("✗");
	}

	@Test
	void abortedScenarioIsNotAsExpected(CapturedOutput output) {
		List<List<Finding>> results = new Account(NOWHERE, List.of(Scenarios.ALL.get(2)), new LiveFeed()).write();
		assertThat(results).map(Finding::areAsExpected).containsExactly(false);
		assertThat(output).contains("✗ the scenario: expected to be played to its end")
			.contains("✗ Not all as expected: only 0 of 1 scenarios");
	}

	@Test
	void stepsOfAScenarioAreTold() throws Exception {
		LiveFeed feed = new LiveFeed();
		Scenario scenario = new Scenario("told", "A story.", (instances) -> {
			instances.step("first");
			return List.of();
		});
		try (LiveFeed.Subscription events = feed.subscribe(null)) {
			new Account(NOWHERE, List.of(scenario), feed).write();
			assertThat(events.next(10, TimeUnit.SECONDS).data()).contains("\"playing\":true");
			LiveFeed.Message step = events.next(10, TimeUnit.SECONDS);
			assertThat(step.type()).isEqualTo("step");
			assertThat(step.data()).contains("\"number\":1", "\"step\":\"first\"");
		}
	}

	private static Scenario told(Finding finding) {
		return new Scenario("told", "A story.", (instances) -> List.of(finding));
	}

}
