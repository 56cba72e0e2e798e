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

package io.distributedlock.engine;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Leftovers}.
 */
@Timeout(30)
class LeftoversTests {

	private final EngineFixture fixture = new EngineFixture();

	private final Core core = this.fixture.here.engine().core();

	private final PendingReleases releases = new PendingReleases(this.core);

	private final Leftovers leftovers = new Leftovers(this.core, this.releases);

	private final LeaseSchedule schedule = new LeaseSchedule(this.core);

	private final Bidding bidding = new Bidding(this.core, new Handover(this.core, this.schedule), this.schedule,
			this.leftovers, new Holders(this.core));

	private final Gate gate = this.core.gates().stripe("a").findOrCreate("a");

	@AfterEach
	void close() {
		this.fixture.close();
	}

	@Test
	void aRequestCountsAsSentWhenItsSenderSaysSo() {
		Bid bid = bid();
		assertThat(this.leftovers.isUnsent(bid)).isTrue();
		assertThat(this.leftovers.ofSent(bid, 1)).isFalse();
		assertThat(this.leftovers.isUnsent(bid)).isFalse();
	}

	@Test
	void aRequestDoesNotCountAsSentWhenTheSenderOfTheOneBeforeIsLate() {
		Bid bid = bid();
		bid.inFlight = false;
		bid.prepare(1, true, 1);
		assertThat(this.leftovers.ofSent(bid, 1)).isFalse();
		assertThat(this.leftovers.isUnsent(bid)).isTrue();
		// Abandoned now, it is left to its own sender to clean up
		bid.closed = true;
		this.gate.stripe.lock.lock();
		assertThat(this.leftovers.ofAbandoned(bid)).isFalse();
		this.gate.stripe.lock.unlock();
		assertThat(this.leftovers.ofSent(bid, 1)).isFalse();
		assertThat(this.releases.isNoneOwed()).isTrue();
		assertThat(this.leftovers.ofSent(bid, 2)).isTrue();
		assertThat(this.releases.isNoneOwed()).isFalse();
	}

	private Bid bid() {
		Bid bid = new Bid(this.bidding, this.gate, this.core.newToken(), Duration.ofSeconds(30).toNanos());
		bid.prepare(0, false, 1);
		return bid;
	}

}
