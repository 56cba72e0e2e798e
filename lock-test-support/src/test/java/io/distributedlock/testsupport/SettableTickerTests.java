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

package io.distributedlock.testsupport;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link SettableTicker}.
 */
class SettableTickerTests {

	@Test
	void standsStillUntilItIsMoved() {
		SettableTicker ticker = new SettableTicker();
		assertThat(ticker.nanos()).isEqualTo(ticker.nanos()).isZero();
		assertThat(ticker.advance(Duration.ofMillis(3))).isEqualTo(3_000_000);
		assertThat(ticker.nanos()).isEqualTo(3_000_000);
	}

	@Test
	void wrapsAroundLikeTheRealClock() {
		SettableTicker ticker = new SettableTicker(Long.MAX_VALUE);
		long before = ticker.nanos();
		ticker.advance(Duration.ofNanos(5));
		assertThat(ticker.nanos()).isNegative();
		assertThat(ticker.nanos() - before).isEqualTo(5);
	}

	@Test
	void neverGoesBack() {
		assertThatIllegalArgumentException().isThrownBy(() -> new SettableTicker().advance(Duration.ofNanos(-1)))
			.withMessageContaining("cannot go back");
	}

}
