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

import io.distributedlock.internal.DeclaredLocks
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.support.RootBeanDefinition
import org.springframework.context.support.GenericApplicationContext

/**
 * Tests for what Kotlin makes of functions with value classes or default arguments.
 */
internal class KotlinNamesTests {

	@Test
	fun `a function with a value class is called as it is written`() {
		start(ValueClasses::class.java).use { context ->
			val work = context.getBean(ValueClasses::class.java)
			work.named(OrderId(7))
			work.unnamed(OrderId(7))
			assertThat(context.getBean(RecordingLockService::class.java).log)
				.contains("acquire order:7", "acquire ${ValueClasses::class.java.name}.unnamed")
			assertThat(context.getBean(DeclaredLocks::class.java).declared().map { it.declaredName() })
				.containsExactly("ValueClasses.named", "ValueClasses.unnamed")
		}
	}

	@Test
	fun `a property of a value class is refused at start`() {
		assertThatExceptionOfType(LockValidationException::class.java)
			.isThrownBy { start(ValueClassProperty::class.java).close() }
			.withMessageContaining("reads value of #id of type long")
			.withMessageContaining("leave the property out, as in #id.")
	}

	@Test
	fun `an overload that Kotlin generates for Java has the lock of its function`() {
		start(Overloads::class.java).use { context ->
			val work = context.getBean(Overloads::class.java)
			val log = context.getBean(RecordingLockService::class.java).log
			assertThat(work.call()).isEqualTo("x")
			assertThat(log).containsExactly("acquire order:x", "release order:x")
			assertThat(Overloads::class.java.getMethod("call").invoke(work)).isEqualTo("x")
			assertThat(log).hasSize(4).endsWith("acquire order:x", "release order:x")
		}
	}

	private fun start(bean: Class<*>): GenericApplicationContext {
		val context = GenericApplicationContext()
		register(context, RecordingLockService::class.java)
		LockFixture.applyLocks(context, LockValidation.FAIL)
		register(context, bean)
		try {
			context.refresh()
			return context
		} catch (ex: RuntimeException) {
			context.close()
			throw ex
		}
	}

	private fun register(context: GenericApplicationContext, bean: Class<*>) {
		context.registerBeanDefinition(bean.name, RootBeanDefinition(bean))
	}

	@JvmInline
	value class OrderId(val value: Long)

	open class ValueClasses {

		@DistributedLock("'order:' + #id")
		open fun named(id: OrderId): Long = id.value

		@DistributedLock
		open fun unnamed(id: OrderId): Long = id.value

	}

	open class ValueClassProperty {

		@DistributedLock("'order:' + #id.value")
		open fun named(id: OrderId): Long = id.value

	}

	open class Overloads {

		@JvmOverloads
		@DistributedLock("'order:' + #id")
		open fun call(id: String = "x"): String = id

	}

}
