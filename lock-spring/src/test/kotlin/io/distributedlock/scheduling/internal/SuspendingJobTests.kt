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
package io.distributedlock.scheduling.internal

import io.distributedlock.annotation.LockValidationException
import io.distributedlock.annotation.OncePerFireTime
import io.distributedlock.memory.InMemoryLockStore
import io.distributedlock.reactive.ReactiveLockContext
import io.distributedlock.scheduling.FireTime
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.scheduling.annotation.EnableScheduling
import org.springframework.scheduling.annotation.Scheduled
import java.time.Duration
import java.time.Instant
import java.util.Optional
import java.util.concurrent.CopyOnWriteArrayList

/**
 * Tests for suspending functions that run once per fire time.
 */
internal class SuspendingJobTests {

	private val store = InMemoryLockStore()

	private val instances = mutableListOf<JobInstance>()

	/** The instances that ran a job, in order. */
	private val runs = CopyOnWriteArrayList<String>()

	@AfterEach
	fun stop() {
		instances.forEach { it.close() }
		store.close()
	}

	@Test
	fun `function runs once per fire time, which it finds in its Reactor context also after a suspension`() =
		runBlocking<Unit> {
			val first = start("first", Nightly::class.java)
			val second = start("second", Nightly::class.java)
			first.at(THREE.minusSeconds(2)).job(Nightly::class.java).run()
			second.at(THREE.plusSeconds(5)).job(Nightly::class.java).run()
			assertThat(runs).containsExactly("first")
			second.at(NEXT_DAY).job(Nightly::class.java).run()
			assertThat(runs).containsExactly("first", "second")
			assertThat(first.job(Nightly::class.java).fireTimes).containsExactly(Optional.of(THREE))
			assertThat(second.job(Nightly::class.java).fireTimes).containsExactly(Optional.of(NEXT_DAY))
			assertThat(first.job(Nightly::class.java).ofThread).`as`("no thread runs it from start to end")
				.containsExactly(Optional.empty())
			assertThat(second.told()).containsExactly("SUCCEEDED 2026-11-28T03:00:00Z by second")
		}

	@Test
	fun `failure and cancellation are recorded, and the fire time is not run again`() = runBlocking<Unit> {
		val first = start("first", Nightly::class.java)
		first.work().failure = IllegalStateException("planned")
		assertThrows<IllegalStateException> { first.at(THREE).job(Nightly::class.java).run() }
		first.work().failure = null
		first.job(Nightly::class.java).run()
		first.job(Nightly::class.java).end = CompletableDeferred()
		val cancelled = launch { first.at(NEXT_DAY).job(Nightly::class.java).run() }
		first.job(Nightly::class.java).begun.await()
		assertThat(record()).contains("running")
		cancelled.cancelAndJoin()
		await().untilAsserted {
			assertThat(first.told()).containsExactly("FAILED 2026-11-27T03:00:00Z by first",
					"FAILED 2026-11-28T03:00:00Z by first")
		}
		assertThat(record()).contains("CancellationException")
	}

	@Test
	fun `function is called by the scheduler of Spring`() {
		val first = start("first", Frequent::class.java, Scheduling::class.java)
		await().untilAsserted { assertThat(first.told()).containsExactly("SUCCEEDED 2026-11-27T03:00:00Z by first") }
		await().until { first.job(Frequent::class.java).calls.size == 1 }
		assertThat(first.job(Frequent::class.java).calls).containsExactly(Optional.of(THREE))
	}

	@Test
	fun `function cannot be run late`() {
		assertThat(assertThrows<LockValidationException> { start("first", Late::class.java) })
			.hasMessageContainingAll("catchUp", "a suspending function", "remove catchUp")
	}

	private fun record() = store.record("suspending").join().orElseThrow()

	private fun start(name: String, vararg beans: Class<*>): JobInstance =
		JobInstance.start(name, store, THREE, runs, *beans).also { instances.add(it) }

	internal open class Nightly(private val work: JobInstance.Work) {

		open val fireTimes = CopyOnWriteArrayList<Optional<Instant>>()

		open val ofThread = CopyOnWriteArrayList<Optional<Instant>>()

		open val begun = CompletableDeferred<Unit>()

		open var end = CompletableDeferred(Unit)

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime("suspending")
		open suspend fun run() {
			work.run()
			delay(1)
			fireTimes.add(fireTime())
			ofThread.add(FireTime.current())
			if (!end.isCompleted) {
				begun.complete(Unit)
			}
			end.await()
		}

	}

	internal open class Frequent(private val work: JobInstance.Work) {

		open val calls = CopyOnWriteArrayList<Optional<Instant>>()

		@Scheduled(fixedRate = 3_600_000)
		@OncePerFireTime("frequent")
		open suspend fun run() {
			work.run()
			calls.add(fireTime())
		}

	}

	internal open class Late {

		@Scheduled(cron = "0 0 3 * * *", zone = "UTC")
		@OncePerFireTime(name = ["late"], catchUp = "2h")
		open suspend fun run() = delay(1)

	}

	@EnableScheduling
	internal open class Scheduling

	private companion object {

		val THREE: Instant = Instant.parse("2026-11-27T03:00:00Z")

		val NEXT_DAY: Instant = THREE.plus(Duration.ofDays(1))

		suspend fun fireTime(): Optional<Instant> =
			currentCoroutineContext()[ReactorContext]?.context?.let { ReactiveLockContext.fireTime(it) }
				?: Optional.empty()

	}

}
