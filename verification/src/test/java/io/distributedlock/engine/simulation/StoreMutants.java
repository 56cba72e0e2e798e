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

package io.distributedlock.engine.simulation;

import java.util.List;

import io.distributedlock.testsupport.mutation.Mutant;

/**
 * The planted bugs of the simulated store: those that the scripts might have.
 */
final class StoreMutants {

	private static final String FILE = "java/io/distributedlock/engine/simulation/SimulatedRedis.java";

	private StoreMutants() {
	}

	static List<Mutant> all() {
		return List.of(
				Mutant.of("store: any-token-releases", FILE, "if (!token.equals(keys.holder)) {",
						"if (keys.holder == null) {", "A late release frees the lock of another holder."),
				Mutant.of("store: any-token-extends", FILE, "if (!keys.holder.equals(extension.token().text())) {",
						"if (false) {", "A late renewal keeps a holder alive that lost the lock."),
				Mutant.of("store: busy-lock-granted", FILE, "if (holder != null && !holder.equals(token)) {",
						"if (holder != null && !holder.equals(token) && waiting != null) {",
						"A single attempt is granted a lock that is held."),
				Mutant
					.of("store: grant-shorter-than-told", FILE, "time / 1000 + lease;", "time / 1000 + lease / 2;",
							"A waiter believes in a grant that has ended.")
					.after("private boolean handOff("),
				Mutant
					.of("store: lease-shorter-than-asked", FILE, "now + lease;", "now + lease / 2;",
							"The store ends a lease before its holder does.")
					.after("keys.holderEnd = (holder != null)"),
				Mutant.of("store: fencing-tokens-do-not-grow", FILE,
						"Math.max((this.fenceEnd != 0) ? this.fence + 1 : 1, time)", "time / 1000 % 1000 + 1",
						"A later holder has a smaller fencing token."),
				Mutant
					.of("store: cancelled-waiter-stays-in-the-queue", FILE, "keys.leave(token);", "",
							"The place of a cancelled wait stays in the queue.")
					.after("if (!token.equals(keys.holder)) {"),
				Mutant.of("store: no-hand-off", FILE, "keys.holder = waiter;", "",
						"A waiter is told of a lock that nobody gave it."));
	}

}
