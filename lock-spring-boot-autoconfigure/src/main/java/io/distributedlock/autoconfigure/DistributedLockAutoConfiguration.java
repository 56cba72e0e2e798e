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

import java.util.List;
import java.util.function.UnaryOperator;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockObserver;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.autoconfigure.internal.ConditionalOnLockSwitch;
import io.distributedlock.autoconfigure.internal.ListenerBeans;
import io.distributedlock.autoconfigure.internal.LockSwitch;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.Ticker;
import io.distributedlock.internal.DeclaredLocks;
import io.distributedlock.internal.Printable;
import io.distributedlock.observation.internal.LockLoggingContext;
import io.distributedlock.store.LockStore;
import io.distributedlock.transaction.internal.AmbientTransaction;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

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
		NoOpLockServiceConfiguration.class })
public final class DistributedLockAutoConfiguration {

	/**
	 * Lifecycle phase in which the locks stop: after everything with a higher phase,
	 * before everything with a lower one.
	 */
	public static final int SHUTDOWN_PHASE = 1024;

	private static final boolean MDC_PRESENT = ClassUtils.isPresent("org.slf4j.MDC",
			DistributedLockAutoConfiguration.class.getClassLoader());

	/**
	 * Publish the events of the lock service. No application defines this bean, so its
	 * presence tells the beans below that the service is the library's own.
	 */
	@Bean
	@Lazy(false)
	@ConditionalOnBean(LockStore.class)
	@ConditionalOnMissingBean(LockService.class)
	ListenerBeans<LockListener, LockEvent> lockEventPublisher(ObjectProvider<LockListener> listeners) {
		return new ListenerBeans<>(listeners, LockListener::onLockEvent,
				(event) -> "lock '" + Printable.of(event.name()) + "'");
	}

	@Bean(destroyMethod = "close")
	@ConditionalOnBean(name = "lockEventPublisher")
	DefaultLockService lockService(LockStore store, DistributedLockProperties properties, ConfiguredLockOptions options,
			ObjectProvider<LockOptionsCustomizer> customizers, ListenerBeans<LockListener, LockEvent> publisher,
			ObjectProvider<UnaryOperator<LockStore>> decorators, ObjectProvider<LockObserver> observer,
			ObjectProvider<Ticker> ticker, ListableBeanFactory beanFactory, Environment environment) {
		String instanceName = StringUtils.hasText(properties.instanceName()) ? properties.instanceName()
				: InstanceName.derive(environment);
		EngineSettings standard = EngineSettings.of(instanceName);
		EngineSettings settings = standard.withDefaults(options.defaults())
			.withCustomizer(ConfiguredLockOptions.all(customizers))
			.withLocalHandoffs(properties.localHandoffs().count(), standard.handoffWindow())
			.withClosing(properties.release().await() ? EngineSettings.Closing.AWAITS_ANSWER
					: EngineSettings.Closing.RETURNS_WHEN_SENT)
			.withNonBlockingThreads(NonBlockingThreads::isCurrent);
		LockStore decorated = store;
		for (UnaryOperator<LockStore> decorator : decorators) {
			decorated = decorator.apply(decorated);
		}
		return new DefaultLockService(decorated, settings, listeners(beanFactory, publisher),
				ticker.getIfAvailable(Ticker::system), observer(observer, properties), AmbientTransaction.keeper());
	}

	/** None if there are no beans, so that the service need not even create events. */
	private static List<LockListener> listeners(ListableBeanFactory beanFactory,
			ListenerBeans<LockListener, LockEvent> publisher) {
		return (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, LockListener.class, true,
				false).length > 0) ? List.of(publisher::publish) : List.of();
	}

	private static @Nullable LockObserver observer(ObjectProvider<LockObserver> beans,
			DistributedLockProperties properties) {
		LockObserver observer = beans.getIfAvailable();
		return (properties.logging().mdc() && MDC_PRESENT) ? new LockLoggingContext(observer) : observer;
	}

	@Bean
	@ConditionalOnBean(name = "lockEventPublisher")
	LockStoreCheck lockStoreCheck(LockStore store, DistributedLockProperties properties,
			ObjectProvider<Ticker> ticker) {
		return new LockStoreCheck(store, properties.redis().check(), ticker.getIfAvailable(Ticker::system));
	}

	@Bean
	@ConditionalOnBean(name = "lockEventPublisher")
	LockServiceLifecycle lockServiceLifecycle(@Qualifier("lockService") LockService service, LockStore store,
			LockStoreCheck check, DistributedLockProperties properties, ConfiguredLockOptions options,
			ObjectProvider<DeclaredLocks> declaredLocks, ConfigurableApplicationContext context) {
		return new LockServiceLifecycle(service, store, check, context, properties.shutdown().gracePeriod(),
				() -> StartMessage.of(store, properties, options.defaults(), declaredLocks));
	}

}
