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

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.List;
import java.util.stream.StreamSupport;

import org.springframework.scheduling.support.CronExpression;

final class ScheduledJobScenario implements Scenario {

	private static final CronExpression SCHEDULE = CronExpression.parse("*/3 * * * * *");

	private static final Duration TIME_TO_SET_UP = Duration.ofSeconds(1);

	private static final Duration TIME_TO_RUN = Duration.ofMillis(1500);

	@Override
	public String title() {
		return "Scheduled job once per cluster";
	}

	@Override
	public String story() {
		return """
				A cron job reads five documents and appends a line of keywords for each to a file.
				It fires on both instances at the same second, first without the lock, then with it.""";
	}

	@Override
	public List<Finding> play(Instances instances) {
		List<String> without = fireOnce(instances, "/keywords/schedule?locked=false");
		List<String> with = fireOnce(instances, "/keywords/schedule?locked=true");
		return List.of(Finding.number("lines in the file without the lock", 10, without.size()),
				Finding.number("lines in the file with the lock", 5, with.size()),
				Finding.number("instances that wrote them", 1, with.stream().distinct().count()),
				Finding.note("it was", with.stream().distinct().toList()));
	}

	private List<String> fireOnce(Instances instances, String schedule) {
		if (untilNextTick().compareTo(TIME_TO_SET_UP) < 0) {
			Pause.of(TIME_TO_SET_UP);
		}
		instances.first().delete("/keywords");
		instances.bothAtOnce((instance) -> instance.post(schedule));
		Pause.of(untilNextTick().plus(TIME_TO_RUN));
		instances.bothAtOnce((instance) -> instance.delete("/keywords/schedule"));
		return StreamSupport.stream(instances.second().get("/keywords").body().spliterator(), false)
			.map((line) -> line.path("instance").asString())
			.toList();
	}

	private static Duration untilNextTick() {
		LocalDateTime now = LocalDateTime.now();
		LocalDateTime next = SCHEDULE.next(now);
		return (next != null) ? Duration.between(now, next) : Duration.ZERO;
	}

}
