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

package io.distributedlock.annotation.internal;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Recognizes the mocks that a test puts in place of beans. They have the classes of the
 * beans and do nothing, so they need no locks. Needs no Mockito.
 */
public final class MockedBeans {

	private MockedBeans() {
	}

	/**
	 * Return whether nothing of the application runs in a bean. A spy is no mock: it
	 * calls the methods of the application.
	 */
	public static boolean isMock(Object bean) {
		ClassLoader classLoader = MockedBeans.class.getClassLoader();
		if (!ClassUtils.isPresent("org.mockito.Mockito", classLoader)) {
			return false;
		}
		Class<?> mockito = ClassUtils.resolveClassName("org.mockito.Mockito", classLoader);
		Class<?> details = ClassUtils.resolveClassName("org.mockito.MockingDetails", classLoader);
		Object found = ReflectionUtils.invokeMethod(ClassUtils.getMethod(mockito, "mockingDetails", Object.class), null,
				bean);
		return isTrue(details, "isMock", found) && !isTrue(details, "isSpy", found);
	}

	private static boolean isTrue(Class<?> type, String question, @Nullable Object details) {
		Method method = ClassUtils.getMethod(type, question);
		return Boolean.TRUE.equals(ReflectionUtils.invokeMethod(method, details));
	}

}
