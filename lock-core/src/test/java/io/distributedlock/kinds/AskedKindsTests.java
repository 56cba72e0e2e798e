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

package io.distributedlock.kinds;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.distributedlock.LockOptions;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.memory.InMemoryLockStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link AskedKinds}: a test that loses a kind fails.
 */
class AskedKindsTests {

	private final AskedKinds extension = new AskedKinds();

	private final DefaultLockService locks = new DefaultLockService(AskedKinds.watch(new InMemoryLockStore()),
			EngineSettings.of("here"), List.of());

	@BeforeEach
	void forget() {
		this.extension.beforeEach(null);
	}

	@Test
	void testOfAllKindsAsksForEach() {
		assertThatCode(() -> run("aboutAllKinds", LockKind.values())).doesNotThrowAnyException();
	}

	@Test
	void testThatLosesAKindFails() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> run("aboutAllKinds", LockKind.EXCLUSIVE, LockKind.SHARED))
			.withMessageContaining("aboutAllKinds shows [Some fault], but asks for no lock of the kind [permits]");
	}

	@Test
	void exclusiveCallerThatCompetesIsNoEvidence() {
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> {
			this.locks.acquire(LockKind.SHARED.named("x"), LockOptions.defaults()).close();
			run("aboutAllKinds", LockKind.PERMITS, LockKind.SHARED);
		}).withMessageContaining("[exclusive lock]");
	}

	@Test
	void testOfARowAboutOneKindMayUseOthers() {
		assertThatCode(() -> run("aboutOneKind", LockKind.EXCLUSIVE)).doesNotThrowAnyException();
	}

	@Test
	void testForEachKindAsksForItsOwn() {
		assertThatCode(() -> runForEach(LockKind.PERMITS, LockKind.PERMITS)).doesNotThrowAnyException();
		this.extension.beforeEach(null);
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> runForEach(LockKind.PERMITS, LockKind.EXCLUSIVE))
			.withMessageContaining("[permits]");
	}

	private void run(String test, LockKind... kinds) throws Throwable {
		this.extension.interceptTestMethod(asking(kinds), context(test), null);
	}

	private void runForEach(LockKind parameter, LockKind... kinds) throws Throwable {
		this.extension.interceptTestTemplateMethod(asking(kinds), context("aboutEachKind", parameter), null);
	}

	private InvocationInterceptor.Invocation<Void> asking(LockKind... kinds) {
		return () -> {
			for (LockKind kind : kinds) {
				this.locks.acquire(kind.named("x"), kind.of(LockOptions.ofLease(Duration.ofMinutes(1)))).close();
			}
			return null;
		};
	}

	private ReflectiveInvocationContext<Method> context(String test, LockKind... arguments) throws Exception {
		Method method = (arguments.length == 0) ? Samples.class.getDeclaredMethod(test)
				: Samples.class.getDeclaredMethod(test, LockKind.class);
		return new ReflectiveInvocationContext<>() {

			@Override
			public Class<?> getTargetClass() {
				return Samples.class;
			}

			@Override
			public Optional<Object> getTarget() {
				return Optional.empty();
			}

			@Override
			public Method getExecutable() {
				return method;
			}

			@Override
			public List<Object> getArguments() {
				return List.of((Object[]) arguments);
			}

		};
	}

	/** Not run by themselves. */
	static class Samples {

		@Shows("Some fault")
		void aboutAllKinds() {
		}

		@Shows("Some fault (exclusive lock)")
		void aboutOneKind() {
		}

		@EachKind
		@Shows("Some fault")
		void aboutEachKind(LockKind kind) {
		}

	}

}
