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

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

import io.distributedlock.LockEvent;
import io.distributedlock.LockListener;
import io.distributedlock.LockObserver;
import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.engine.DefaultLockService;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.Ticker;
import io.distributedlock.internal.DeclaredLocks;
import io.distributedlock.internal.ModuleVersion;
import io.distributedlock.internal.Printable;
import io.distributedlock.observation.internal.LockLoggingContext;
import io.distributedlock.store.LockStore;
import io.distributedlock.transaction.internal.AmbientTransaction;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.ClassUtils;

/**
 * The lock service on the lock store of the application, unless it has a service of its
 * own.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBeans(value = LockStore.class, missing = LockService.class)
public class LockServiceConfiguration {

	private static final String SERVICE = "distributedLockService";

	private static final boolean MDC_PRESENT = ClassUtils.isPresent("org.slf4j.MDC",
			LockServiceConfiguration.class.getClassLoader());

	@Bean
	@Lazy(false)
	static ListenerBeans<LockListener, LockEvent> distributedLockEventPublisher(
			ObjectProvider<LockListener> listeners) {
		return new ListenerBeans<>(listeners, LockListener::onLockEvent,
				(event) -> "lock '" + Printable.of(event.name()) + "'");
	}

	/**
	 * Lazy, as most of the library is loaded with it, and the store is created for it.
	 */
	@Bean(name = SERVICE, destroyMethod = "close")
	@Lazy
	static DefaultLockService distributedLockService(LockStore store, LockSettings settings,
			ObjectProvider<LockOptionsCustomizer> customizers, ListenerBeans<LockListener, LockEvent> publisher,
			ObjectProvider<UnaryOperator<LockStore>> decorators, ObjectProvider<LockObserver> observer,
			ObjectProvider<Ticker> ticker, ListableBeanFactory beanFactory) {
		ModuleVersion.check(LockServiceConfiguration.class, "lock-spring");
		LockStore decorated = store;
		for (UnaryOperator<LockStore> decorator : decorators) {
			decorated = decorator.apply(decorated);
		}
		EngineSettings engine = settings.engine();
		BooleanSupplier nonBlocking = engine.inNonBlockingThread();
		return new DefaultLockService(decorated,
				engine.withCustomizer(all(engine.customizer(), customizers))
					.withNonBlockingThreads(() -> nonBlocking.getAsBoolean() || NonBlockingThreads.isCurrent()),
				listeners(beanFactory, publisher), ticker.getIfAvailable(Ticker::system),
				observer(observer, settings.logging()), AmbientTransaction.keeper());
	}

	/**
	 * Apply all beans in their order.
	 * @param first applies before them
	 */
	public static LockOptionsCustomizer all(LockOptionsCustomizer first, ObjectProvider<LockOptionsCustomizer> beans) {
		return beans.orderedStream()
			.reduce(first,
					(before, after) -> (name, options) -> after.customize(name, before.customize(name, options)));
	}

	/** None if there are no beans, so that the service need not even create events. */
	private static List<LockListener> listeners(ListableBeanFactory beanFactory,
			ListenerBeans<LockListener, LockEvent> publisher) {
		return (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, LockListener.class, true,
				false).length > 0) ? List.of(publisher::publish) : List.of();
	}

	private static @Nullable LockObserver observer(ObjectProvider<LockObserver> beans, boolean logging) {
		LockObserver observer = beans.getIfAvailable();
		return (logging && MDC_PRESENT) ? new LockLoggingContext(observer) : observer;
	}

	@Bean
	@Lazy
	static LockStoreCheck distributedLockStoreCheck(LockStore store, LockSettings settings,
			ObjectProvider<Ticker> ticker) {
		return new LockStoreCheck(store, settings.start(), ticker.getIfAvailable(Ticker::system));
	}

	@Bean
	static LockServiceLifecycle distributedLockServiceLifecycle(@Qualifier(SERVICE) ObjectProvider<LockService> service,
			ObjectProvider<LockStore> store, ObjectProvider<LockStoreCheck> check, LockSettings settings,
			ObjectProvider<DeclaredLocks> declaredLocks, ConfigurableApplicationContext context) {
		return new LockServiceLifecycle(service, store, check, settings, declaredLocks, context);
	}

	/**
	 * Return whether the lock service of the library is still to be created.
	 */
	static boolean isServicePending(ConfigurableListableBeanFactory beanFactory) {
		return beanFactory.containsBeanDefinition(SERVICE) && !beanFactory.containsSingleton(SERVICE);
	}

}
