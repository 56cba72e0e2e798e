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

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;

import io.distributedlock.annotation.DistributedLockAspect;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.reflect.MethodSignature;

import org.springframework.util.ClassUtils;

/**
 * Knows which methods take their locks themselves, because AspectJ has woven
 * {@link DistributedLockAspect} into them. Works without AspectJ on the class path: then
 * there are none.
 */
public final class LockWeaving {

	private static final String ASPECT = "io.distributedlock.annotation.DistributedLockAspect";

	private static final String STATIC_PART_PREFIX = "ajc$tjp_";

	private static final boolean ACTIVE = isAspectWoven();

	private LockWeaving() {
	}

	/**
	 * Return whether the aspect takes part in weaving. AspectJ makes an aspect of the
	 * class when it is loaded, and in no other case.
	 */
	public static boolean isActive() {
		return ACTIVE;
	}

	/**
	 * @param method the method as its class declares it
	 */
	public static boolean isWoven(Method method) {
		return ACTIVE && JoinPoints.isExecutionOf(method);
	}

	private static boolean isAspectWoven() {
		ClassLoader classLoader = LockWeaving.class.getClassLoader();
		return ClassUtils.isPresent("org.aspectj.lang.ProceedingJoinPoint", classLoader)
				&& ClassUtils.hasMethod(ClassUtils.resolveClassName(ASPECT, classLoader), "aspectOf");
	}

	/**
	 * Looks for what the weaver leaves in a class for each execution that it has woven.
	 * Needs AspectJ.
	 */
	private static final class JoinPoints {

		static boolean isExecutionOf(Method method) {
			return Arrays.stream(method.getDeclaringClass().getDeclaredFields())
				.filter((field) -> field.getName().startsWith(STATIC_PART_PREFIX))
				.anyMatch((field) -> isExecutionOf(method, field));
		}

		private static boolean isExecutionOf(Method method, Field field) {
			try {
				return field.trySetAccessible() && field.get(null) instanceof JoinPoint.StaticPart part
						&& part.getKind().equals(JoinPoint.METHOD_EXECUTION)
						&& part.getSignature() instanceof MethodSignature signature
						&& method.equals(signature.getMethod());
			}
			catch (IllegalAccessException ex) {
				throw new IllegalStateException("The field " + field + " was made accessible, but is not.", ex);
			}
		}

	}

}
