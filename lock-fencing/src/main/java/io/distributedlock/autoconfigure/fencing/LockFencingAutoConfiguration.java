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

import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.internal.ConditionalOnLockSwitch;
import io.distributedlock.autoconfigure.internal.LockSwitch;
import io.distributedlock.fencing.configuration.internal.FencingSettings;
import io.distributedlock.fencing.configuration.internal.LockFencingConfiguration;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

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
@ConditionalOnLockSwitch(LockSwitch.LOCKS)
@EnableConfigurationProperties(FencingProperties.class)
@Import(LockFencingConfiguration.class)
public final class LockFencingAutoConfiguration {

	/**
	 * The fences are created after it, and so after the other tables.
	 */
	@Bean
	@Lazy
	@DependsOnDatabaseInitialization
	FencingSettings distributedLockFencingSettings(FencingProperties properties, ObjectProvider<FenceSchema> schema) {
		return new FencingSettings(properties.table(), properties.dataSources(),
				(database) -> schema.ifAvailable((present) -> present.createIfWanted(database)));
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(EmbeddedDatabaseConnection.class)
	static class SchemaConfiguration {

		@Bean
		@Lazy
		FenceSchema distributedLockFenceSchema(FencingProperties properties) {
			return new FenceSchema(properties);
		}

	}

}
