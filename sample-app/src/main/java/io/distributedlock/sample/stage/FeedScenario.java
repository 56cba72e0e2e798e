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
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

final class FeedScenario implements Scenario {

	private static final Duration HEAD_START = Duration.ofMillis(400);

	@Override
	public String title() {
		return "Another language";
	}

	@Override
	public String story() {
		return """
				A worker in Python locks the same key with redis-py (played with the same commands:
				SET NX PX, and its script to release). Each side finds the lock of the other one taken.""";
	}

	@Override
	public List<Finding> play(Instances instances) {
		String feed = "/feeds/" + Instances.fresh("feed");
		CompletableFuture<Answer> python = start(() -> instances.first().post(feed + "/python"));
		Answer refused = instances.second().post(feed);
		Answer inTurn = instances.second().post(feed + "?inTurn=true");
		Answer pythons = python.join();
		CompletableFuture<Answer> ours = start(() -> instances.first().post(feed));
		Answer pythonRefused = instances.second().post(feed + "/python");
		return List.of(Finding.that("the worker in Python did its import", pythons.is(Answer.OK)),
				Finding.that("meanwhile ours was refused, without waiting", refused.isBusyBefore(pythons)),
				Finding.that("ours got the lock in its turn, when it was released", inTurn.is(Answer.OK)),
				Finding.that("the worker in Python was refused while ours was at work",
						pythonRefused.is(Answer.BUSY) && ours.join().is(Answer.OK)));
	}

	private static CompletableFuture<Answer> start(Supplier<Answer> request) {
		CompletableFuture<Answer> answer = CompletableFuture.supplyAsync(request);
		Pause.of(HEAD_START);
		return answer;
	}

}
