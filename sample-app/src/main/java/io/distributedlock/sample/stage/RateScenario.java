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
import java.util.List;

final class RateScenario implements Scenario {

	private static final Duration TIME_TO_RELEASE = Duration.ofMillis(200);

	@Override
	public String title() {
		return "Reactive method";
	}

	@Override
	public String story() {
		return """
				A method returns a Mono: a question to an exchange, which takes 2 s. Both instances ask at
				the same moment. Then an impatient caller asks and gives up after half a second.""";
	}

	@Override
	public List<Finding> play(Instances instances) {
		String rate = "/rates/" + Instances.fresh("currency");
		List<Answer> answers = instances.bothAtOnce((instance) -> instance.post(rate));
		List<Answer> given = answers.stream().filter((answer) -> answer.is(Answer.OK)).toList();
		List<Answer> refused = answers.stream()
			.filter((answer) -> given.stream().anyMatch(answer::isBusyBefore))
			.toList();
		Answer impatient = instances.first().post(rate + "?patience=500ms");
		Pause.of(TIME_TO_RELEASE);
		Answer next = instances.second().post(rate);
		return List.of(Finding.number("questions to the exchange", 1, given.size()),
				Finding.number("refused at once, while the question was under way", 1, refused.size()),
				new Finding("who asks, according to the refused caller", given.stream().map(Answer::instance).toList(),
						refused.stream().map((answer) -> answer.text("holder")).toList()),
				Finding.that("the impatient one was cancelled, and its lock is free",
						impatient.is(Answer.TOO_SLOW) && next.is(Answer.OK)));
	}

}
