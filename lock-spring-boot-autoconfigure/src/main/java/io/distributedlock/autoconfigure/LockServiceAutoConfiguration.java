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

import io.distributedlock.LockOptions;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.Printable;
import io.distributedlock.autoconfigure.DistributedLockProperties.LocalHandoffs;
import io.distributedlock.autoconfigure.DistributedLockProperties.Provider;
import io.distributedlock.autoconfigure.DistributedLockProperties.Shutdown;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.Ticker;
import io.distributedlock.store.LockStore;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * {@linkplain AutoConfiguration Auto-configuration} of the lock service on whatever lock
 * store there is, and of its end.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "distributed-lock.enabled", matchIfMissing = true)
@ConditionalOnBean(LockStore.class)
@ConditionalOnMissingBean(LockService.class)
public final class LockServiceAutoConfiguration {

	@Bean(destroyMethod = "close")
	DefaultLockService lockService(LockStore store, DistributedLockProperties properties, ConfiguredLockOptions options,
			ObjectProvider<LockOptionsCustomizer> customizers, LockListeners listeners, ObjectProvider<Ticker> ticker,
			Environment environment) {
		LocalHandoffs handoffs = properties.localHandoffs();
		String instanceName = StringUtils.hasText(properties.instanceName()) ? properties.instanceName()
				: InstanceName.derive(environment);
		EngineSettings settings = new EngineSettings(instanceName, options.defaults(),
				CompositeLockOptionsCustomizer.of(customizers), handoffs.count(), handoffs.duration(),
				EngineSettings.of(instanceName).cleanupWait());
		return new DefaultLockService(store, settings, listeners.ofService(), ticker.getIfAvailable(Ticker::system));
	}

	@Bean
	@Lazy(false)
	LockListeners lockListeners(ListableBeanFactory beanFactory) {
		return new LockListeners(beanFactory);
	}

	@Bean
	LockServiceLifecycle lockServiceLifecycle(@Qualifier("lockService") LockService service, LockStore store,
			DistributedLockProperties properties, ConfiguredLockOptions options,
			ConfigurableApplicationContext context) {
		Shutdown shutdown = properties.shutdown();
		return new LockServiceLifecycle(service, store, context, shutdown.gracePeriod(), shutdown.phase(),
				summary(store, properties, options.defaults()));
	}

	private static String summary(LockStore store, DistributedLockProperties properties, LockOptions defaults) {
		String keys = (properties.provider() == Provider.REDIS)
				? ", keys beginning with '" + properties.keyPrefix() + "'" : "";
		return "Distributed locks are kept in %s%s. Defaults: timeout %s, %s, %s.".formatted(store.description(), keys,
				Printable.of(defaults.lease()),
				defaults.waitTime().isZero() ? "one attempt" : "waiting up to " + Printable.of(defaults.waitTime()),
				defaults.autoRenew() ? "renewed every " + Printable.of(defaults.effectiveRenewInterval())
						: "not renewed");
	}

}
