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

package io.distributedlock.benchmarks;

import org.junit.jupiter.api.Test;

import io.distributedlock.benchmarks.RunOptions.Part;
import io.distributedlock.benchmarks.contestant.Contestant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RunOptionsTests {

	@Test
	void partsAndContestantsCanBeChosen() {
		RunOptions options = RunOptions.parse("--only", "hand-off,HEAP", "--contestants", "floor,release_ahead,ours");
		assertThat(options.parts()).containsExactlyInAnyOrder(Part.HAND_OFF, Part.HEAP);
		assertThat(options.contestants()).containsExactlyInAnyOrder(Contestant.FLOOR, Contestant.RELEASE_AHEAD,
				Contestant.OURS);
	}

	@Test
	void withoutAChoiceEverythingIsMeasuredButAnotherBuildAndThePartsOfAHandOff() {
		RunOptions options = RunOptions.parse("--only", "all", "--mode", "full");
		assertThat(options.effort()).isEqualTo(Effort.named("full"));
		assertThat(options.parts()).containsExactly(Part.values());
		assertThat(options.contestants()).doesNotContain(Contestant.BASELINE, Contestant.MESSAGE, Contestant.SCRIPT)
			.hasSize(Contestant.values().length - 3);
	}

	@Test
	void whatIsUnknownIsNamedWithWhatThereIs() {
		assertThatIllegalArgumentException().isThrownBy(() -> RunOptions.parse("--only", "handover"))
			.withMessageContaining("'handover'")
			.withMessageContaining("hand-off");
		assertThatIllegalArgumentException().isThrownBy(() -> RunOptions.parse("--contestants", "zookeeper"))
			.withMessageContaining("'zookeeper'")
			.withMessageContaining("redisson");
		assertThatIllegalArgumentException().isThrownBy(() -> RunOptions.parse("--mode", "slow"))
			.withMessageContaining("'slow'")
			.withMessageContaining("quick");
		assertThatIllegalArgumentException().isThrownBy(() -> RunOptions.parse("--fast", "1"))
			.withMessageContaining("--mode");
		assertThatIllegalArgumentException().isThrownBy(() -> RunOptions.parse("--mode"))
			.withMessageContaining("no value");
	}

}
