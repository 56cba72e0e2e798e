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

package io.distributedlock.autoconfigure;

import java.time.Duration;

import io.distributedlock.annotation.DistributedLockAdvisor;
import io.distributedlock.annotation.LockValidation;
import io.distributedlock.autoconfigure.internal.ConditionalOnLockSwitch;
import io.distributedlock.autoconfigure.internal.LockSwitch;
import io.distributedlock.configuration.internal.LockedMethodSettings;
import io.distributedlock.configuration.internal.LockedMethodsConfiguration;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * {@linkplain AutoConfiguration Auto-configuration} of methods with the lock annotation.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnLockSwitch({ LockSwitch.LOCKS, LockSwitch.ANNOTATION })
@Import({ LockAutoProxyRegistrar.class, LockedMethodsConfiguration.class })
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class LockAnnotationAutoConfiguration {

	/**
	 * Bind the settings here, and not by the properties bean: they are needed before
	 * other beans.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@Lazy(false)
	static LockedMethodSettings distributedLockMethodSettings(Environment environment) {
		SupportedSpringBoot.check();
		Binder properties = Binder.get(environment);
		try {
			return new LockedMethodSettings(
					properties.bind("distributed-lock.validation", LockValidation.class).orElse(LockValidation.FAIL),
					properties.bind("distributed-lock.annotation.order", Integer.class)
						.orElse(DistributedLockAdvisor.DEFAULT_ORDER),
					properties.bind("distributed-lock.annotation.max-hold-limit", Duration.class).orElse(null));
		}
		catch (BindException ex) {
			throw LockSettingsCheck.explained(ex, environment);
		}
	}

}
