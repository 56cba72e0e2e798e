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
import java.util.stream.Stream;

final class JobScenario implements Scenario {

	private static final int JOBS = 6;

	@Override
	public String title() {
		return "Job processing, skip if taken";
	}

	@Override
	public String story() {
		return """
				A worker on each instance goes through the same six jobs. A job that the other one is
				processing is skipped without a wait. The lease of 300 s is renewed while a job runs.""";
	}

	@Override
	public List<Finding> play(Instances instances) {
		List<String> jobs = Stream.generate(() -> "/jobs/" + Instances.fresh("job")).limit(JOBS).toList();
		List<List<Answer>> passes = instances.bothAtOnce((worker) -> jobs.stream().map(worker::post).toList());
		List<String> results = passes.stream().flatMap(List::stream).map((answer) -> answer.text("result")).toList();
		List<Integer> runs = jobs.stream().map((job) -> instances.first().get(job + "/runs").body().size()).toList();
		long skipped = results.stream().filter((result) -> !result.equals("PROCESSED")).count();
		return List.of(new Finding("runs of each job", List.of(1, 1, 1, 1, 1, 1), runs),
				Finding.number("attempts that processed a job", JOBS, results.size() - skipped),
				Finding.number("attempts that skipped a job", JOBS, skipped), Finding
					.that("at least one was skipped because it was taken at that moment", results.contains("TAKEN")));
	}

}
