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

import io.distributedlock.LockEvent
import io.distributedlock.LockHandle
import io.distributedlock.LockListener
import io.distributedlock.LockLostException
import io.distributedlock.LockNotAcquiredException
import io.distributedlock.LockOptions
import io.distributedlock.LockOptionsCustomizer
import io.distributedlock.annotation.internal.validation.LockWarnings
import io.distributedlock.engine.DefaultLockService
import io.distributedlock.faults.RedisInstances
import io.distributedlock.testsupport.RedisExtension
import io.distributedlock.testsupport.RedisServer
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.SharedFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.api.extension.ExtendWith
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import org.springframework.beans.factory.support.DefaultListableBeanFactory
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CopyOnWriteArrayList

/**
 * Tests for suspending functions and flows, on a real Redis.
 */
@OptIn(ExperimentalCoroutinesApi::class)
@ExtendWith(RedisExtension::class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
internal class LockedCoroutineTests {

	private val events = CopyOnWriteArrayList<LockEvent>()

	private lateinit var server: RedisServer

	private lateinit var instances: RedisInstances

	private lateinit var here: DefaultLockService

	private lateinit var there: DefaultLockService

	private lateinit var fixture: LockFixture

	private lateinit var work: Work

	@BeforeAll
	fun startInstances(server: RedisServer) {
		this.server = server
		instances = RedisInstances(server)
		here = instances.start("here", LockListener { events.add(it) })
		there = instances.start("there")
		fixture = LockFixture(here)
		work = fixture.start(Work::class.java)
	}

	@BeforeEach
	fun forget() {
		server.flushAll()
		events.clear()
	}

	@AfterEach
	fun nothingIsLeftAndTheNextOneGetsTheLockAtOnce() {
		await().untilAsserted { assertNothingIsLeft() }
		assertThat(there.tryAcquire("coroutine", LONG)).hasValueSatisfying { it.close() }
	}

	@AfterAll
	fun stop() {
		fixture.close()
		instances.close()
	}

	@Test
	fun `suspending function holds its lock until it completes and does not block the caller`() = runBlocking<Unit> {
		val body = Body()
		val result = async { work.suspending(body) }
		body.started.await()
		assertThat(isLocked()).isTrue()
		assertThat(result.isCompleted).isFalse()
		body.result.complete("done")
		assertThat(result.await()).isEqualTo("done")
		assertNothingIsLeft()
	}

	@Test
	fun `suspending function waits for its lock without blocking the thread`() = runBlocking<Unit> {
		val body = Body()
		body.result.complete("done")
		val elsewhere = there.acquire("coroutine", LONG)
		// One thread: were it blocked, nobody would release the lock
		val result = async { work.waiting(body) }
		launch {
			await().until { here.waiting().isNotEmpty() || result.isCompleted }
			elsewhere.close()
		}
		assertThat(withTimeout(30_000) { result.await() }).isEqualTo("done")
		assertNothingIsLeft()
	}

	@Test
	fun `failure reaches the caller and the lock is free`() {
		val body = Body()
		body.result.completeExceptionally(IllegalStateException("test"))
		assertThatExceptionOfType(IllegalStateException::class.java)
			.isThrownBy { runBlocking { work.suspending(body) } }
			.withMessage("test")
		assertNothingIsLeft()
	}

	@Test
	fun `cancellation reaches the work and the lock is free`() = runBlocking<Unit> {
		val body = Body()
		val job = launch { work.suspending(body) }
		body.started.await()
		assertThat(isLocked()).isTrue()
		job.cancelAndJoin()
		await().untilAsserted { assertNothingIsLeft() }
		assertThat(body.cancelled.isCompleted).isTrue()
	}

	@Test
	fun `cancelled wait leaves nothing behind`() = runBlocking<Unit>(Dispatchers.Default) {
		val body = Body()
		there.acquire("coroutine", LONG).use { elsewhere ->
			val job = launch { work.waiting(body) }
			await().until { here.waiting().isNotEmpty() }
			job.cancelAndJoin()
			await().until { here.waiting().isEmpty() }
			assertThat(elsewhere.isHeld).isTrue()
		}
		assertThat(body.started.isCompleted).isFalse()
		await().untilAsserted { assertNothingIsLeft() }
	}

	@Test
	fun `busy lock throws, is skipped with null, or answered by the suspending fallback`() {
		val body = Body()
		there.acquire("coroutine", LONG).use {
			assertThrows<LockNotAcquiredException> { runBlocking { work.suspending(body) } }
			assertThat(runBlocking { work.skipping(body) }).isNull()
			runBlocking { work.skippingUnit(body) }
			assertThat(runBlocking { work.fallingBack(body) }).isEqualTo("fallback of coroutine")
		}
		assertThat(body.started.isCompleted).isFalse()
		assertNothingIsLeft()
	}

	@Test
	fun `loss fails the call after the work`() {
		assertThrows<LockLostException> { losing { work.shortLease(it) } }
		await().untilAsserted { assertNothingIsLeft() }
	}

	@Test
	fun `loss fails a flow after its end`() {
		assertThrows<LockLostException> { losing { work.flowShortLease(it).toList() } }
		await().untilAsserted { assertNothingIsLeft() }
	}

	@Test
	fun `loss is only logged by default`() {
		assertThat(losing { work.logged(it) }).isEqualTo("done")
		assertNothingIsLeft()
	}

	@Test
	fun `loss cancels the work`() {
		val suspending = Body()
		assertThrows<LockLostException> { losing(suspending, ending = false) { work.interrupted(it) } }
		events.clear()
		val flow = Body()
		assertThrows<LockLostException> { losing(flow, ending = false) { work.flowInterrupted(it).toList() } }
		runBlocking {
			withTimeout(30_000) {
				suspending.cancelled.await()
				flow.cancelled.await()
			}
		}
		await().untilAsserted { assertNothingIsLeft() }
	}

	/**
	 * Call a function that loses its lock while it runs, and whose work ends after that or not at all.
	 */
	private fun <T> losing(body: Body = Body(), ending: Boolean = true, call: suspend (Body) -> T): T =
		runBlocking(Dispatchers.Default) {
			launch {
				body.started.await()
				instances.endLease("coroutine", SHORT)
				await().until { events.any { it is LockEvent.Lost } }
				if (ending) {
					body.result.complete("done")
				}
			}
			call(body)
		}

	@Test
	fun `time limit of the caller ends the work, and the wait`() = runBlocking<Unit>(Dispatchers.Default) {
		var body = Body()
		var limit = 100L
		// On a busy machine, the lock itself may take as long
		while (!body.started.isCompleted) {
			body = Body()
			assertThrows<TimeoutCancellationException> { withTimeout(limit) { work.suspending(body) } }
			await().untilAsserted { assertNothingIsLeft() }
			limit *= 2
		}
		withTimeout(30_000) { body.cancelled.await() }
		await().untilAsserted { assertNothingIsLeft() }
		there.acquire("coroutine", LONG).use {
			assertThrows<TimeoutCancellationException> { withTimeout(200) { work.waiting(Body()) } }
			await().until { here.waiting().isEmpty() }
		}
		await().untilAsserted { assertNothingIsLeft() }
	}

	@Test
	fun `minimum hold is kept after success, and not after failure or cancellation`() = runBlocking<Unit> {
		val failing = Body()
		failing.result.completeExceptionally(IllegalStateException("test"))
		assertThrows<IllegalStateException> { work.keeping(failing) }
		assertNothingIsLeft()
		val cancelled = Body()
		val job = launch { work.keeping(cancelled) }
		cancelled.started.await()
		job.cancelAndJoin()
		await().untilAsserted { assertNothingIsLeft() }
		val done = Body()
		done.result.complete("done")
		assertThat(work.keeping(done)).isEqualTo("done")
		assertThat(isLocked()).isTrue()
		server.flushAll()
	}

	@Test
	fun `flow that is cancelled while it waits leaves nothing behind`() = runBlocking<Unit>(Dispatchers.Default) {
		val body = Body()
		there.acquire("coroutine", LONG).use {
			val job = launch { work.flowWaiting(body).toList() }
			await().until { here.waiting().isNotEmpty() }
			job.cancelAndJoin()
			await().until { here.waiting().isEmpty() }
		}
		assertThat(body.started.isCompleted).isFalse()
		await().untilAsserted { assertNothingIsLeft() }
	}

	@Test
	fun `flow is answered by the fallback`() {
		there.acquire("coroutine", LONG).use {
			assertThat(runBlocking { work.flowFallingBack(Body()).toList() }).containsExactly("fallback of coroutine")
		}
		assertNothingIsLeft()
	}

	@Test
	fun `inner suspending call takes part in the lock of the outer call`() = runBlocking<Unit> {
		val body = Body()
		body.result.complete("inner")
		assertThat(work.around { work.suspending(body) }).isEqualTo("inner")
		assertThat(events.filterIsInstance<LockEvent.Acquired>()).hasSize(1)
		assertNothingIsLeft()
	}

	@Test
	fun `context of the coroutine is kept`() = runBlocking<Unit>(CoroutineName("caller")) {
		assertThat(work.nameOfCoroutine()).isEqualTo("caller")
	}

	@Test
	fun `handle and default arguments are passed on`() = runBlocking<Unit> {
		assertThat(work.token()).isPositive()
		assertThat(work.withDefault()).isEqualTo("default")
		assertThat(work.withDefault("given")).isEqualTo("given")
		assertThat(events.filterIsInstance<LockEvent.Acquired>().map { it.name })
			.containsExactly("coroutine", "coroutine:default", "coroutine:given")
	}

	@Test
	fun `blocking function with default arguments is locked`() {
		assertThat(work.blocking()).isEqualTo("default")
		assertThat(events.filterIsInstance<LockEvent.Acquired>().map { it.name })
			.containsExactly("coroutine:default")
		assertNothingIsLeft()
	}

	@Test
	fun `flow takes its lock when it is collected and holds it until the end`() = runBlocking<Unit> {
		val body = Body()
		val flow = work.flow(body)
		assertThat(isLocked()).isFalse()
		val result = async { flow.toList() }
		body.started.await()
		assertThat(isLocked()).isTrue()
		body.result.complete("done")
		assertThat(result.await()).containsExactly("first", "done")
		assertNothingIsLeft()
		assertThat(flow.toList()).containsExactly("first", "done")
		assertThat(events.filterIsInstance<LockEvent.Acquired>()).hasSize(2)
	}

	@Test
	fun `flow that fails or is left early frees its lock`() {
		val failing = Body()
		failing.result.completeExceptionally(IllegalStateException("test"))
		assertThrows<IllegalStateException> { runBlocking { work.flow(failing).toList() } }
		assertNothingIsLeft()
		assertThat(runBlocking { work.flow(Body()).first() }).isEqualTo("first")
		await().untilAsserted { assertNothingIsLeft() }
	}

	@Test
	fun `skipped flow is empty`() {
		there.acquire("coroutine", LONG).use {
			assertThrows<LockNotAcquiredException> { runBlocking { work.flow(Body()).toList() } }
			assertThat(runBlocking { work.flowSkipping(Body()).toList() }).isEmpty()
		}
		assertNothingIsLeft()
	}

	@Test
	fun `flow of a suspending function is locked until its end`() = runBlocking<Unit> {
		val body = Body()
		val result = async { work.suspendingFlow(body).toList() }
		body.started.await()
		assertThat(isLocked()).isTrue()
		body.result.complete("done")
		assertThat(result.await()).containsExactly("first", "done")
		assertNothingIsLeft()
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
		deferred           | 'kotlinx.coroutines.Deferred ~ Make it a suspending function'
		future             | 'java.util.concurrent.CompletableFuture ~ Await the result'
		stateFlow          | 'Return kotlinx.coroutines.flow.Flow.'
		sharedFlow         | 'Return kotlinx.coroutines.flow.Flow.'
		suspendedStateFlow | 'Return kotlinx.coroutines.flow.Flow.'
		skippedToNull      | 'String, which cannot be null ~ String?'
		skippedBlocking    | 'String, which cannot be null'
		skippedNumber      | 'onContention'
		blockingFallback   | 'suspend String busy(LockedCoroutineTests.Body, LockNotAcquiredException)'""")
	fun `invalid function is refused at start-up`(function: String, texts: String) {
		assertThatExceptionOfType(InvalidLockDefinitionException::class.java).isThrownBy { find(function) }
			.satisfies({ assertThat(it).hasMessageContainingAll(*texts.split(" ~ ").toTypedArray()) })
	}

	@Test
	fun `sequence is warned about`() {
		assertThat(LockWarnings.of(requireNotNull(find("sequence")))).singleElement()
			.extracting { it.problem }
			.asString()
			.contains("Sequence")
	}

	private fun find(function: String): LockedMethod? {
		val beans = DefaultListableBeanFactory()
		val factory = LockedMethodFactory(beans, { here }, beans.getBeanProvider(LockOptionsCustomizer::class.java))
		return LockedMethodSource { factory }.find(
			Mistakes::class.java.declaredMethods.first { it.name == function },
			Mistakes::class.java,
		)
	}

	private fun isLocked() = server.cli("EXISTS", "lock:coroutine") == 1L

	private fun assertNothingIsLeft() {
		assertThat(server.cli("KEYS", "*") as List<*>).allMatch { it.toString().endsWith(":fence") }
		assertThat(here.held()).isEmpty()
		assertThat(here.waiting()).isEmpty()
	}

	/**
	 * What a function does, under the control of the test.
	 */
	internal class Body {

		val started = CompletableDeferred<Unit>()

		val cancelled = CompletableDeferred<Unit>()

		val result = CompletableDeferred<String>()

		suspend fun run(): String {
			started.complete(Unit)
			try {
				return result.await()
			} catch (ex: kotlinx.coroutines.CancellationException) {
				cancelled.complete(Unit)
				throw ex
			}
		}

	}

	internal open class Work {

		@DistributedLock("coroutine")
		open suspend fun suspending(body: Body): String = body.run()

		@DistributedLock("coroutine", waitTime = 10)
		open suspend fun waiting(body: Body): String = body.run()

		@DistributedLock("coroutine", onContention = OnContention.SKIP)
		open suspend fun skipping(body: Body): String? = body.run()

		@DistributedLock("coroutine", onContention = OnContention.SKIP)
		open suspend fun skippingUnit(body: Body) {
			body.run()
		}

		@DistributedLock("coroutine", fallbackMethod = "busy")
		open suspend fun fallingBack(body: Body): String = body.run()

		@Suppress("UNUSED_PARAMETER", "unused", "RedundantSuspendModifier")
		private suspend fun busy(body: Body, busy: LockNotAcquiredException): String = "fallback of ${busy.lockName}"

		@DistributedLock("coroutine", timeoutString = "60s", onLost = LossReaction.THROW)
		open suspend fun shortLease(body: Body): String = body.run()

		@DistributedLock("coroutine", timeoutString = "60s")
		open suspend fun logged(body: Body): String = body.run()

		@DistributedLock("coroutine", timeoutString = "60s", onLost = LossReaction.INTERRUPT)
		open suspend fun interrupted(body: Body): String = body.run()

		@DistributedLock("coroutine", timeout = 60, minHold = 60)
		open suspend fun keeping(body: Body): String = body.run()

		@DistributedLock("coroutine")
		open suspend fun around(inner: suspend () -> String): String = inner()

		@DistributedLock("coroutine")
		open suspend fun nameOfCoroutine(): String? = currentCoroutineContext()[CoroutineName]?.name

		@DistributedLock("coroutine")
		open suspend fun token(handle: LockHandle? = null): Long = requireNotNull(handle).fencingToken()

		@DistributedLock("'coroutine:' + #text")
		open suspend fun withDefault(text: String = "default"): String = text

		@DistributedLock("'coroutine:' + #text")
		open fun blocking(text: String = "default"): String = text

		@DistributedLock("coroutine")
		open fun flow(body: Body): Flow<String> = body.toFlow()

		@DistributedLock("coroutine", onContention = OnContention.SKIP)
		open fun flowSkipping(body: Body): Flow<String> = body.toFlow()

		@DistributedLock("coroutine", waitTime = 10)
		open fun flowWaiting(body: Body): Flow<String> = body.toFlow()

		@DistributedLock("coroutine", fallbackMethod = "flowBusy")
		open fun flowFallingBack(body: Body): Flow<String> = body.toFlow()

		@Suppress("UNUSED_PARAMETER", "unused")
		private fun flowBusy(body: Body, busy: LockNotAcquiredException) = flowOf("fallback of ${busy.lockName}")

		@DistributedLock("coroutine", timeoutString = "60s", onLost = LossReaction.THROW)
		open fun flowShortLease(body: Body): Flow<String> = body.toFlow()

		@DistributedLock("coroutine", timeoutString = "60s", onLost = LossReaction.INTERRUPT)
		open fun flowInterrupted(body: Body): Flow<String> = body.toFlow()

		@DistributedLock("coroutine")
		open suspend fun suspendingFlow(body: Body): Flow<String> = body.toFlow()

		private fun Body.toFlow() = flow {
			emit("first")
			emit(run())
		}

	}

	internal open class Mistakes {

		@DistributedLock("coroutine")
		open fun deferred(): Deferred<String> = CompletableDeferred("done")

		@DistributedLock("coroutine")
		open suspend fun future(): CompletableFuture<String> = CompletableFuture.completedFuture("done")

		@DistributedLock("coroutine")
		open fun stateFlow(): StateFlow<String> = MutableStateFlow("done")

		@DistributedLock("coroutine")
		open fun sharedFlow(): SharedFlow<String> = MutableStateFlow("done")

		@DistributedLock("coroutine")
		open suspend fun suspendedStateFlow(): StateFlow<String> = MutableStateFlow("done")

		@DistributedLock("coroutine")
		open fun sequence(): Sequence<String> = sequenceOf("done")

		@DistributedLock("coroutine", onContention = OnContention.SKIP)
		open suspend fun skippedToNull(): String = "done"

		@DistributedLock("coroutine", onContention = OnContention.SKIP)
		open fun skippedBlocking(): String = "done"

		@DistributedLock("coroutine", onContention = OnContention.SKIP)
		open suspend fun skippedNumber(): Int = 1

		@DistributedLock("coroutine", fallbackMethod = "busy")
		open suspend fun blockingFallback(body: Body): String = body.run()

		@Suppress("unused", "UNUSED_PARAMETER")
		fun busy(body: Body): String = "busy"

	}

	private companion object {

		val LONG: LockOptions = LockOptions.ofLease(Duration.ofMinutes(5))

		/** The lease of the functions that lose it. */
		val SHORT: Duration = Duration.ofSeconds(60)

	}

}
