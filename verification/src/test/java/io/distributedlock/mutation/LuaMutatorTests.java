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

package io.distributedlock.mutation;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link LuaMutator} and {@link Survivors}, and that the table fits the
 * scripts.
 */
class LuaMutatorTests {

	@Test
	void eachRowNamesAMutant() {
		Set<Survivors.Key> mutants = SentScripts.mutants(List.of())
			.stream()
			.map(ScriptMutant::key)
			.collect(Collectors.toSet());
		assertThat(Survivors.read().notAmong(mutants, SentScripts.files().keySet())).isEmpty();
	}

	@Test
	void noTwoMutantsHaveOneName() {
		assertThat(SentScripts.mutants(List.of())).extracting(ScriptMutant::key).doesNotHaveDuplicates();
	}

	@Test
	void comparisonsBoundsAndConnectivesChange() {
		assertThat(changes("if count <= 16 and not left then")).containsExactly("<= to <", "<= to >", "16 to 17",
				"16 to 15", "16 to 0", "and to or", "not to nothing");
		assertThat(changes("return a == -1 or b ~= 'x < 3'")).containsExactly("== to ~=", "1 to 2", "1 to 0",
				"or to and", "~= to ==", "removed");
		assertThat(changes("x(ends - millis + GRACE)")).containsExactly("- to +", "+ to -", "removed");
		assertThat(changes("local number = #ended -- 1 < 2")).isEmpty();
	}

	@Test
	void aConditionThatComparesNothingIsNegated() {
		assertThat(texts("\tif problem then\n\t\treturn problem\n\tend\n"))
			.containsExactly("\tif not (problem) then\n\t\treturn problem\n\tend\n", "\tif problem then\n\n\tend\n");
	}

	@Test
	void adjacentCallsChangeTheirOrder() {
		assertThat(texts("write('a')\nwrite('b')\n")).containsExactly("\nwrite('b')\n", "write('b')\nwrite('a')\n",
				"write('a')\n\n");
	}

	@Test
	void equalLinesAreCounted() {
		assertThat(LuaMutator.mutants("a.lua", "write('a')\nend\nwrite('a')\n")).extracting(ScriptMutant::line)
			.containsExactly("write('a') @1", "write('a') @2");
	}

	@Test
	void aRowExplainsItsMutants() {
		Survivors survivors = new Survivors("""
				| Script | Line | Change | Why |
				|---|---|---|---|
				| `a.lua` | `if x < 1 then` | `< to <=; 1 to 2` | Because. |
				""");
		assertThat(survivors.explains(new Survivors.Key("a.lua", "if x < 1 then", "< to <="))).isTrue();
		assertThat(survivors.explains(new Survivors.Key("a.lua", "if x < 1 then", "< to >="))).isFalse();
		assertThat(survivors.notAmong(List.of(new Survivors.Key("a.lua", "if x < 1 then", "< to <=")), Set.of("a.lua")))
			.containsExactly(new Survivors.Key("a.lua", "if x < 1 then", "1 to 2"));
		assertThatIllegalStateException().isThrownBy(() -> new Survivors("| `a.lua` | `x` | `removed` |  |"));
	}

	private static List<String> changes(String line) {
		return LuaMutator.mutants("a.lua", line + "\nend\n").stream().map(ScriptMutant::change).toList();
	}

	private static List<String> texts(String script) {
		return LuaMutator.mutants("a.lua", script).stream().map(ScriptMutant::text).toList();
	}

}
