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

package io.distributedlock.testsupport.mutation;

import java.util.List;

/**
 * The planted bugs that the simulation and the fault campaign have to find. Their texts
 * follow the sources: a mutant that does not fit any more fails by its name.
 */
public final class Mutants {

	private static final String ENGINE = "java/io/distributedlock/engine/LockEngine.java";

	private static final String CONFIRMATION = "java/io/distributedlock/engine/LeaseConfirmation.java";

	private Mutants() {
	}

	/**
	 * Return the bugs of the engine.
	 */
	public static List<Mutant> engine() {
		return List.of(
				Mutant.of("deadline-behind-the-end", "java/io/distributedlock/engine/Lease.java",
						"- Math.min(leaseNanos / 10, SECOND)", "+ Math.min(leaseNanos / 10, SECOND)",
						"A holder believes that it holds the lock after the store has freed it."),
				Mutant.of("lease-counts-from-the-answer", "java/io/distributedlock/engine/Contention.java",
						"contender.token.sequence(), contender.sentAt,", "contender.token.sequence(), now,",
						"A slow answer lengthens the lease."),
				Mutant.of("renewal-counts-from-the-answer", "java/io/distributedlock/engine/LeaseKeeper.java",
						"hold.confirmed(sentAt, length)", "hold.confirmed(now, length)",
						"A slow answer to a renewal lengthens the lease."),
				Mutant.of("late-renewal-revives", "java/io/distributedlock/engine/LeaseKeeper.java",
						"ExtendOutcome.EXTENDED && hold.isOver(now)) {", "ExtendOutcome.EXTENDED && false) {",
						"A handle that said that the lock is not held any more takes it back."),
				Mutant.of("grant-counts-from-the-message", "java/io/distributedlock/engine/Contention.java",
						"contender.grantAfter(), length)", "now, length)",
						"The message may have been under way for longer than the lease of the grant."),
				Mutant.of("busy-counts-from-the-answer", "java/io/distributedlock/engine/Contender.java",
						"refusals.grantAfter = this.sentAt;", "refusals.grantAfter = now;",
						"A grant may come between the request and its answer."),
				Mutant
					.of("any-grant-taken", "java/io/distributedlock/engine/Contender.java", "return ",
							"return true || ", "A grant whose lease may be over is taken.")
					.after("boolean canTake("),
				Mutant.of("stale-grant-taken", "java/io/distributedlock/engine/Contender.java", "!mayHaveEnded && ", "",
						"A grant from before the last refusal, which has ended meanwhile, is taken."),
				Mutant.of("taken-away-grant-taken", "java/io/distributedlock/engine/Contender.java", "= taken || ",
						"= ", "A grant that the last refusal shows to be void is taken."),
				Mutant
					.of("loss-in-the-store-ignored", "java/io/distributedlock/engine/LeaseKeeper.java",
							"loseInStore(hold, outcome == ExtendOutcome.OTHER, now, effects);", "",
							"A holder that the store does not know any more goes on.")
					.after("this.contention.begin(hold);"),
				Mutant.of("shorter-lease-not-brought-forward", "java/io/distributedlock/engine/LeaseKeeper.java",
						"if (lease.shorten(now, length)) {", "if (false) {",
						"The store follows a request for a shorter lease, the holder does not."),
				Mutant.of("requests-overlap", "java/io/distributedlock/engine/LockEngine.java", "if (lease.underWay) {",
						"if (false) {", "Of two requests under way, nobody knows which one came last."),
				Mutant.of("next-waiter-forgotten", "java/io/distributedlock/engine/Contention.java",
						"if (next == null || !gate.mayAsk(next)) {", "if (true) {",
						"After a release nobody asks for the lock on behalf of the other local waiters."),
				Mutant
					.of("no-second-look-after-busy", "java/io/distributedlock/engine/Contention.java",
							"effects.schedule(contender.alarm(), now + delay);", "",
							"A waiter whose message was lost waits for ever.")
					.after("long delay = contender.busy("),
				Mutant.of("place-of-readers-without-life-sign", "java/io/distributedlock/engine/Contention.java",
						"effects.schedule(contender.alarm(), now + delay);",
						"if (contender.gate.handsOn()) {\n\t\t\teffects.schedule(contender.alarm(), now + delay);\n\t\t}",
						"The place of waiting readers in the queue ends.")
					.after("long delay = contender.busy("),
				Mutant
					.of("no-second-attempt-after-failure", "java/io/distributedlock/engine/Contention.java",
							"effects.schedule(contender.alarm(), now + delay);", "",
							"A waiter whose request failed waits for ever.")
					.after("long delay = contender.failed(failure);"),
				Mutant.of("line-broken", "java/io/distributedlock/engine/Gate.java", "this.lastWaiter = previous;", "",
						"Whoever joins the line after its last waiter left is forgotten."),
				Mutant.of("abandoned-request-left", "java/io/distributedlock/engine/Contention.java",
						"if ((contender.phase() == Contender.Phase.CLOSED) ? contender.mayHaveLeftTraces() : !contender.isUnsent()) {",
						"if (false) {", "The lock, or the place in the queue, of a wait that was given up stays."),
				Mutant.of("late-grant-left", "java/io/distributedlock/engine/Contention.java",
						"if ((granted || before == Contender.Phase.OVERTAKEN) && !isNeeded(contender)) {",
						"if (false) {", "A lock that is granted after the wait was given up stays taken."),
				Mutant.of("overtaken-request-left", "java/io/distributedlock/engine/Contention.java",
						"return contender.sent(attempt) && !isNeeded(contender);",
						"contender.sent(attempt);\n\t\treturn false;",
						"A request that is sent after its wait was given up takes a lock that nobody wants."),
				Mutant.of("cancelled-future-keeps-the-lock", "java/io/distributedlock/engine/AsyncWaiter.java",
						"WorkUnderLock.discardAsync(handle);", "",
						"A lock that is granted to a cancelled future is held by nobody."),
				Mutant
					.of("release-not-repeated", "java/io/distributedlock/engine/Cleanup.java", "if (failure != null) {",
							"if (false) {", "A lock whose release got lost stays taken to the end of its lease.")
					.after("return answer.whenComplete("),
				Mutant.of("minimum-hold-forgotten", "java/io/distributedlock/engine/LeaseKeeper.java",
						"lease.lingers = hold.keepUntil() > now;", "lease.lingers = false;",
						"A lock is free before the end of its minimum hold."),
				Mutant.of("minimum-hold-forgotten-when-repeated", "java/io/distributedlock/engine/Cleanup.java",
						"retryLater(new Debt(name, token, limit, keepUntil,",
						"retryLater(new Debt(name, token, limit, AT_ONCE,",
						"A lock whose release was not answered is free before the end of its minimum hold."),
				Mutant.of("fencing-token-given-twice", "java/io/distributedlock/engine/Lease.java",
						"return this.nextFencingToken++;", "return this.nextFencingToken;",
						"Local holders that follow each other have the same fencing token."),
				Mutant.of("inner-handle-releases", "java/io/distributedlock/engine/Hold.java", "return this.depth > 0;",
						"return false;", "Closing a handle of a re-entry releases the lock."),
				Mutant
					.of("renewed-once-only", "java/io/distributedlock/engine/LeaseKeeper.java",
							"lease.renewing = false;", "", "A lease is renewed once and then lost.")
					.after("boolean renewing = lease.renewing;"),
				Mutant.of("extension-undone", "java/io/distributedlock/engine/LeaseKeeper.java",
						"if (!lease.renewing) {", "if (false) {",
						"An extension is undone by an adjustment that waited in its batch meanwhile."),
				Mutant.of("lease-of-another-waiter", "java/io/distributedlock/engine/Contention.java",
						"if (contender.askedForTooLittle()) {", "if (false) {",
						"A waiter gets the short lease that was asked for one that left."),
				Mutant.of("leases-swapped", "java/io/distributedlock/engine/Contention.java",
						"Waiter waiter = contender.waiter();\n\t\twaiter.contended |=",
						"Waiter waiter = gate.contenders().get(0).waiter();\n\t\tif (waiter.contender != contender) {\n\t\t\tWaiter other = contender.waiter();\n\t\t\twaiter.contender.serve(other);\n\t\t\tcontender.serve(waiter);\n\t\t\tother.contender = gate.contenders().get(0);\n\t\t}\n\t\twaiter.contended |=",
						"Waiters of one process get each other's grants."),
				Mutant.of("a-place-for-each-reader", "java/io/distributedlock/engine/SharedGate.java",
						"else if (this.leader != null || !waiter.waits()) {", "else if (!waiter.waits()) {",
						"The readers of one process crowd the queue."),
				Mutant.of("refused-follower-forgotten", "java/io/distributedlock/engine/Contention.java",
						"gate.enqueueFirst(waiter);", "", "A reader that does not get in with the first is forgotten."),
				Mutant.of("maximum-hold-exceeded", "java/io/distributedlock/engine/Hold.java",
						"lease = Math.max(Math.min(lease, maxHoldEndsAt() - now), Lease.MILLI);", "",
						"The last renewal goes beyond the maximum hold."),
				Mutant.of("interruption-ignored", ENGINE, "this.confirmation.interrupted(now());", "",
						"A holder learns of a loss only at its next renewal or its deadline."),
				Mutant.of("failed-command-is-no-interruption", ENGINE,
						"if (failure != null && Failures.unwrap(failure) instanceof LockUnavailableException) {",
						"if (false) {", "A server that refused commands may have lost locks, and nobody asks."),
				Mutant.of("confirms-only-renewed", ENGINE, "if (!hold.lease.isConfirmedSince(time)) {",
						"if (hold.wantsRenewal() && !hold.lease.isConfirmedSince(time)) {",
						"The holder of a lock that is not renewed learns of its loss at its deadline."),
				Mutant.of("confirms-only-exclusive", ENGINE, "if (!hold.lease.isConfirmedSince(time)) {",
						"if (gate.limit() == 1 && !hold.lease.isConfirmedSince(time)) {",
						"The holders of permits and shared locks learn of their loss later."),
				Mutant
					.of("confirms-the-first-batch-only", CONFIRMATION, "if (done && this.asked < this.leases.size()) {",
							"if (false) {", "Of many holders, most learn of their loss later.")
					.also("static final int BATCH = 100;", "static final int BATCH = 1;"),
				Mutant.of("confirms-once-only", CONFIRMATION, "this.underWay = false;", "",
						"After the second interruption nobody asks."),
				Mutant.of("interruption-soon-after-another-forgotten", CONFIRMATION, "if (at < this.nextAt) {",
						"if (at < this.nextAt && at == now) {",
						"What was lost after the last questions is not noticed."),
				Mutant
					.of("question-not-repeated", ENGINE, "interruptedBy(failure);", "",
							"A question that the server refuses is not asked again.")
					.after("engine.confirmation.settled(1);"),
				Mutant.of("confirmed-for-good", "java/io/distributedlock/engine/Lease.java",
						"this.confirmedAt = Math.max(this.confirmedAt, sentAt);", "this.confirmedAt = Long.MAX_VALUE;",
						"A lease that was confirmed after one interruption is not asked for after the next."),
				Mutant.of("unanswered-question-is-a-loss", ENGINE, "if (outcome != null) {", "if (true) {",
						"A holder loses its lock because the server refuses a question."),
				Mutant
					.of("loss-found-by-a-question-ignored", "java/io/distributedlock/engine/LeaseKeeper.java",
							"else if (hold != null) {", "else if (false) {",
							"The server says that the lock is lost, and its holder goes on.")
					.after("lease.confirmed(sentAt);"),
				Mutant.of("report-is-a-loss", "java/io/distributedlock/engine/LeaseKeeper.java",
						"hold.lease.changed(now);\n", "loseInStore(hold, false, now, effects);\n",
						"A holder loses its lock because others come and go."),
				Mutant.of("report-leads-to-no-question", "java/io/distributedlock/engine/LeaseKeeper.java",
						"hold.lease.changed(now);\n", "\n",
						"The server reports that the lock is gone, and nobody asks."),
				Mutant.of("shutdown-keeps-locks", "java/io/distributedlock/engine/LockEngine.java",
						"debts.add(owe(hold, now));", "", "A lock that is held at the end of a shutdown stays taken."));
	}

	/**
	 * Return the bugs of the Lua scripts.
	 */
	public static List<Mutant> scripts() {
		return List.of(Mutant.of("any-token-releases", "resources/io/distributedlock/redis/release.lua",
				"if holder ~= token then", "if not holder then", "A late release frees the lock of another holder."),
				Mutant.of("busy-lock-granted", "resources/io/distributedlock/redis/acquire.lua",
						"if holder and holder ~= token then", "if holder and holder ~= token and ARGV[5] then",
						"A single attempt is granted a lock that is held."),
				Mutant.of("any-token-extends", "resources/io/distributedlock/redis/extend.lua",
						"elseif holder == token then", "elseif true then",
						"A late renewal keeps a holder alive that lost the lock."),
				Mutant.of("fencing-tokens-do-not-grow", "resources/io/distributedlock/redis/reserve.lua",
						"local first = (#time[2] == 6) and time[1] .. time[2] or string.format('%010d%06d', time[1], time[2])",
						"local first = string.format('%010d%06d', time[1], 999999 - time[2]); KEYS[2] = KEYS[2] .. ARGV[1]",
						"A later holder has a smaller fencing token."),
				Mutant.of("grant-shorter-than-told", "resources/io/distributedlock/redis/queue.lua",
						"waiter, 'PX', grantLease)", "waiter, 'PX', 1)",
						"A waiter believes in a grant that has ended."),
				Mutant.of("cancelled-waiter-stays-in-the-queue", "resources/io/distributedlock/redis/release.lua",
						"redis.call('ZREM', KEYS[3], token)", "", "The place of a cancelled wait stays in the queue.")
					.after("if holder ~= token then"));
	}

}
