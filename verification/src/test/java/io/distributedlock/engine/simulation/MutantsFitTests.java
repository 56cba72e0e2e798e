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

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.testsupport.mutation.Mutant;
import io.distributedlock.testsupport.mutation.MutantCompiler;
import io.distributedlock.testsupport.mutation.Mutants;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The texts of the planted bugs follow the sources: whoever changes a source learns here,
 * and not in a long run, that a mutant has to be adapted.
 */
class MutantsFitTests {

	private final MutantCompiler compiler = MutantCompiler.ofProject(Path.of(".."), "");

	@ParameterizedTest
	@MethodSource("mutants")
	void fits(Mutant mutant) {
		assertThat(this.compiler.plant(mutant)).contains(mutant.replacement());
	}

	static Stream<Mutant> mutants() {
		return Stream
			.of(Mutants.engine(), Mutants.scripts(), StoreMutants.all(), JobMutants.all(), JobMutants.ofZones())
			.flatMap(List::stream);
	}

}
