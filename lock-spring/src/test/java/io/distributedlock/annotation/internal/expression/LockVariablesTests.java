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

package io.distributedlock.annotation.internal.expression;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;

import org.junit.jupiter.api.Test;

import org.springframework.core.ParameterNameDiscoverer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LockVariables}.
 */
class LockVariablesTests {

	@Test
	void missingParameterNamesAreAnsweredWithTheCompilerOption() throws Exception {
		Method method = String.class.getMethod("indexOf", int.class, int.class);
		LockVariables variables = new LockVariables(method, method, new NoNames());
		assertThat(variables.positionOf("userId")).isNull();
		assertThat(variables.positionOf("p1")).isEqualTo(1);
		assertThat(variables.adviceFor("userId")).contains("-parameters").contains("#p0, #p1");
	}

	private static final class NoNames implements ParameterNameDiscoverer {

		@Override
		public String[] getParameterNames(Method method) {
			return null;
		}

		@Override
		public String[] getParameterNames(Constructor<?> constructor) {
			return null;
		}

	}

}
