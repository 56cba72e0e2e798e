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

package io.distributedlock.annotation;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.annotation.internal.AnnotatedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.util.ClassUtils;

/**
 * Provides the locks of woven methods for one running application. AspectJ creates one
 * aspect per class loader, which uses this class in place of injection.
 *
 * <p>
 * If several applications run in one class loader, the one that was started last serves
 * all woven methods. An application whose locks are switched off, which has no source,
 * serves them only if there is no other one.
 */
final class WovenMethodResolver implements InitializingBean, DisposableBean {

	private static final List<WovenMethodResolver> RUNNING = new CopyOnWriteArrayList<>();

	private final @Nullable LockedMethodSource source;

	WovenMethodResolver(@Nullable LockedMethodSource source) {
		this.source = source;
	}

	@Override
	public void afterPropertiesSet() {
		RUNNING.add(this);
	}

	@Override
	public void destroy() {
		RUNNING.remove(this);
	}

	/**
	 * Return the locks of a woven method, or {@code null} if it is to run without.
	 * @throws IllegalStateException if no application is running: the method must not run
	 * unlocked
	 */
	static @Nullable LockedMethod find(Method method, Class<?> targetClass) {
		List<WovenMethodResolver> running = List.copyOf(RUNNING);
		for (int i = running.size() - 1; i >= 0; i--) {
			LockedMethodSource source = running.get(i).source;
			if (source != null) {
				return source.find(method, targetClass);
			}
		}
		if (!running.isEmpty() || !isLocked(method, targetClass)) {
			return null;
		}
		throw new IllegalStateException(
				"%s is woven with a lock, but no application context that could lock it is running. "
					.formatted(new AnnotatedMethod(method, targetClass).description())
						+ "Call it after the auto-configuration of the locks and before the context is closed, or, with Spring Boot, set 'distributed-lock.enabled' to false to run it without a lock.");
	}

	/**
	 * The aspect is woven into all methods of annotated classes, also into those that the
	 * annotation does not apply to.
	 */
	private static boolean isLocked(Method method, Class<?> targetClass) {
		return !LockAnnotationFinder.of(method, method, ClassUtils.getUserClass(targetClass)).isEmpty();
	}

}
