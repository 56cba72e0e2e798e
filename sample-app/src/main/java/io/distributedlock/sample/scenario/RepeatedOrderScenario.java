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

package io.distributedlock.sample.scenario;

import java.time.Duration;
import java.util.List;

final class RepeatedOrderScenario implements Scenario {

	private static final Duration MINIMUM_HOLD = Duration.ofSeconds(2);

	@Override
	public String title() {
		return "Same request again within a short time";
	}

	@Override
	public String story() {
		return """
				A cart is ordered, which takes no time at all. The same cart is not to be ordered again
				within 2 s, however often it is submitted and wherever.""";
	}

	@Override
	public List<Finding> play(Instances instances) {
		String cart = "/orders/" + Instances.fresh("cart");
		Answer first = instances.first().post(cart);
		long ordered = System.nanoTime();
		List<Answer> atOnce = instances.bothAtOnce((instance) -> instance.post(cart));
		Answer later = postUntilAccepted(instances.second(), cart);
		Duration refusedFor = Duration.ofNanos(System.nanoTime() - ordered);
		return List.of(Finding.that("the first order was accepted", first.is(Answer.OK)),
				Finding.number("orders refused right afterwards, on both instances", 2,
						atOnce.stream().filter((answer) -> answer.is(Answer.BUSY)).count()),
				Finding.that("accepted again later", later.is(Answer.OK)),
				Finding.that("not before the minimum hold of 2 s had passed, but soon after",
						refusedFor.plus(Duration.ofMillis(200)).compareTo(MINIMUM_HOLD) > 0
								&& refusedFor.compareTo(MINIMUM_HOLD.plusSeconds(1)) < 0));
	}

	private Answer postUntilAccepted(Instance instance, String path) {
		Answer answer = instance.post(path);
		for (int attempt = 0; attempt < 30 && answer.is(Answer.BUSY); attempt++) {
			Pause.of(Duration.ofMillis(100));
			answer = instance.post(path);
		}
		return answer;
	}

}
