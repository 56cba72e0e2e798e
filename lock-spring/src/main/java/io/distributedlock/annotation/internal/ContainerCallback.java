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
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * A method that Spring calls on the bean itself, and not through its proxy.
 *
 * @param role why it is such a method, as the middle of a sentence
 * @param advice how to lock it
 */
public record ContainerCallback(String role, String advice) {

	private static final String WHEN_CREATED = "Replace it by a method with @EventListener(ApplicationReadyEvent.class), which is called through the proxy. Or lock with LockService.";

	private static final String WHEN_DESTROYED = "Replace it by a method with @EventListener(ContextClosedEvent.class), which is called through the proxy and before the locks are closed.";

	private static final Map<String, ContainerCallback> ANNOTATIONS = Map.of("jakarta.annotation.PostConstruct",
			new ContainerCallback("has @PostConstruct", WHEN_CREATED), "jakarta.annotation.PreDestroy",
			new ContainerCallback("has @PreDestroy", WHEN_DESTROYED), "org.springframework.context.annotation.Bean",
			new ContainerCallback("has @Bean", "Put the annotation on the method of the bean that is to be locked."));

	public static @Nullable ContainerCallback of(Method method, Class<?> type) {
		MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		for (Map.Entry<String, ContainerCallback> entry : ANNOTATIONS.entrySet()) {
			if (annotations.isPresent(entry.getKey())) {
				return entry.getValue();
			}
		}
		if (method.getParameterCount() > 0) {
			return null;
		}
		if (method.getName().equals("afterPropertiesSet") && InitializingBean.class.isAssignableFrom(type)) {
			return new ContainerCallback("is that of InitializingBean", WHEN_CREATED);
		}
		if (method.getName().equals("close") && AutoCloseable.class.isAssignableFrom(type)
				&& !DisposableBean.class.isAssignableFrom(type)) {
			return new ContainerCallback("is that of AutoCloseable", WHEN_DESTROYED);
		}
		return (method.getName().equals("destroy") && DisposableBean.class.isAssignableFrom(type))
				? new ContainerCallback("is that of DisposableBean", WHEN_DESTROYED) : null;
	}

	public static ContainerCallback initMethod(String beanName) {
		return new ContainerCallback("is the init method of bean '" + beanName + "'", WHEN_CREATED);
	}

	public static ContainerCallback destroyMethod(String beanName) {
		return new ContainerCallback("is the destroy method of bean '" + beanName + "'", WHEN_DESTROYED);
	}

}
