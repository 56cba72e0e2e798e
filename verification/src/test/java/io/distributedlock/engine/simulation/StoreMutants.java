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
 * The planted bugs of the in-memory store: those that the scripts might have.
 */
final class StoreMutants {

	private static final String FILE = "java/io/distributedlock/memory/LockTable.java";

	private StoreMutants() {
	}

	static List<Mutant> all() {
		return List.of(
				Mutant.of("store: any-token-releases", FILE, "if (hold == null || !hold.token().equals(token)) {",
						"if (hold == null) {", "A late release frees the lock of another holder."),
				Mutant.of("store: any-token-extends", FILE, "if (!hold.token().equals(extension.token())) {",
						"if (false) {", "A late renewal keeps a holder alive that lost the lock."),
				Mutant.of("store: busy-lock-granted", FILE,
						"if (hold != null && !hold.token().equals(request.token())) {",
						"if (hold != null && !hold.token().equals(request.token()) && request.waiting() != null) {",
						"A single attempt is granted a lock that is held."),
				Mutant.of("store: grant-shorter-than-told", FILE, "now + nanos(lease));", "now + nanos(lease) / 2);",
						"A waiter believes in a grant that has ended."),
				Mutant.of("store: lease-shorter-than-asked", FILE, "now + nanos(request.lease());",
						"now + nanos(request.lease()) / 2;", "The store ends a lease before its holder does."),
				Mutant.of("store: fencing-tokens-do-not-grow", FILE, "this.lastFence += block;",
						"this.lastFence -= block;", "A later holder has a smaller fencing token."),
				Mutant
					.of("store: cancelled-waiter-stays-in-the-queue", FILE, "entry.queue.remove(token);", "",
							"The place of a cancelled wait stays in the queue.")
					.after("Release release("),
				Mutant.of("store: no-hand-off", FILE, "entry.hold = new LockEntry.Hold(token,",
						"LockEntry.Hold forgotten = new LockEntry.Hold(token,",
						"A waiter is told of a lock that nobody gave it."));
	}

}
