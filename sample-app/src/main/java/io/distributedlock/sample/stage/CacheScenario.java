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

final class CacheScenario implements Scenario {

	private static final int READERS = 100;

	@Override
	public String title() {
		return "Cache stampede";
	}

	@Override
	public String story() {
		return """
				A cache entry expires. 100 readers find that out at the same moment, on both instances;
				loading it from the database takes half a second.""";
	}

	@Override
	public List<Finding> play(Instances instances) {
		String price = "/cache/" + Instances.fresh("book");
		instances.first().get(price);
		instances.first().delete(price);
		List<Answer> answers = instances.atOnce(READERS, (instance) -> instance.get(price));
		return List.of(
				Finding.number("readers who got the price", READERS,
						count(answers, "CACHE", "CACHE_AFTER_WAIT", "DATABASE")),
				Finding.number("loads from the database since it expired", 1, count(answers, "DATABASE")),
				Finding.number("different prices", 1,
						answers.stream().map((answer) -> answer.text("cents")).distinct().count()));
	}

	private static long count(List<Answer> answers, String... sources) {
		return answers.stream().filter((answer) -> List.of(sources).contains(answer.text("source"))).count();
	}

}
