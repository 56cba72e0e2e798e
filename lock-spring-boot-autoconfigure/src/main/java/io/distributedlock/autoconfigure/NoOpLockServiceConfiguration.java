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

import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.autoconfigure.DistributedLockProperties.Provider;
import io.distributedlock.configuration.internal.LockServiceConfiguration;
import io.distributedlock.support.NoOpLockService;
import io.distributedlock.store.LockStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A lock service that locks nothing.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnLockProvider(Provider.NONE)
@ConditionalOnMissingBean({ LockStore.class, LockService.class })
final class NoOpLockServiceConfiguration {

	private static final Log logger = LogFactory.getLog(NoOpLockServiceConfiguration.class);

	@Bean
	NoOpLockService distributedLockService(ConfiguredLockOptions options,
			ObjectProvider<LockOptionsCustomizer> customizers) {
		logger.warn("Nothing is locked: distributed-lock.provider is 'none', so every lock is granted immediately to "
				+ "every caller. Use this in tests only.");
		return new NoOpLockService(options.defaults(),
				LockServiceConfiguration.all((name, given) -> given, customizers));
	}

}
