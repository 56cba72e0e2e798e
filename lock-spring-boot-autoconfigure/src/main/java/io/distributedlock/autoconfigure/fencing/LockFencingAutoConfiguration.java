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

package io.distributedlock.autoconfigure.fencing;

import java.util.List;

import javax.sql.DataSource;

import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.DistributedLockProperties;
import io.distributedlock.autoconfigure.DistributedLockProperties.Fencing;
import io.distributedlock.autoconfigure.internal.ConditionalOnLockSwitch;
import io.distributedlock.autoconfigure.internal.LockSwitch;
import io.distributedlock.fencing.FencedTransactionPostProcessor;
import io.distributedlock.fencing.Fences;
import io.distributedlock.fencing.JdbcFences;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * {@linkplain AutoConfiguration Auto-configuration} of fenced transactions. The fences
 * and their table are created when they are first needed: by a method that is fenced, or
 * by a bean that claims them.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class,
		afterName = { "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
				"org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
				"org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
				"org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration" })
@ConditionalOnClass({ JdbcTemplate.class, ConfigurableTransactionManager.class })
@ConditionalOnLockSwitch(LockSwitch.LOCKS)
@ConditionalOnBean({ DataSource.class, PlatformTransactionManager.class })
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class LockFencingAutoConfiguration {

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@ConditionalOnMissingBean
	static FencedTransactionPostProcessor fencedTransactionPostProcessor(ObjectProvider<Fences> fences) {
		return new FencedTransactionPostProcessor(fences);
	}

	/**
	 * The table is created where it is needed: for the transaction managers of fenced
	 * methods, for the data sources that are named, and for the usual transaction
	 * manager. A data source that is used for something else need not be reachable.
	 */
	@Bean
	@Lazy
	@DependsOnDatabaseInitialization
	@ConditionalOnMissingBean(Fences.class)
	JdbcFences fences(DistributedLockProperties properties, ListableBeanFactory beanFactory,
			ObjectProvider<FenceSchema> schema, ObjectProvider<PlatformTransactionManager> managers) {
		Fencing settings = properties.fencing();
		List<DataSource> named = settings.dataSources()
			.stream()
			.map((name) -> beanFactory.getBean(name, DataSource.class))
			.toList();
		JdbcFences fences = new JdbcFences(settings.table(), named,
				(database) -> schema.ifAvailable((present) -> present.createIfWanted(database)));
		if (named.isEmpty()) {
			managers.ifUnique((manager) -> FencedTransactionPostProcessor.obstacle(manager, fences));
		}
		else {
			named.forEach(fences::prepare);
		}
		return fences;
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(EmbeddedDatabaseConnection.class)
	static class SchemaConfiguration {

		@Bean
		@Lazy
		FenceSchema fenceSchema(DistributedLockProperties properties) {
			return new FenceSchema(properties.fencing());
		}

	}

}
