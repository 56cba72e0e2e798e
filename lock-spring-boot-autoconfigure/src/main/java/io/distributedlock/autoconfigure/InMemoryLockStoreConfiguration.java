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

import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.LockService;
import io.distributedlock.autoconfigure.DistributedLockProperties.Provider;
import io.distributedlock.autoconfigure.DistributedLockProperties.StoreCheck;
import io.distributedlock.autoconfigure.internal.LockStartupException;
import io.distributedlock.memory.InMemoryLockStore;
import io.distributedlock.store.LockStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A lock store in the memory of this JVM.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnLockProvider(Provider.IN_MEMORY)
@ConditionalOnMissingBean({ LockStore.class, LockService.class })
final class InMemoryLockStoreConfiguration {

	private static final Log logger = LogFactory.getLog(InMemoryLockStoreConfiguration.class);

	/**
	 * Create the configuration.
	 * @param checked has checked the properties, before they are bound for this
	 */
	InMemoryLockStoreConfiguration(LockSettingsConfiguration checked) {
	}

	@Bean
	InMemoryLockStore distributedLockStore(DistributedLockProperties properties) {
		String problem = "Locks exclude only the threads of this JVM: distributed-lock.provider is 'in-memory', which no other "
				+ "instance sees.";
		if (properties.check() == StoreCheck.STRICT || properties.check() == StoreCheck.STRICT_IF_REACHABLE) {
			Map<String, String> settings = new LinkedHashMap<>();
			settings.put("distributed-lock.provider", "in-memory");
			settings.put("distributed-lock.check",
					(properties.check() == StoreCheck.STRICT) ? "strict" : "strict-if-reachable");
			throw LockStartupException.ofSettings(problem, settings,
					"Set distributed-lock.provider to 'redis', or distributed-lock.check to 'fail' where there is one instance.",
					null);
		}
		logger.warn(problem + " Set it to 'redis' where there are several instances.");
		return new InMemoryLockStore();
	}

}
