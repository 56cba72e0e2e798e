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

package io.distributedlock.configuration.internal;

import io.distributedlock.internal.OptionalModule;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Applies the annotations of methods.
 */
@Configuration(proxyBeanMethods = false)
@Import({ LockedMethodsConfiguration.AutoProxying.class, LockInterceptionConfiguration.class,
		LockedMethodsConfiguration.LeaderOnlyMethods.class })
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class LockedMethodsConfiguration {

	/**
	 * Applies {@code @LeaderOnly}, or refuses it if the module that could apply it is
	 * missing.
	 */
	static final class LeaderOnlyMethods implements ImportSelector {

		@Override
		public String[] selectImports(AnnotationMetadata importing) {
			return new String[] { OptionalModule.LEADERSHIP.isPresent()
					? "io.distributedlock.leadership.configuration.internal.LeaderOnlyConfiguration"
					: RefusedLeaderOnlyConfiguration.class.getName() };
		}

	}

	/**
	 * Ensures that there is an auto-proxy creator.
	 */
	static final class AutoProxying implements ImportBeanDefinitionRegistrar {

		@Override
		public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
			AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
		}

	}

}
