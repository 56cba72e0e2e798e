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

	private static final String ENTRY = "java/io/distributedlock/memory/LockEntry.java";

	private StoreMutants() {
	}

	static List<Mutant> all() {
		return List.of(Mutant.of("store: any-token-releases", FILE, "entry.remove(token);\n\t\tboolean others",
				"entry.holdsAt(now).clear();\n\t\tboolean others", "A late release frees the lock of another holder."),
				Mutant.of("store: any-token-extends", FILE,
						"LockEntry.Hold hold = entry.holdAt(now, extension.token());",
						"LockEntry.Hold hold = entry.holdsAt(now).iterator().next();",
						"A late renewal keeps a holder alive that lost the lock."),
				Mutant.of("store: busy-lock-granted", FILE, "(inFront != null || !fits))",
						"(inFront != null || !fits) && (waiting != null || request.limit() > 1))",
						"A single attempt is granted a lock that is held."),
				Mutant.of("store: grant-shorter-than-told", FILE, "now + nanos(lease),", "now + nanos(lease) / 2,",
						"A waiter believes in a grant that has ended."),
				Mutant.of("store: lease-shorter-than-asked", FILE, "now + nanos(request.lease());",
						"now + nanos(request.lease()) / 2;", "The store ends a lease before its holder does."),
				Mutant.of("store: fencing-tokens-do-not-grow", FILE, "this.lastFence += block;",
						"this.lastFence -= block;", "A later holder has a smaller fencing token."),
				Mutant
					.of("store: cancelled-waiter-stays-in-the-queue", FILE, "entry.queue.remove(token);", "",
							"The place of a cancelled wait stays in the queue.")
					.after("ReleaseOutcome release("),
				Mutant.of("store: no-hand-off", FILE, "waiter.limit()));\n\t\t\t\tif (!asks",
						"waiter.limit()));\n\t\t\t\tentry.remove(token);\n\t\t\t\tif (!asks",
						"A waiter is told of a lock that nobody gave it."),
				Mutant.of("store: limit-of-requester-only", ENTRY, "smallest = Math.min(smallest, hold.limit);", "",
						"Somebody joins a holder that accepts no more."),
				Mutant.of("store: one-too-many", ENTRY, "return holders <= smallest;",
						"return holders <= smallest || (smallest > 1 && holders == smallest + 1);",
						"One more than the permits get in."),
				Mutant.of("store: ended-holders-shorten-nothing", FILE,
						"entry.put(hold.until(exactly ? end : Math.max(end, hold.expiresAt())));",
						"entry.holdsAt(now).removeIf((other) -> other.limit() > 1 && !other.token().equals(hold.token()));\n\t\t\tentry.put(hold.until(exactly ? end : Math.max(end, hold.expiresAt())));",
						"The extension of one holder ends those beside it."),
				Mutant.of("store: dead-companion-ignored", FILE,
						"request.beside() != null && entry.holdAt(now, request.beside()) != null;",
						"request.beside() != null;",
						"A follower overtakes those that wait although the holder that it follows is gone."),
				Mutant.of("store: granted-shared-beside-one", FILE,
						"entry.isHeldAlone(now) || (alive && !entry.fits(now, waiter.limit()));",
						"alive && !entry.fits(now, waiter.limit()) && waiter.limit() == 1;",
						"A reader that waits is let in beside a writer."));
	}

}
