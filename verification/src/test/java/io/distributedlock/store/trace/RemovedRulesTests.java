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

package io.distributedlock.store.trace;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.engine.simulation.Quiet;
import io.distributedlock.engine.simulation.Simulation;
import io.distributedlock.testsupport.mutation.Mutant;
import io.distributedlock.testsupport.mutation.Mutants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The proof that the traces show what the scripts do: with one rule less in a script, or
 * in the store in memory, the check names a step that the models do not allow.
 */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(Quiet.class)
class RemovedRulesTests {

	private static final long SEED = 20261127;

	private static final int TRACES = 600;

	private static final int HISTORIES = 5000;

	private static final String TABLE = "java/io/distributedlock/memory/LockTable.java";

	private Subjects subjects;

	@TempDir
	private Path directory;

	@BeforeAll
	void start() {
		this.subjects = new Subjects();
	}

	@AfterAll
	void stop() {
		this.subjects.close();
	}

	@ParameterizedTest
	@MethodSource("removed")
	void theStepIsNamed(Mutant mutant) throws Exception {
		try (Subject subject = this.subjects.with(mutant, this.directory)) {
			String problem = Traces.check(new TraceChecker(), subject, SEED, TRACES);
			assertThat(problem).matches("(?s)(Holders|RedisLock)\\.tla does not allow step \\d+ of trace:.*");
		}
	}

	@ParameterizedTest
	@MethodSource("removedFromMemory")
	void theStepOfASimulatedHistoryIsNamed(Mutant mutant) throws Exception {
		Method record = Subjects.classWith(mutant, this.directory, Simulation.class)
			.getMethod("record", long.class, long.class, HistoryRecorder.class);
		String problem = Traces.checkHistories(new TraceChecker(), SEED, HISTORIES, (number, recorder) -> {
			try {
				record.invoke(null, SEED, number, recorder);
			}
			catch (ReflectiveOperationException ex) {
				throw new IllegalStateException(ex);
			}
		});
		assertThat(problem).matches("(?s)(Holders|RedisLock)\\.tla does not allow step \\d+ of '.*");
	}

	@Test
	void eachScriptHasOne() {
		assertThat(removed().map((mutant) -> mutant.file().replaceFirst(".*/", "")).distinct()).contains("acquire.lua",
				"join.lua", "extend.lua", "release.lua", "record.lua", "find.lua", "describe.lua", "queue.lua",
				"holders.lua", "reserve.lua");
	}

	static Stream<Mutant> removed() {
		return Stream.concat(Mutants.scripts().stream(), own().stream());
	}

	static Stream<Mutant> removedFromMemory() {
		return removed().filter((mutant) -> mutant.file().endsWith(".java"));
	}

	private static List<Mutant> own() {
		return List.of(
				in("acquire", "repetition-shortens", "elseif redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then",
						"else", "A repeated acquisition never shortens the lease."),
				in("acquire", "alone-overtakes", "busy = front and front ~= token and", "busy = false and",
						"While the key of several holders is there, those that wait come first."),
				in("acquire", "place-stays", "redis.call('ZREM', KEYS[3], token)", "",
						"Who gets the lock leaves the queue."),
				in("join", "overtakes", "elseif left == 'blocked' then", "elseif false then",
						"Nobody gets in while a living waiter is in front."),
				in("join", "beside-nobody",
						"ARGV[8] ~= '' and company.count > 0 and redis.call('ZSCORE', KEYS[1], ARGV[8])",
						"ARGV[8] ~= ''", "Only beside a holder does a caller not wait behind others."),
				in("join", "does-not-fit", "elseif not here.fits(company, limit) then", "elseif false then",
						"A holder gets in if all accept it."),
				in("extend", "late-extension-shortens", "if exactly or left", "if true or left",
						"An extension shortens a lease only if asked to."),
				in("extend", "ended-holder-extended", "elseif own and own > millis then", "elseif own then",
						"An extension never adds a holder."),
				in("release", "cancel-serves-nobody", "if here.front() then", "if held and here.front() then",
						"One that only waited serves those behind it."),
				in("record", "record-of-anybody", "if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then", "if false then",
						"Only the holder writes the record."),
				in("queue", "passed-over", "return 'blocked', waiter", "served = false",
						"The queue stops at a living waiter that does not fit."),
				in("queue", "dead-served", "entry and tonumber(aliveUntil) > millis and waiter ~= own",
						"entry and waiter ~= own", "Who gave no sign of life is dropped."),
				in("queue", "sign-not-renewed", "local entered = redis.pcall('HSET', KEYS[4], token, entry)",
						"local entered = redis.pcall('HSETNX', KEYS[4], token, entry)",
						"A repeated acquisition renews the sign of life."),
				in("holders", "limit-not-kept", "if limit == '0' then", "if true then",
						"The limits of the holders count."),
				in("holders", "key-to-own-end", "whole(math.max(ends, others or 0) - millis + GRACE)",
						"whole(ends - millis + GRACE)", "The key lives until the latest end."),
				in("holders", "ended-counted", "if ends <= millis then", "if false then",
						"Ended holders are removed before the count."),
				in("reserve", "one-token-reserved", "first + block - 1, block)", "first, block)",
						"A grant reserves its block of fencing tokens."),
				in("find", "ended-found", "string.format('(%.0f', millis)", "'(2147483648'",
						"Ended holders hold nothing."),
				in("describe", "dead-described", "if aliveUntil and aliveUntil * 1000 > now then", "if aliveUntil then",
						"Who gave no sign of life does not wait."),
				Mutant.of("memory: repetition-shortens", TABLE, "own.until(Math.max(end, own.expiresAt()))",
						"own.until(end)", "A repeated acquisition never shortens the lease."),
				Mutant.of("memory: cancel-serves-nobody", TABLE,
						"if (held || (others && !entry.isHeldAlone(now)) || entry.graceAt(now) > 0) {", "if (held) {",
						"One that only waited serves those behind it."),
				Mutant.of("memory: passed-over", TABLE, "if (token.equals(end) || blocked) {",
						"if (token.equals(end) || entry.isHeldAlone(now)) {\n\t\t\t\tbreak;\n\t\t\t}\n\t\t\tif (blocked) {\n\t\t\t\tcontinue;\n\t\t\t}\n\t\t\tif (false) {",
						"The queue stops at a living waiter that does not fit."));
	}

	private static Mutant in(String script, String name, String find, String replacement, String rule) {
		return Mutant.of(script + ": " + name, "resources/io/distributedlock/redis/" + script + ".lua", find,
				replacement, rule);
	}

}
