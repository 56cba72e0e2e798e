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

/**
 * Tests for {@link Incidents}, without a page. {@link PageTests} see them on the page.
 */
class IncidentsTests {

	@Test
	@Timeout(120)
	void holderOfADeletedKeyLearnsOfItAtItsNextRenewal() throws Exception {
		try (Stage stage = Stage.open(new MockEnvironment());
				LiveFeed.Subscription events = stage.feed().subscribe(null)) {
			assertThat(stage.incidents().begin(Incidents.DELETED_KEY)).isTrue();
			assertThat(stage.incidents().begin(Incidents.DELETED_KEY)).as("at the same time").isFalse();
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
			assertThat(unconfirmed(stage)).as("seconds since the grant").isBetween(3.0, 18.0);
		}
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
