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

package io.distributedlock.autoconfigure.leadership;

import java.util.Map;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.IgnoreErrorsBindHandler;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registers a bean for each configured leadership, with the name of the leadership as its
 * qualifier.
 */
final class LeadershipRegistrar implements ImportBeanDefinitionRegistrar {

	private final Environment environment;

	LeadershipRegistrar(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata importingClassMetadata, BeanDefinitionRegistry registry) {
		// Only the names: the settings are checked before they are bound
		Binder.get(this.environment)
			.bind("distributed-lock.leadership", Bindable.mapOf(String.class, Object.class),
					new IgnoreErrorsBindHandler())
			.orElse(Map.of())
			.keySet()
			.forEach((name) -> register(name, registry));
	}

	private static void register(String name, BeanDefinitionRegistry registry) {
		String beanName = "distributedLockLeadership." + name;
		if (isInParent(beanName, registry)) {
			return;
		}
		RootBeanDefinition definition = new RootBeanDefinition(ConfiguredLeadership.class);
		definition.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
		definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
		definition.setLazyInit(false);
		definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
		registry.registerBeanDefinition(beanName, definition);
	}

	/**
	 * A child context has the properties of its parent, and one candidate is enough.
	 */
	private static boolean isInParent(String beanName, BeanDefinitionRegistry registry) {
		BeanFactory parent = (registry instanceof HierarchicalBeanFactory factory) ? factory.getParentBeanFactory()
				: null;
		return parent != null && parent.containsBean(beanName);
	}

}
