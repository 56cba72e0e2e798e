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

import java.nio.file.Path;
import java.util.stream.Stream;

import io.distributedlock.testsupport.mutation.Mutant;
import io.distributedlock.testsupport.mutation.MutantCompiler;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The texts of the planted bugs follow the sources.
 */
class BugsTests {

	private final MutantCompiler compiler = MutantCompiler.ofProject(Path.of(".."), "");

	@ParameterizedTest
	@MethodSource("bugs")
	void fits(Mutant mutant) {
		assertThat(this.compiler.plant(mutant)).contains(mutant.replacement());
	}

	static Stream<Mutant> bugs() {
		return Stream.concat(Bugs.of("true").stream(), Bugs.ofReports().stream());
	}

}
