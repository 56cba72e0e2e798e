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

final class PaymentScenario implements Scenario {

	private static final int CLIENTS = 5;

	@Override
	public String title() {
		return "Double payment";
	}

	@Override
	public String story() {
		return "Five threads pay the same order at the same moment; a payment takes 2 s.";
	}

	@Override
	public List<Finding> play(Instances instances) {
		String order = Instances.fresh("order");
		List<Answer> answers = instances.atOnce(CLIENTS, (instance) -> instance.post("/pay?user=7&order=" + order));
		List<Answer> paid = answers.stream().filter((answer) -> answer.is(Answer.OK)).toList();
		List<String> refusals = answers.stream()
			.filter((answer) -> paid.stream().anyMatch(answer::isBusyBefore))
			.map(Answer::detail)
			.toList();
		return List.of(
				Finding.number("payments in the database", 1,
						instances.first().get("/payments/" + order + "/count").body().asLong()),
				Finding.number("refused at once, while the payment was under way", CLIENTS - 1, refusals.size()),
				new Finding("what the refusals say", List.of("being processed, please do not submit again"),
						refusals.stream().distinct().toList()));
	}

}
