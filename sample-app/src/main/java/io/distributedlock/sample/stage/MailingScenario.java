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

final class MailingScenario implements Scenario {

	private static final int CLIENTS = 4;

	@Override
	public String title() {
		return "@Async method";
	}

	@Override
	public String story() {
		return """
				A newsletter is sent by a method that is @Async: its caller gets a future at once, and the
				lock is taken in the thread of the executor. Four clients want the same issue sent.""";
	}

	@Override
	public List<Finding> play(Instances instances) {
		String mailing = "/mailings/" + Instances.fresh("issue");
		List<Answer> answers = instances.atOnce(CLIENTS, (instance) -> instance.post(mailing));
		List<Answer> sent = answers.stream().filter((answer) -> answer.is(Answer.OK)).toList();
		List<Answer> refused = answers.stream()
			.filter((answer) -> sent.stream().anyMatch(answer::isBusyBefore))
			.toList();
		return List.of(Finding.number("mailings sent", 1, sent.size()),
				Finding.number("refused by their futures, while it was being sent", CLIENTS - 1, refused.size()),
				Finding.that("it was sent by a thread of the executor",
						sent.stream().allMatch((answer) -> answer.text("thread").startsWith("task-"))),
				new Finding("what the refusals say", List.of("is being sent already"),
						refused.stream().map(Answer::detail).distinct().toList()));
	}

}
