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

package io.distributedlock.documentation

import io.distributedlock.engine.DefaultLockService
import io.distributedlock.engine.EngineSettings
import io.distributedlock.memory.InMemoryLockStore
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import java.nio.file.Path
import kotlin.io.path.readText

/**
 * The Kotlin of docs/lock-service.md is that of [Exports], which is compiled, and runs.
 */
@Timeout(60)
internal class DocumentedKotlinTests {

	@Test
	fun `the page shows the class that is compiled here, and nothing else in Kotlin`() {
		val source = Path.of("src/test/kotlin/io/distributedlock/documentation/Exports.kt").readText()
		val shown = Path.of("../docs/lock-service.md").readText().split("```kotlin\n").drop(1).map { it.substringBefore("```") }
		assertThat(shown).containsExactly(source.substringAfter("package io.distributedlock.documentation\n\n"))
	}

	@Test
	fun `the class works under its lock`() = runBlocking<Unit> {
		InMemoryLockStore().use { store ->
			DefaultLockService(store, EngineSettings.of("here"), listOf()).use { locks ->
				assertThat(Exports(locks).export("7")).matches("Wrote 7, token [1-9]\\d*")
			}
		}
	}

}
