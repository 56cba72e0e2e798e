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

package io.distributedlock.migration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The recipes that docs/migration.md links are the classes that are compiled and tested
 * here.
 */
class MigrationRecipesTests {

	@ParameterizedTest
	@ValueSource(classes = { LockServiceLockProvider.class, LockServiceLockRegistry.class })
	void documentationLinksEachTestedRecipe(Class<?> recipe) throws IOException {
		String source = "src/test/java/" + recipe.getName().replace('.', '/') + ".java";
		assertThat(Path.of(source)).exists();
		assertThat(Files.readString(Path.of("../docs/migration.md"))).contains("](../verification/" + source + ")");
	}

}
