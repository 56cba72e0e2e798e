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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import io.distributedlock.campaign.nemesis.Clustered;
import io.distributedlock.campaign.nemesis.Standalone;
import io.distributedlock.campaign.nemesis.Topology;
import io.distributedlock.testsupport.mutation.Mutant;
import io.distributedlock.testsupport.mutation.Mutants;

/**
 * The bugs that a campaign plants: those of the simulation that also show from outside,
 * and some of the store on Redis, which the simulation does not have.
 */
public final class Bugs {

	/** Found by different rules, each within seconds. */
	private static final Set<String> QUICK = Set.of("deadline-behind-the-end", "busy-lock-granted",
			"fencing-tokens-do-not-grow", "next-waiter-forgotten", "leader-without-a-clock",
			"fence-claimed-at-the-commit", "one-permit-too-many");

	/**
	 * They need a coincidence that a minute of faults does not bring about, or do no harm
	 * that can be seen from outside.
	 */
	private static final Set<String> LEFT_TO_SIMULATION = Set.of("grant-counts-from-the-message",
			"busy-counts-from-the-answer", "any-grant-taken", "stale-grant-taken", "taken-away-grant-taken",
			"loss-in-the-store-ignored", "shorter-lease-not-brought-forward", "requests-overlap", "late-grant-left",
			"late-renewal-revives", "overtaken-request-left", "release-not-repeated",
			"minimum-hold-forgotten-when-repeated", "extension-undone", "shutdown-keeps-locks", "any-token-extends",
			"lease-of-another-waiter", "leases-swapped", "maximum-hold-exceeded", "place-of-readers-without-life-sign",
			"refused-follower-forgotten", "failed-command-is-no-interruption", "confirms-only-renewed",
			"confirms-only-exclusive", "confirms-the-first-batch-only", "confirms-once-only",
			"interruption-soon-after-another-forgotten", "question-not-repeated", "confirmed-for-good",
			"unanswered-question-is-a-loss", "loss-found-by-a-question-ignored");

	/**
	 * The fault that shows a bug, where it would come too seldom among all others.
	 */
	private static final Map<String, String> SHOWN_BY = Map.of("lease-counts-from-the-answer",
			Standalone.ANSWERS_DELAYED, "renewal-counts-from-the-answer", Standalone.ANSWERS_DELAYED,
			"no-second-attempt-after-failure", Standalone.REQUESTS_REFUSED, "renewal-not-repeated",
			Standalone.REQUESTS_REFUSED, "interruption-ignored", Standalone.RESTARTED_WITHOUT_DATA,
			"renewal-creates-a-holder-again", Standalone.FLUSHALL, "renewal-needs-memory", Topology.OUT_OF_MEMORY,
			"renewal-of-several-needs-memory", Topology.OUT_OF_MEMORY, "renewal-declares-all-keys",
			Clustered.SLOTS_ON_THEIR_WAY);

	private static final String CLAIMS = "java/io/distributedlock/fencing/TransactionClaims.java";

	/** Whether a claim of a suspended transaction is enough. */
	private static final String COVERS = "				Optional<Boolean> covers = earlier.covers(claim, each);";

	private static final String QUEUE = "resources/io/distributedlock/redis/queue.lua";

	private static final String HOLDERS = "resources/io/distributedlock/redis/holders.lua";

	private static final String EXTEND = "resources/io/distributedlock/redis/extend.lua";

	private static final String JOIN = "resources/io/distributedlock/redis/join.lua";

	private static final String STORE_IN_REDIS = "java/io/distributedlock/redis/RedisLockStore.java";

	private static final List<Mutant> STORE = List.of(
			Mutant.of("lock-without-end", "resources/io/distributedlock/redis/acquire.lua",
					"redis.pcall('SET', KEYS[1], token, 'NX', 'GET', 'PX', ARGV[2])",
					"redis.pcall('SET', KEYS[1], token, 'NX', 'GET')",
					"The lock of a holder that was killed stays for ever."),
			Mutant.of("renewal-creates-the-lock-again", EXTEND, "if not holder then",
					"if not holder then\n\t\t\tredis.call('SET', key, token, 'PX', lease)\n"
							+ "\t\t\tanswers[i] = 1\n\t\telseif false then",
					"A lock that the store lost is created again behind the back of the next holder."),
			Mutant.of("renewal-needs-memory", EXTEND, "redis.call('PEXPIRE', key, lease)",
					"redis.call('SET', key, token, 'PX', lease)", "Redis out of memory refuses renewals."),
			Mutant.of("renewal-declares-all-keys", STORE_IN_REDIS,
					"batch.stream().map((renewal) -> this.layout.main(renewal.name())).toArray(byte[][]::new);",
					"java.util.stream.Stream.concat(batch.stream().map((renewal) -> this.layout.main(renewal.name())), "
							+ "java.util.stream.Stream.of(this.layout.keys(batch.get(0).name())).skip(1)).toArray(byte[][]::new);",
					"A cluster refuses renewals while a slot is on its way, as not all keys are there."),
			Mutant.of("renewals-sent-one-by-one", STORE_IN_REDIS, "int LEASES_PER_SCRIPT = 100;",
					"int LEASES_PER_SCRIPT = 1;", "Each lock costs a script."),
			Mutant.of("renewal-not-repeated", "java/io/distributedlock/engine/LeaseKeeper.java",
					"lease.failed(failure, now + Math.min(interval / 4, LONGEST_RETRY));",
					"lease.failed(failure, now + 3 * interval);", "One failure is enough to lose a lock."),
			Mutant.of("hand-off-to-nobody", QUEUE, "if not asks then", "if false then",
					"A waiter is given the lock and not told."),
			Mutant.of("lock-not-freed", "resources/io/distributedlock/redis/release.lua",
					"redis.call('DEL', KEYS[1])\n\treturn popped.err", "return popped.err",
					"A lock that nobody waits for is not freed."));

	/** Those of locks that several may hold. */
	private static final List<Mutant> COMPANY = List.of(
			Mutant.of("one-permit-too-many", QUEUE,
					"return company.count < company.smallest and (limit == '0' or company.count < tonumber(limit))",
					"return company.count <= company.smallest and (limit == '0' or company.count <= tonumber(limit))",
					"One more gets in than there are permits."),
			Mutant.of("fits-off-by-one", QUEUE, "company.count < tonumber(limit))", "company.count <= tonumber(limit))",
					"Whoever accepts few gets in beside one more."),
			Mutant.of("join-blind-to-an-exclusive-holder", JOIN, "if problem then",
					"if problem then\n\tredis.call('DEL', KEYS[1])\nend\nif false then",
					"A reader takes the lock from a writer."),
			Mutant.of("renewal-of-several-needs-memory", HOLDERS,
					"	redis.call('PEXPIRE', key, whole(math.max(ends, others or 0) - millis + GRACE))\n\tput(key, token, limit, ends)",
					"	put(key, token, limit, ends)\n\tredis.call('PEXPIRE', key, whole(math.max(ends, others or 0) - millis + GRACE))",
					"Redis out of memory refuses the renewals of permits and readers."),
			Mutant.of("renewal-creates-a-holder-again", EXTEND, "elseif own and own > millis then\n",
					"elseif limit ~= '1' then\n\t\t\town = own or 0\n",
					"A permit that the store lost is created again behind the back of the next holder."),
			Mutant.of("more-places-for-permits", "java/io/distributedlock/engine/PermitGate.java",
					"int MOST_CONTENDERS = 16;", "int MOST_CONTENDERS = 64;",
					"Each of many waiters for permits asks for itself."),
			Mutant.of("limits-of-holders-ignored", QUEUE, "return company.count < company.smallest and ", "return ",
					"Whoever accepts more gets in beside those who accept less."),
			Mutant.of("alone-beside-others", "resources/io/distributedlock/redis/acquire.lua",
					"if latest > millis then", "if false then",
					"A caller that wants to be alone gets in beside others."),
			Mutant.of("key-ends-with-the-first", HOLDERS, "whole(math.max(ends, others or 0) - millis + GRACE)",
					"whole(math.min(ends, others or ends) - millis)", "All holders end with the one that ends first."),
			Mutant.of("permit-not-given-back", "resources/io/distributedlock/redis/release.lua",
					"several.remove(token, own, others, millis)", "",
					"A permit stays taken until the end of its lease."));

	private static final List<Mutant> BEYOND = List.of(Mutant.of("switch-fails-open",
			"java/io/distributedlock/autoconfigure/internal/LockSwitch.java",
			"return binder.bind(this.property, Boolean.class).orElse(true);",
			"return this == LOCKS || binder.bind(this.property, String.class).orElse(\"true\").equals(\"true\");",
			"Methods with an annotation run unlocked if the switch is on, but spelled otherwise."),
			Mutant.of("leader-without-a-clock", "java/io/distributedlock/leadership/Campaign.java",
					"return (term != null && term.handle.isHeld()) ? term : null;", "return term;",
					"A leader that was stopped says that it leads until it is called back."),
			Mutant.of("resignation-not-awaited", "java/io/distributedlock/leadership/Campaign.java",
					"if (ended != null) {", "if (false) {",
					"An application that closes takes the lock of a leader that is resigning."),
			Mutant.of("resigned-before-the-callbacks", "java/io/distributedlock/leadership/Campaign.java",
					"			callRevoked(event, concerned);",
					"			term.release();\n\t\t\tcallRevoked(event, concerned);",
					"The next leader begins before the one that resigns has stopped."),
			Mutant.of("fence-claimed-at-the-commit", CLAIMS, "			claim.make(claim.maxWait());",
					"		TransactionSynchronizationManager"
							+ ".registerSynchronization(new TransactionSynchronization() {\n"
							+ "\t\t\t@Override\n\t\t\tpublic void beforeCommit(boolean readOnly) {\n"
							+ "\t\t\t\tclaim.make(claim.maxWait());\n\t\t\t}\n\t\t});",
					"An old holder commits between the read and the write of a new one."),
			Mutant.of("fence-not-compared", "java/io/distributedlock/fencing/FenceDialect.java",
					"set fence = ?, claimed_at = ? where name = ? and fence <= ?",
					"set fence = ?, claimed_at = ? where name = ? and ? > 0", "An old holder writes after a new one."),
			Mutant
				.of("fence-covered-after-the-commit", CLAIMS, "		this.claims.clear();",
						"		this.claims.forEach((claim) -> claim.number = 0);",
						"A new transaction in afterCommit() relies on a claim that the commit has ended.")
				.also(COVERS, "				if (earlier.number == 0) {\n\t\t\t\t\treturn;\n\t\t\t\t}\n" + COVERS),
			Mutant.of("fence-covered-by-a-dead-transaction", CLAIMS, COVERS,
					"				if (earlier.fence.token() == claim.fence.token()) {\n"
							+ "\t\t\t\t\tearlier.needed = true;\n\t\t\t\t\treturn;\n\t\t\t\t}\n" + COVERS,
					"A new transaction relies on the claim of one that the database has ended."),
			Mutant.of("fence-lost-with-the-rollback", CLAIMS,
					"			this.claims.stream().filter((claim) -> claim.needed).forEach(Claim::restore);", "",
					"A transaction is committed, and its fence is gone with the one around it."));

	private static final String JOB = "java/io/distributedlock/scheduling/internal/Job.java";

	private static final String JOB_RECORD = "java/io/distributedlock/scheduling/internal/JobRecord.java";

	/** Those of jobs that run once per fire time. */
	private static final List<Mutant> JOBS = List.of(
			Mutant.of("record-not-compared", "resources/io/distributedlock/redis/record.lua",
					"if (record or '') == ARGV[2] or record == ARGV[3] then", "if true then",
					"Each call claims its fire time, whoever has run it."),
			Mutant.of("record-forgotten-early", JOB,
					"return (needed.compareTo(SHORTEST_MEMORY) > 0) ? needed : SHORTEST_MEMORY;",
					"return needed.dividedBy(20);", "A late call finds no record."),
			Mutant.of("early-call-for-the-last-fire-time", "java/io/distributedlock/scheduling/internal/Schedule.java",
					"return (nearer && early.compareTo(MOST_EARLY) <= 0) ? next : latest;", "return latest;",
					"A clock that is set back gives a fire time two names."),
			Mutant.of("repeated-without-catch-up", JOB, "return horizon != null && !fireTime",
					"return horizon == null || !fireTime", "A run that failed is repeated although nobody wants that."),
			Mutant.of("repeated-again-and-again", JOB_RECORD,
					"return this.state != State.SUCCEEDED && this.attempt - Math.min(this.stopped, MOST_STOPPED) < 2;",
					"return this.state != State.SUCCEEDED;", "A run that fails is repeated until it succeeds."),
			Mutant.of("success-repeated", JOB_RECORD,
					"return this.state != State.SUCCEEDED && this.attempt - Math.min(this.stopped, MOST_STOPPED) < 2;",
					"return this.attempt - this.stopped < 2;", "A run that succeeded is repeated."),
			Mutant.of("end-not-written", JOB, "return replace(handle, claimed.text(), ended, ATTEMPTS).thenCompose(",
					"return replace(handle, null, ended, ATTEMPTS).thenCompose(",
					"A run that succeeded seems not to have ended."),
			Mutant.of("failure-blocks-the-job", JOB, "if (order < 0) {",
					"if (order < 0 && last.state() == JobRecord.State.SUCCEEDED) {",
					"A job whose run failed or did not end is never run again."),
			Mutant.of("late-without-limit", JOB, "return horizon != null && !fireTime.plus(horizon).isBefore(",
					"return horizon != null && !fireTime.plus(SHORTEST_MEMORY).isBefore(",
					"A run is made up for long after its time."));

	/** Those that show when each fire time is accounted for. */
	private static final List<Mutant> REPORTS = List.of(
			Mutant.of("missed-fire-times-not-reported", JOB, "if (newest == null || !newest.isAfter(last)) {",
					"if (newest != null) {", "Nobody learns of fire times that nobody ran."),
			Mutant.of("repeated-run-does-not-say-so", JOB, "run.attempt() > 1, 1));", "false, 1));",
					"A second run passes for the first one."),
			Mutant.of("two-caught-up", JOB, "if (order < 0) {\n\t\t\t\treturn newRun(handle, due, 1, 0);",
					"if (order < 0) {\n\t\t\t\tInstant before = Job.this.schedule.latest(due.minusMillis(1));\n"
							+ "\t\t\t\treturn newRun(handle, (this.late && before != null && before.isAfter(last.fireTime())) ? before : due, 1, 0);",
					"The fire time before the newest one is caught up as well."));

	private Bugs() {
	}

	/**
	 * Returns which fault is to come often when a bug is looked for.
	 * @return the label of the fault, {@code null} for none
	 */
	public static @Nullable String shownBy(Mutant bug) {
		return SHOWN_BY.get(bug.name());
	}

	/**
	 * Returns in which phase a bug is looked for.
	 */
	public static String phaseOf(Mutant bug) {
		return Clustered.SLOTS_ON_THEIR_WAY.equals(shownBy(bug)) ? "cluster" : "standalone";
	}

	/**
	 * Returns bugs that show in what is told of jobs, which a campaign does not compare.
	 */
	public static List<Mutant> ofReports() {
		return REPORTS;
	}

	/**
	 * Returns the bugs to plant.
	 * @param which {@code true} for all that a campaign finds, {@code quick} for a few,
	 * or names separated by commas
	 */
	public static List<Mutant> of(String which) {
		List<Mutant> all = new ArrayList<>(Mutants.engine());
		all.addAll(Mutants.scripts());
		all.addAll(STORE);
		all.addAll(COMPANY);
		all.addAll(BEYOND);
		all.addAll(JOBS);
		return switch (which) {
			case "true" -> all.stream().filter((mutant) -> !LEFT_TO_SIMULATION.contains(mutant.name())).toList();
			case "quick" -> all.stream().filter((mutant) -> QUICK.contains(mutant.name())).toList();
			default -> {
				Set<String> names = Set.of(which.split(","));
				yield all.stream().filter((mutant) -> names.contains(mutant.name())).toList();
			}
		};
	}

}
