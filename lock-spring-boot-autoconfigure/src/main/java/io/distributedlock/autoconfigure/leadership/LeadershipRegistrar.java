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

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

import io.distributedlock.autoconfigure.internal.LockStartupException;
import io.distributedlock.internal.Printable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registers a bean for each configured leadership. Its name is that of the leadership in
 * camel case, and {@code Leadership}.
 */
final class LeadershipRegistrar implements ImportBeanDefinitionRegistrar {

	private static final Pattern DASH = Pattern.compile("-+(.)");

	private final Environment environment;

	LeadershipRegistrar(Environment environment) {
		this.environment = environment;
	}

	@Override
	public void registerBeanDefinitions(AnnotationMetadata importingClassMetadata, BeanDefinitionRegistry registry) {
		Map<String, String> names = new HashMap<>();
		// Only the names: the settings are checked before they are bound
		Binder.get(this.environment)
			.bind("distributed-lock.leadership", Bindable.mapOf(String.class, Object.class))
			.orElse(Map.of())
			.keySet()
			.forEach((name) -> {
				String other = names.putIfAbsent(beanName(name), name);
				if (other != null) {
					throw ambiguous(name, other);
				}
				register(name, registry);
			});
	}

	private static LockStartupException ambiguous(String name, String other) {
		Map<String, String> found = new LinkedHashMap<>();
		List.of(other, name).forEach((each) -> found.put("distributed-lock.leadership[" + each + "]", "…"));
		return LockStartupException.ofSettings(
				"Two leaderships, '%s' and '%s', have the same bean name, '%s'.".formatted(Printable.of(other),
						Printable.of(name), Printable.of(beanName(name))),
				found, "Rename or remove one of them.", null);
	}

	private static void register(String name, BeanDefinitionRegistry registry) {
		if (isInParent(beanName(name), registry)) {
			return;
		}
		RootBeanDefinition definition = new RootBeanDefinition(ConfiguredLeadership.class);
		definition.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
		definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
		definition.setLazyInit(false);
		registry.registerBeanDefinition(beanName(name), definition);
	}

	/**
	 * A child context has the properties of its parent, and one candidate is enough.
	 */
	private static boolean isInParent(String beanName, BeanDefinitionRegistry registry) {
		BeanFactory parent = (registry instanceof HierarchicalBeanFactory factory) ? factory.getParentBeanFactory()
				: null;
		return parent != null && parent.containsBean(beanName);
	}

	private static String beanName(String name) {
		return DASH.matcher(name).replaceAll((match) -> match.group(1).toUpperCase(Locale.ROOT)) + "Leadership";
	}

}
