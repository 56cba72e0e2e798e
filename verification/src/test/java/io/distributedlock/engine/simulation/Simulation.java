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

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongFunction;

import io.distributedlock.store.trace.HistoryRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Runs many histories, and makes the first one that fails short.
 */
public final class Simulation {

	private static final int MOST_ROUNDS = 20;

	private Simulation() {
	}

	/**
	 * Run histories with seeds that follow from one.
	 * @return a report of the first failure, shrunk, or {@code null} if there is none
	 */
	public static @Nullable String run(long seed, long from, long to) {
		return run(Script::draw, seed, from, to);
	}

	static @Nullable String run(LongFunction<Script> scripts, long seed, long from, long to) {
		long failed = firstFailure(scripts, seed, from, to);
		return (failed >= 0) ? report(scripts, seed, failed) : null;
	}

	/**
	 * Run histories until one fails.
	 * @return the number of the first one that fails, or -1 if none does
	 */
	public static long firstFailure(long seed, long from, long to) {
		return firstFailure(Script::draw, seed, from, to);
	}

	static long firstFailure(LongFunction<Script> scripts, long seed, long from, long to) {
		for (long number = from; number < to; number++) {
			if (play(scripts.apply(seedOf(seed, number))).violation() != null) {
				return number;
			}
		}
		return -1;
	}

	static long seedOf(long seed, long number) {
		return Chance.mix(seed * 0x9E3779B97F4A7C15L + number);
	}

	static World.History play(long seed) {
		return play(Script.draw(seed));
	}

	static World.History play(Script script) {
		return new World(script, false).run();
	}

	/**
	 * Run a history and write down what its server does.
	 */
	public static void record(long seed, long number, HistoryRecorder recorder) {
		new World(Script.draw(seedOf(seed, number)), false, recorder).run();
	}

	public static String finding(long seed, long number) {
		return play(seedOf(seed, number)).kind().orElseThrow();
	}

	/**
	 * Describe a failure: the shortest script that was found, and what happened in it.
	 */
	public static String report(long seed, long number) {
		return report(Script::draw, seed, number);
	}

	static String report(LongFunction<Script> scripts, long seed, long number) {
		Script script = scripts.apply(seedOf(seed, number));
		World.History history = play(script);
		Script shrunk = shrink(script, history.kind().orElseThrow());
		World.History again = new World(shrunk, true).run();
		StringBuilder text = new StringBuilder(String.format(Locale.ROOT,
				"History %d of seed %d fails: %s%nIt had %d calls and %d faults. The shortest script that fails in this way:%n%n%s%nWhat happens: %s%n",
				number, seed, history.violation(), script.calls().size(), script.faults().size(), shrunk,
				again.violation()));
		List<String> trace = again.trace();
		if (trace != null) {
			trace.forEach((line) -> text.append("  ").append(line).append(System.lineSeparator()));
		}
		return text.toString();
	}

	/**
	 * Leave out whatever the failure does not need.
	 */
	static Script shrink(Script script, String kind) {
		Script shortest = script;
		for (int round = 0; round < MOST_ROUNDS; round++) {
			Script before = shortest;
			for (int i = shortest.faults().size() - 1; i >= 0; i--) {
				shortest = shorter(shortest, shortest.withFaults(without(shortest.faults(), i)), kind);
			}
			for (int i = shortest.calls().size() - 1; i >= 0; i--) {
				shortest = shorter(shortest, shortest.withCalls(without(shortest.calls(), i)), kind);
			}
			for (Script.Weather.Trait trait : Script.Weather.Trait.values()) {
				shortest = shorter(shortest, shortest.withWeather(shortest.weather().without(trait)), kind);
			}
			for (int i = 0; i < shortest.calls().size(); i++) {
				for (int trait = 0; trait < Script.Call.TRAITS; trait++) {
					Script.Call simpler = shortest.calls().get(i).simpler(trait);
					if (simpler != null) {
						List<Script.Call> calls = new ArrayList<>(shortest.calls());
						calls.set(i, simpler);
						shortest = shorter(shortest, shortest.withCalls(calls), kind);
					}
				}
			}
			if (shortest.equals(before)) {
				break;
			}
		}
		return shortest;
	}

	private static Script shorter(Script current, Script candidate, String kind) {
		if (candidate.equals(current)) {
			return current;
		}
		return play(candidate).kind().filter(kind::equals).isPresent() ? candidate : current;
	}

	private static <T> List<T> without(List<T> list, int index) {
		List<T> rest = new ArrayList<>(list);
		rest.remove(index);
		return rest;
	}

}
