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

import java.util.Map;
import java.util.function.Supplier;

import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;

/**
 * An application context in which lock annotations work on a
 * {@link RecordingLockService}.
 */
class LockFixture implements AutoCloseable {

	final RecordingLockService locks = new RecordingLockService();

	final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	LockFixture() {
		this(null);
	}

	LockFixture(@Nullable LockService service) {
		if (service != null) {
			this.context.registerBean(LockService.class, () -> service);
		}
		else {
			this.context.registerBean(RecordingLockService.class, () -> this.locks);
		}
		applyLocks(this.context, LockValidation.OFF);
	}

	/**
	 * Register what applies the locks of annotated beans, by proxies that are subclasses.
	 */
	static void applyLocks(GenericApplicationContext context, LockValidation validation) {
		AopConfigUtils.registerAutoProxyCreatorIfNecessary(context);
		AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(context);
		context.registerBean("lockedMethodRegistry", LockedMethodRegistry.class, () -> {
			LockedMethodRegistry registry = new LockedMethodRegistry(context.getDefaultListableBeanFactory(),
					context.getBeanProvider(LockService.class), context.getBeanProvider(LockOptionsCustomizer.class));
			registry.setValidation(validation);
			return registry;
		}, (definition) -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE));
		context.registerBean("distributedLockAdvisor", DistributedLockAdvisor.class,
				() -> new DistributedLockAdvisor(context.getBean(LockedMethodRegistry.class)),
				(definition) -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE));
	}

	LockFixture interfaceProxies() {
		this.context.getBeanDefinition(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)
			.getPropertyValues()
			.add("proxyTargetClass", false);
		return this;
	}

	LockFixture property(String name, Object value) {
		this.context.getEnvironment().getPropertySources().addFirst(new MapPropertySource(name, Map.of(name, value)));
		return this;
	}

	<T> LockFixture bean(String name, Class<T> type, Supplier<T> supplier) {
		this.context.registerBean(name, type, supplier);
		return this;
	}

	<T> T start(Class<T> type) {
		this.context.registerBean(type);
		this.context.refresh();
		return this.context.getBean(type);
	}

	@Override
	public void close() {
		this.context.close();
	}

}
