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
import java.util.TreeMap;
import java.util.stream.Collectors;

final class InvoiceExportScenario implements Scenario {

	private static final int PERMITS = 3;

	private static final int EXPORTS = 9;

	@Override
	public String title() {
		return "At most three at a time";
	}

	@Override
	public String story() {
		return """
				Nine clients want invoices exported, on both instances at the same moment. The database
				bears three exports at a time, on all instances together: the others wait for a permit.""";
	}

	@Override
	public List<Finding> play(Instances instances) {
		List<Answer> answers = instances.atOnce(EXPORTS,
				(instance) -> instance.post("/invoices/" + Instances.fresh("month") + "/export"));
		List<Answer> finished = answers.stream().filter((answer) -> answer.is(Answer.OK)).toList();
		int mostAtOnce = finished.stream().mapToInt((answer) -> answer.body().path("atOnce").asInt()).max().orElse(0);
		return List.of(Finding.number("exports that finished", EXPORTS, finished.size()),
				Finding.that("never more than three at a time, as the database counts them", mostAtOnce <= PERMITS),
				Finding.that("three at a time were seen", mostAtOnce >= PERMITS),
				Finding.note("exported by", finished.stream()
					.collect(Collectors.groupingBy(Answer::instance, TreeMap::new, Collectors.counting()))));
	}

}
