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

import java.time.Instant;

import io.distributedlock.LockOptionsCustomizer;
import io.distributedlock.LockService;
import io.distributedlock.annotation.DistributedLockAdvisor;
import io.distributedlock.annotation.LockedMethodRegistry;
import io.distributedlock.annotation.internal.LockOrderPostProcessor;
import io.distributedlock.internal.Printable;
import io.distributedlock.internal.WallClock;
import io.distributedlock.scheduling.JobListener;
import io.distributedlock.scheduling.internal.Jobs;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.scheduling.TaskScheduler;

/**
 * Applies the locks of methods.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class LockInterceptionConfiguration {

	private static final String JOBS = "distributedLockJobs";

	/**
	 * Create the registry of the locked methods. Auto-proxying creates it with the
	 * advisor, before other beans, so neither may need any of them.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@Lazy(false)
	@ConditionalOnBeans(missing = { LockedMethodRegistry.class, DistributedLockAdvisor.class })
	static LockedMethodRegistry distributedLockMethodRegistry(ConfigurableBeanFactory beanFactory,
			ObjectProvider<LockService> service, ObjectProvider<LockOptionsCustomizer> customizers,
			ObjectProvider<LockedMethodSettings> settings) {
		LockedMethodRegistry registry = new LockedMethodRegistry(beanFactory, service, customizers);
		LockedMethodSettings methods = settings.getIfAvailable(() -> LockedMethodSettings.DEFAULTS);
		registry.setMaxHoldLimit(methods.maxHoldLimit());
		registry.setValidation(methods.validation());
		return registry;
	}

	/**
	 * Create the advisor. A child context needs its own, because a proxy creator may look
	 * for advisors nowhere else.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@Lazy(false)
	@ConditionalOnBeans(missingHere = DistributedLockAdvisor.class)
	static DistributedLockAdvisor distributedLockAdvisor(LockedMethodRegistry registry,
			ObjectProvider<LockedMethodSettings> settings) {
		DistributedLockAdvisor advisor = new DistributedLockAdvisor(registry);
		advisor.setOrder(settings.getIfAvailable(() -> LockedMethodSettings.DEFAULTS).order());
		return advisor;
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static LockOrderPostProcessor distributedLockOrderPostProcessor() {
		return new LockOrderPostProcessor();
	}

	/**
	 * Created with the first bean that has a job, so it may need no other bean.
	 */
	@Bean(JOBS)
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	@Lazy
	static Jobs distributedLockJobs(ConfigurableApplicationContext context, ObjectProvider<TaskScheduler> schedulers,
			ObjectProvider<LockSettings> settings, ObjectProvider<WallClock> clock,
			ObjectProvider<JobListener> listeners) {
		Jobs jobs = new Jobs(context.getBeanFactory(), schedulers, () -> settings.getObject().engine().instanceName(),
				clock.getIfAvailable(() -> Instant::now),
				(run) -> ListenerBeans.publish(run, listeners.orderedStream().toList(), JobListener::onJobRun,
						(told) -> "job '" + Printable.of(told.name()) + "'"),
				context::isClosed);
		if (context.isRunning()) {
			jobs.start();
		}
		return jobs;
	}

	/**
	 * Return the jobs of a context, or {@code null} if it has none so far.
	 */
	static @Nullable Jobs jobsOf(ConfigurableApplicationContext context) {
		return (context.getBeanFactory().getSingleton(JOBS) instanceof Jobs jobs) ? jobs : null;
	}

}
