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
import io.distributedlock.autoconfigure.internal.ConditionalOnLockSwitch;
import io.distributedlock.autoconfigure.internal.LockSwitch;
import io.distributedlock.configuration.internal.LockServiceConfiguration;
import io.distributedlock.configuration.internal.LockServiceLifecycle;
import io.distributedlock.store.LockStore;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * {@linkplain AutoConfiguration Auto-configuration} of the lock service. Uses a
 * {@link LockStore} bean of the application if there is one, otherwise the store that
 * {@code distributed-lock.provider} selects. Other {@link LockOptionsCustomizer} beans
 * apply before the configured options.
 *
 * <p>
 * The imports stand in the order in which their conditions have to be evaluated: the
 * settings are checked before a store binds them, and the service needs a store.
 *
 * @since 0.1.0
 */
@AutoConfiguration(afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnLockSwitch(LockSwitch.LOCKS)
@Import({ LockSettingsConfiguration.class, RedisLockStoreConfiguration.class, InMemoryLockStoreConfiguration.class,
		LockServiceConfiguration.class })
public final class DistributedLockAutoConfiguration {

	/**
	 * Lifecycle phase in which the locks stop: after everything with a higher phase,
	 * before everything with a lower one.
	 */
	public static final int SHUTDOWN_PHASE = LockServiceLifecycle.PHASE;

}
