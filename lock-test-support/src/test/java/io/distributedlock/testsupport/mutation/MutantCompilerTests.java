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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntSupplier;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link Mutant}, {@link MutantCompiler} and {@link MutantClassLoader}, with
 * the class {@link Answer} as the original.
 */
class MutantCompilerTests {

	private static final String FILE = "java/" + Answer.class.getName().replace('.', '/') + ".java";

	private static final Mutant MUTANT = Mutant.of("wrong-answer", FILE, "42", "43", "The answer is wrong.");

	@TempDir
	private Path root;

	private MutantCompiler compiler;

	@BeforeEach
	void writeSources() throws IOException {
		Path file = this.root.resolve("src").resolve(FILE);
		Files.createDirectories(file.getParent());
		Files.writeString(file, """
				package io.distributedlock.testsupport.mutation;
				class Answer implements java.util.function.IntSupplier {
					Answer() { }
					public int getAsInt() { return 42; }
					int first() { return 1; }
					int second() { return 1; }
				}
				""");
		this.compiler = new MutantCompiler(List.of(this.root.resolve("src")), System.getProperty("java.class.path"));
	}

	@Test
	void theMutantIsLoadedBesideTheOriginal() throws Exception {
		Path output = this.compiler.compile(MUTANT, this.root.resolve("out"));
		ClassLoader loader = new MutantClassLoader(output, getClass().getClassLoader(), getClass().getPackageName());
		assertThat(answer(loader)).isEqualTo(43);
		assertThat(answer(getClass().getClassLoader())).isEqualTo(42);
	}

	@Test
	void aResourceIsCopied() throws IOException {
		Path script = this.root.resolve("src/resources/a/script.lua");
		Files.createDirectories(script.getParent());
		Files.writeString(script, "return 1");
		this.compiler.compile(Mutant.of("two", "resources/a/script.lua", "1", "2", "Wrong."), this.root.resolve("out"));
		assertThat(this.root.resolve("out/a/script.lua")).hasContent("return 2");
	}

	@Test
	void aTextIsSearchedBehindAnother() {
		Mutant second = Mutant.of("second", FILE, "return 1;", "return 2;", "Wrong.").after("int second()");
		assertThat(this.compiler.plant(second)).contains("int first() { return 1; }")
			.contains("int second() { return 2; }");
	}

	@Test
	void aBugMayTakeTwoChanges() {
		assertThat(this.compiler.plant(MUTANT.also("int first() { return 1; }", "int first() { return 2; }")))
			.contains("return 43;")
			.contains("int first() { return 2; }");
	}

	@Test
	void aMutantThatDoesNotFitFailsByItsName() {
		assertThatIllegalStateException()
			.isThrownBy(() -> this.compiler.plant(Mutant.of("gone", FILE, "44", "43", "Wrong.")))
			.withMessageContaining("'gone'")
			.withMessageContaining("'44' does not occur");
		assertThatIllegalStateException()
			.isThrownBy(() -> this.compiler.plant(Mutant.of("unclear", FILE, "return 1;", "", "Wrong.")))
			.withMessageContaining("'unclear'")
			.withMessageContaining("more than once");
		assertThatIllegalStateException()
			.isThrownBy(() -> this.compiler.compile(Mutant.of("broken", FILE, "42", "?", "Wrong."), this.root))
			.withMessageContaining("'broken' does not compile");
	}

	private static int answer(ClassLoader loader) throws ReflectiveOperationException {
		var constructor = loader.loadClass(Answer.class.getName()).getDeclaredConstructor();
		constructor.setAccessible(true);
		return ((IntSupplier) constructor.newInstance()).getAsInt();
	}

}
