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

final class ReportScenario implements Scenario {

	@Override
	public String title() {
		return "Report query, skip duplicates";
	}

	@Override
	public String story() {
		return """
				An impatient click has queued a query twice; workers on both instances pick it up.
				Then a query fails: its caller gets the exception itself, and can ask again.""";
	}

	@Override
	public List<Finding> play(Instances instances) {
		String report = "/reports/" + Instances.fresh("query");
		List<Answer> answers = instances.bothAtOnce((instance) -> instance.post(report));
		List<Answer> written = answers.stream().filter((answer) -> answer.is(Answer.OK)).toList();
		List<Answer> skipped = answers.stream()
			.filter((answer) -> written.stream().anyMatch(answer::isBusyBefore))
			.toList();
		Answer failed = instances.first().post(report + "?failOnce=true");
		Answer again = instances.second().post(report);
		return List.of(Finding.number("reports written", 1, written.size()),
				Finding.number("duplicates skipped, without waiting for the report", 1, skipped.size()),
				new Finding("who runs it, according to the caller that skipped",
						written.stream().map(Answer::instance).toList(),
						skipped.stream().map((answer) -> answer.text("holder")).toList()),
				new Finding("exception of the failed query, as its caller saw it", "502 QueryFailedException",
						failed.status() + " " + failed.text("exception")),
				Finding.that("the other instance could run it right afterwards", again.is(Answer.OK)));
	}

}
