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

import io.distributedlock.transaction.internal.LockedTransactionPostProcessor;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.ConfigurableTransactionManager;

/**
 * Rolls back transactions under locks that are lost before the commit. Needs spring-tx.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBeans(present = ConfigurableTransactionManager.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class LockTransactionConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnBeans(missing = LockedTransactionPostProcessor.class)
	static LockedTransactionPostProcessor distributedLockTransactionPostProcessor() {
		return new LockedTransactionPostProcessor();
	}

}
