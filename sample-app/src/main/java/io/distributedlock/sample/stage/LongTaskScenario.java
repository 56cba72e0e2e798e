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

final class LongTaskScenario implements Scenario {

	private static final Duration LEASE = Duration.ofSeconds(2);

	@Override
	public String title() {
		return "Long task";
	}

	@Override
	public String story() {
		return """
				Two exports take 5 s each under a lease of 2 s. One lock is renewed every third of its
				lease. The other is not: its holder must learn of the loss before it writes on.""";
	}

	@Override
	public List<Finding> play(Instances instances) {
		String renewed = "/exports/" + Instances.fresh("renewed");
		String notRenewed = "/exports/" + Instances.fresh("plain");
		CompletableFuture<Answer> held = CompletableFuture.supplyAsync(() -> instances.first().post(renewed));
		Answer stopped = instances.second().post(notRenewed + "?renew=false");
		Pause.of(Duration.ofSeconds(1));
		Answer refused = instances.second().post(renewed);
		Answer finished = held.join();
		return List.of(
				Finding.that("with renewal: finished after more than twice the lease",
						finished.is(Answer.OK) && finished.took().compareTo(LEASE.multipliedBy(2)) > 0),
				Finding.that("with renewal: still held at the end", finished.body().path("heldAtEnd").asBoolean(false)),
				Finding.that("with renewal: the other instance was refused after the first lease",
						refused.is(Answer.BUSY)),
				new Finding("without renewal: the cause that the holder received", "LEASE_EXPIRED",
						stopped.text("cause")),
				Finding.that("without renewal: it stopped before all parts were written",
						stopped.took().compareTo(LEASE.multipliedBy(2)) < 0));
	}

}
