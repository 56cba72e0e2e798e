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

final class RepeatedOrderScenario implements Scenario {

	@Override
	public String title() {
		return "Same request again within a short time";
	}

	@Override
	public String story() {
		return """
				A cart is ordered, which takes no time at all. The same cart is not to be ordered again
				within 3 s, however often it is submitted and wherever.""";
	}

	@Override
	public List<Finding> play(Instances instances) {
		String cart = "/orders/" + Instances.fresh("cart");
		Answer ordered = instances.first().post(cart);
		long start = System.nanoTime();
		List<Answer> atOnce = instances.bothAtOnce((instance) -> instance.post(cart));
		Pause.until(() -> passed(start, Duration.ofMillis(1500)), Duration.ofSeconds(2));
		Answer tooEarly = instances.second().post(cart);
		Pause.until(() -> passed(start, Duration.ofMillis(3500)), Duration.ofSeconds(4));
		Answer later = instances.second().post(cart);
		return List.of(Finding.that("the first order was accepted", ordered.is(Answer.OK)),
				Finding.number("orders refused right afterwards, on both instances", 2,
						atOnce.stream().filter((answer) -> answer.is(Answer.BUSY)).count()),
				Finding.that("still refused after 1.5 s", tooEarly.is(Answer.BUSY)),
				Finding.that("accepted again after 3.5 s", later.is(Answer.OK)));
	}

	private static boolean passed(long start, Duration time) {
		return System.nanoTime() - start >= time.toNanos();
	}

}
