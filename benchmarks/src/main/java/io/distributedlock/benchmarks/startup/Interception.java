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

package io.distributedlock.benchmarks.startup;

import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * What the annotations of the beans ask for.
 */
enum Interception {

	NOTHING(PlainService000.class, NothingElse.class),

	LOCKS(Service000.class, NothingElse.class),

	TRANSACTIONS(TransactionalService000.class, Transactions.class),

	CACHE(CachedService000.class, Caching.class);

	private final Class<?> template;

	private final Class<?> configuration;

	Interception(Class<?> template, Class<?> configuration) {
		this.template = template;
		this.configuration = configuration;
	}

	Class<?> template() {
		return this.template;
	}

	Class<?> configuration() {
		return this.configuration;
	}

	@Configuration(proxyBeanMethods = false)
	static class NothingElse {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Transactions {

		@Bean
		PlatformTransactionManager transactionManager() {
			return new AbstractPlatformTransactionManager() {

				@Override
				protected Object doGetTransaction() {
					return this;
				}

				@Override
				protected void doBegin(Object transaction, TransactionDefinition definition) {
				}

				@Override
				protected void doCommit(DefaultTransactionStatus status) {
				}

				@Override
				protected void doRollback(DefaultTransactionStatus status) {
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching(proxyTargetClass = true)
	static class Caching {

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

	}

}
