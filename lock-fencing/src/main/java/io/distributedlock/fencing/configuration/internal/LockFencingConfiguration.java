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

package io.distributedlock.fencing.configuration.internal;

import java.util.List;

import javax.sql.DataSource;

import io.distributedlock.annotation.internal.LockFences;
import io.distributedlock.configuration.internal.ConditionalOnBeans;
import io.distributedlock.fencing.FencedTransactionPostProcessor;
import io.distributedlock.fencing.Fences;
import io.distributedlock.fencing.JdbcFences;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Fences transactions. The fences are created when they are first needed: by a method
 * that is fenced, or by a bean that claims them.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public class LockFencingConfiguration {

	/**
	 * Also without a data source, so that a fenced method says what is missing.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnBeans(missing = LockFences.class)
	static LockFences distributedLockFencedMethods(ConfigurableListableBeanFactory beanFactory) {
		return new FencedMethods(beanFactory);
	}

	/**
	 * Where there is a database.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBeans({ DataSource.class, PlatformTransactionManager.class })
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static class FencesConfiguration {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		@ConditionalOnBeans(missing = FencedTransactionPostProcessor.class)
		static FencedTransactionPostProcessor distributedLockFencedTransactionPostProcessor(
				ObjectProvider<Fences> fences) {
			return new FencedTransactionPostProcessor(fences);
		}

		/**
		 * The table is prepared where it is needed: for the transaction managers of
		 * fenced methods, for the data sources that are named, and for the usual
		 * transaction manager. A data source that is used for something else need not be
		 * reachable.
		 */
		@Bean
		@Lazy
		@ConditionalOnBeans(missing = Fences.class)
		static JdbcFences distributedLockFences(ObjectProvider<FencingSettings> provider,
				ListableBeanFactory beanFactory, ObjectProvider<PlatformTransactionManager> managers) {
			FencingSettings settings = provider.getIfAvailable(() -> FencingSettings.DEFAULTS);
			List<DataSource> named = settings.dataSources()
				.stream()
				.map((name) -> beanFactory.getBean(name, DataSource.class))
				.toList();
			JdbcFences fences = new JdbcFences(settings.table(), named, settings.creator());
			if (named.isEmpty()) {
				managers.ifUnique((manager) -> FencedTransactionPostProcessor.obstacle(manager, fences));
			}
			else {
				named.forEach(fences::prepare);
			}
			return fences;
		}

	}

}
