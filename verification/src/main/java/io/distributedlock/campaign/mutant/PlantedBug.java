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

package io.distributedlock.campaign.mutant;

import java.time.Duration;
import java.util.List;

import io.distributedlock.campaign.history.Rule;
import io.distributedlock.testsupport.mutation.Mutant;
import org.jspecify.annotations.Nullable;

/**
 * What became of a planted bug.
 *
 * @param found the rule that it violated first, or {@code null} if it was not found
 * @param after how long the workers had run by then
 */
public record PlantedBug(Mutant mutant, @Nullable Rule found, Duration after, String summary, long faults) {

	public static List<String> missed(List<PlantedBug> bugs) {
		return bugs.stream().filter((bug) -> bug.found() == null).map((bug) -> bug.mutant().name()).toList();
	}

}
