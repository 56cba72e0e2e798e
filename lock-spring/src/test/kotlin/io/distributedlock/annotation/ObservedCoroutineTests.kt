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

package io.distributedlock.annotation

import io.distributedlock.engine.DefaultLockService
import io.distributedlock.engine.EngineSettings
import io.distributedlock.engine.Ticker
import io.distributedlock.memory.InMemoryLockStore
import io.distributedlock.observation.DefaultLockAcquireObservationConvention
import io.distributedlock.observation.DefaultLockHoldObservationConvention
import io.distributedlock.observation.LockObservations
import io.micrometer.observation.Observation
import io.micrometer.observation.ObservationHandler
import io.micrometer.observation.ObservationRegistry
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import reactor.util.context.Context

/**
 * Tests for the observations of suspending functions.
 */
internal class ObservedCoroutineTests {

	private val registry = ObservationRegistry.create().also {
		it.observationConfig().observationHandler(ObservationHandler<Observation.Context> { true })
	}

	private val observations = LockObservations({ registry }, LockObservations.Spans.ALL, LockObservations.Conventions(
			DefaultLockAcquireObservationConvention(), DefaultLockHoldObservationConvention(), null, null))

	@Test
	fun `suspending function finds the hold, a part of its caller, in its Reactor context`() {
		val caller = Observation.start("caller", registry)
		DefaultLockService(InMemoryLockStore(), EngineSettings.of("here"), listOf(), Ticker.system(), observations)
			.use { service ->
				LockFixture(service).use { fixture ->
					val work = fixture.start(ObservedWork::class.java)
					val seen = runBlocking {
						withContext(ReactorContext(Context.of("micrometer.observation", caller))) { work.run() }
					}
					assertThat(seen?.context?.name).isEqualTo("distributed.lock.hold")
					assertThat(seen?.context?.parentObservation).isSameAs(caller)
				}
			}
		caller.stop()
	}

	open class ObservedWork {

		@DistributedLock("coroutine")
		open suspend fun run(): Observation? = currentCoroutineContext()[ReactorContext]?.context
			?.getOrDefault<Observation>("micrometer.observation", null)

	}

}
