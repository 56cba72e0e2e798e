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
import java.lang.reflect.Modifier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * The reason why a proxy cannot intercept the calls of a method.
 */
public enum ProxyObstacle {

	STATIC, PRIVATE, FINAL_CLASS, NO_PROXY,

	/**
	 * The proxy has only the methods of the interfaces.
	 */
	NOT_IN_INTERFACE,

	FINAL,

	/**
	 * The proxy is in another package or class loader than the package-private method.
	 */
	INVISIBLE;

	/**
	 * Return {@code null} if there is none.
	 * @param proxy the kind of proxy that the bean has, or will have
	 */
	public static @Nullable ProxyObstacle of(AnnotatedMethod annotated, ProxyKind proxy) {
		Method method = annotated.method();
		Class<?> type = annotated.targetClass();
		if (Modifier.isStatic(method.getModifiers())) {
			return STATIC;
		}
		if (Modifier.isPrivate(method.getModifiers())) {
			return PRIVATE;
		}
		if (AnnotatedMethod.isGenerated(type) || type.isInterface()) {
			return (proxy == ProxyKind.NONE) ? NO_PROXY : null;
		}
		if (proxy != ProxyKind.INTERFACES && Modifier.isFinal(type.getModifiers())) {
			return FINAL_CLASS;
		}
		return switch (proxy) {
			case NONE -> NO_PROXY;
			case INTERFACES -> isInInterface(annotated) ? null : NOT_IN_INTERFACE;
			case CLASS ->
				Modifier.isFinal(method.getModifiers()) ? FINAL : isVisibleFrom(method, type) ? null : INVISIBLE;
		};
	}

	private static boolean isInInterface(AnnotatedMethod annotated) {
		return ClassUtils.getAllInterfacesForClassAsSet(annotated.targetClass())
			.stream()
			.anyMatch(annotated::implementsMethodOf);
	}

	/**
	 * The proxy is in the package and class loader of the class of the bean.
	 */
	private static boolean isVisibleFrom(Method method, Class<?> type) {
		Class<?> declaring = method.getDeclaringClass();
		return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0
				|| (declaring.getPackageName().equals(type.getPackageName())
						&& declaring.getClassLoader() == type.getClassLoader());
	}

}
