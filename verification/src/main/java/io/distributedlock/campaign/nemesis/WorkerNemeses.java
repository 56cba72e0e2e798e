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

package io.distributedlock.campaign.nemesis;

import java.time.Duration;
import java.util.List;

import io.distributedlock.campaign.fleet.Fleet;
import io.distributedlock.campaign.nemesis.Nemesis.Target;

/**
 * What happens to the processes of workers.
 */
final class WorkerNemeses {

	private WorkerNemeses() {
	}

	static List<Nemesis> of(Fleet fleet) {
		return List.of(
				new Nemesis("worker killed (kill -9)", 6, Target.WORKER,
						(slot, random) -> fleet.killAndReplace(slot, Duration.ofMillis(random.nextInt(500)))),
				new Nemesis("worker stopped (SIGSTOP)", 20, Target.WORKER,
						(slot, random) -> fleet.stop(slot, Duration.ofMillis(random.nextInt(100, 5000)))));
	}

}
