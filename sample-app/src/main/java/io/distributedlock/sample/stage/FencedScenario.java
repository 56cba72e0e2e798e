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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

final class FencedScenario implements Scenario {

	private static final Duration HEAD_START = Duration.ofMillis(400);

	@Override
	public String title() {
		return "Fenced transaction";
	}

	@Override
	public String story() {
		return """
				Two instances deposit 10 in one account. While the first one is between reading and writing,
				the key of its lock vanishes from Redis, and the second one gets the lock as well.""";
	}

	@Override
	public List<Finding> play(Instances instances) {
		List<Finding> findings = new ArrayList<>();
		findings.addAll(play(instances, "without a fence", false, 10));
		findings.addAll(play(instances, "with a fence", true, 20));
		return findings;
	}

	private static List<Finding> play(Instances instances, String how, boolean fenced, int expected) {
		String account = "/accounts/" + Instances.fresh("account");
		String deposit = account + "/deposits?amount=10&fenced=" + fenced;
		CompletableFuture<Answer> slow = CompletableFuture
			.supplyAsync(() -> instances.first().post(deposit + "&millis=1000"));
		Pause.of(HEAD_START);
		instances.first().delete(account + "/lock");
		Answer quick = instances.second().post(deposit);
		boolean both = quick.is(Answer.OK) && slow.join().is(Answer.OK);
		int balance = instances.second().get(account).body().path("balance").asInt(-1);
		return List.of(Finding.that(how + ": both deposits are committed", both),
				Finding.number(how + ": balance after two deposits of 10", expected, balance));
	}

}
