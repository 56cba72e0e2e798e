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

package io.distributedlock.kotlin

import io.distributedlock.LockHandle
import io.distributedlock.LockLostException
import io.distributedlock.LockNotAcquiredException
import io.distributedlock.LockOptions
import io.distributedlock.OnLost
import io.distributedlock.engine.DefaultLockService
import io.distributedlock.engine.EngineSettings
import io.distributedlock.memory.InMemoryLockStore
import io.distributedlock.testsupport.SettableTicker
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.EnumSource
import org.springframework.transaction.TransactionDefinition
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager
import org.springframework.transaction.reactive.GenericReactiveTransaction
import org.springframework.transaction.reactive.TransactionSynchronizationManager
import org.springframework.transaction.reactive.TransactionalOperator
import org.springframework.transaction.reactive.executeAndAwait
import reactor.core.publisher.Mono
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger

/**
 * Tests for the suspending extension of the lock service.
 */
@Timeout(60)
internal class LockServiceExtensionsTests {

	private val ticker = SettableTicker()

	private val store = InMemoryLockStore(ticker::nanos)

	private val locks = DefaultLockService(store, EngineSettings.of("here"), listOf(), ticker::nanos)

	private val elsewhere = DefaultLockService(store.connect(), EngineSettings.of("elsewhere"), listOf(), ticker::nanos)

	@AfterEach
	fun nothingIsLeft() {
		assertThat(locks.held()).isEmpty()
		assertThat(locks.waiting()).isEmpty()
		await().until { elsewhere.tryAcquire(NAME).map { it.close() }.isPresent }
		locks.close()
		elsewhere.close()
	}

	@Test
	fun `lock is held while the block runs, in the context of the caller, and free when it has returned`() =
		runBlocking<Unit> {
			val result = async(CoroutineName("caller")) {
				locks.withLock(NAME) { handle ->
					yield()
					assertThat(handle.isHeld).isTrue()
					assertThat(elsewhere.isLocked(NAME)).isTrue()
					currentCoroutineContext()[CoroutineName]?.name
				}
			}
			assertThat(result.await()).isEqualTo("caller")
			assertThat(elsewhere.isLocked(NAME)).isFalse()
		}

	@Test
	fun `exception of the block reaches the caller, and the minimum hold is waived`() = runBlocking<Unit> {
		val thrown = assertThrows<IllegalStateException> {
			locks.withLock(NAME, OPTIONS.withMinHold(Duration.ofSeconds(10))) { error("expected") }
		}
		assertThat(thrown).hasMessage("expected")
		assertThat(elsewhere.isLocked(NAME)).isFalse()
	}

	@Test
	fun `minimum hold is kept after a block that returns`() = runBlocking<Unit> {
		locks.withLock(NAME, OPTIONS.withMinHold(Duration.ofSeconds(10))) { }
		assertThat(elsewhere.isLocked(NAME)).isTrue()
		ticker.advance(Duration.ofSeconds(30))
	}

	@Test
	fun `block does not run if the lock is held elsewhere`() = runBlocking<Unit> {
		elsewhere.acquire(NAME).use {
			assertThrows<LockNotAcquiredException> { locks.withLock(NAME) { throw AssertionError() } }
		}
	}

	@Test
	fun `cancelled coroutine keeps the lock until its finally blocks have ended`() = runBlocking<Unit> {
		val running = CompletableDeferred<Unit>()
		var lockedInFinally = false
		val job = launch(Dispatchers.Default) {
			locks.withLock(NAME) {
				try {
					running.complete(Unit)
					awaitCancellation()
				}
				finally {
					lockedInFinally = elsewhere.isLocked(NAME)
				}
			}
		}
		running.await()
		job.cancelAndJoin()
		assertThat(lockedInFinally).isTrue()
		assertThat(elsewhere.isLocked(NAME)).isFalse()
	}

	@Test
	fun `coroutine that is cancelled while it waits leaves nothing behind`() = runBlocking<Unit> {
		val other = elsewhere.acquire(NAME)
		val job = launch(start = CoroutineStart.UNDISPATCHED) {
			locks.withLock(NAME, OPTIONS.withWaitTime(Duration.ofMinutes(1))) { throw AssertionError() }
		}
		await().until { locks.waiting().size == 1 }
		job.cancelAndJoin()
		await().until { locks.waiting().isEmpty() }
		other.close()
		assertThat(elsewhere.isLocked(NAME)).isFalse()
	}

	@Test
	fun `lock that arrives when the coroutine has just been cancelled is given back`() = runBlocking<Unit> {
		val ran = AtomicInteger()
		repeat(500) {
			val other = elsewhere.acquire(NAME, PATIENT)
			val job = launch(Dispatchers.Default) {
				locks.withLock(NAME, PATIENT) { ran.incrementAndGet() }
			}
			await().until { locks.waiting().size == 1 || job.isCompleted }
			val release = launch(Dispatchers.Default) { other.close() }
			if (it % 2 == 0) {
				yield()
			}
			job.cancelAndJoin()
			release.join()
			elsewhere.acquire(NAME, PATIENT).close()
		}
		assertThat(ran.get()).isLessThan(500)
	}

	@Test
	fun `block enters the lock of its caller again`() = runBlocking<Unit> {
		locks.withLock(NAME) { outer ->
			val token = locks.withLock(NAME) { inner -> inner.fencingToken() }
			assertThat(token).isEqualTo(outer.fencingToken())
			assertThat(outer.isHeld).isTrue()
		}
	}

	@Test
	fun `lock is released after the reactive transaction around the block, which enters it again`() =
		runBlocking<Unit> {
			TransactionalOperator.create(Transactions()).executeAndAwait {
				locks.withLock(NAME) { }
				locks.withLock(NAME) { }
				assertThat(elsewhere.isLocked(NAME)).isTrue()
			}
			assertThat(elsewhere.isLocked(NAME)).isFalse()
		}

	@Test
	fun `reactive transaction rolls back if the lock is lost after the block`() = runBlocking<Unit> {
		assertThrows<LockLostException> {
			TransactionalOperator.create(Transactions()).executeAndAwait {
				locks.withLock(NAME) { }
				ticker.advance(Duration.ofSeconds(31))
			}
		}
	}

	private class Transactions : AbstractReactiveTransactionManager() {

		override fun doGetTransaction(manager: TransactionSynchronizationManager): Any = Any()

		override fun doBegin(manager: TransactionSynchronizationManager, transaction: Any,
				definition: TransactionDefinition): Mono<Void> = Mono.empty()

		override fun doCommit(manager: TransactionSynchronizationManager,
				status: GenericReactiveTransaction): Mono<Void> = Mono.empty()

		override fun doRollback(manager: TransactionSynchronizationManager,
				status: GenericReactiveTransaction): Mono<Void> = Mono.empty()

	}

	@ParameterizedTest
	@EnumSource(OnLost::class)
	fun `loss is handled as the options say`(onLost: OnLost) = runBlocking<Unit> {
		val running = CompletableDeferred<LockHandle>()
		val ended = CompletableDeferred<Unit>()
		val result = async(Dispatchers.Default) {
			runCatching {
				locks.withLock(NAME, OPTIONS.withOnLost(onLost)) { handle ->
					running.complete(handle)
					ended.await()
					"done"
				}
			}
		}
		val handle = running.await()
		ticker.advance(Duration.ofSeconds(31))
		locks.catchUp()
		assertThat(handle.isHeld).isFalse()
		if (onLost != OnLost.INTERRUPT) {
			ended.complete(Unit)
		}
		if (onLost == OnLost.LOG) {
			assertThat(result.await().getOrThrow()).isEqualTo("done")
		}
		else {
			assertThat(result.await().exceptionOrNull()).isInstanceOf(LockLostException::class.java)
		}
	}

	private companion object {

		private const val NAME = "coroutine"

		private val OPTIONS = LockOptions.defaults()

		private val PATIENT = OPTIONS.withWaitTime(Duration.ofMinutes(1))

	}

}
