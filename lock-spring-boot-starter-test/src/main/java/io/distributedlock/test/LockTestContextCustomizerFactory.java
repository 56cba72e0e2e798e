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

package io.distributedlock.test;

import java.util.List;

import io.distributedlock.test.AutoConfigureDistributedLock.Mode;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Applies {@link AutoConfigureDistributedLock @AutoConfigureDistributedLock}.
 */
final class LockTestContextCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> attributes) {
		AutoConfigureDistributedLock annotation = TestContextAnnotationUtils.findMergedAnnotation(testClass,
				AutoConfigureDistributedLock.class);
		return (annotation != null) ? new Customizer(annotation.mode()) : null;
	}

	/**
	 * Replaces the lock store. Equal customizers share a context. When tests are
	 * processed ahead of time, code is generated from the bean definitions: they name
	 * classes, and already exist when such tests run.
	 *
	 * @param mode how locks behave
	 */
	private record Customizer(Mode mode) implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
			TestPropertyValues.of("distributed-lock.provider=in-memory").applyTo(context);
			if (AotDetector.useGeneratedArtifacts()) {
				return;
			}
			BeanDefinitionRegistry registry = (BeanDefinitionRegistry) context.getBeanFactory();
			RootBeanDefinition clock = new RootBeanDefinition(TestClock.class);
			clock.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
			registry.registerBeanDefinition("distributedLockTestClock", clock);
			RootBeanDefinition wallClock = new RootBeanDefinition(TestWallClock.class);
			// Jobs need it before other beans
			wallClock.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
			wallClock.setPrimary(true);
			registry.registerBeanDefinition("distributedLockTestWallClock", wallClock);
			RootBeanDefinition store = new RootBeanDefinition(TestLockStore.class);
			store.getConstructorArgumentValues().addGenericArgumentValue(this.mode);
			registry.registerBeanDefinition("distributedLockTestStore", store);
			registry.registerBeanDefinition("distributedLockTestOrders", new RootBeanDefinition(LockOrders.class));
			registry.registerBeanDefinition("distributedLockTestLocks", new RootBeanDefinition(TestLocks.class));
		}

	}

}
