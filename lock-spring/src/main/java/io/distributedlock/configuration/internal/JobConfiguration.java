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

import io.distributedlock.internal.Printable;
import io.distributedlock.internal.WallClock;
import io.distributedlock.scheduling.JobListener;
import io.distributedlock.scheduling.JobRun;
import io.distributedlock.scheduling.internal.Jobs;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.scheduling.TaskScheduler;

/**
 * Jobs that run once per fire time.
 */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class JobConfiguration {

	@Bean
	@Lazy(false)
	static ListenerBeans<JobListener, JobRun> distributedLockJobEventPublisher(ObjectProvider<JobListener> listeners) {
		return new ListenerBeans<>(listeners, JobListener::onJobRun, (run) -> "job '" + Printable.of(run.name()) + "'");
	}

	/**
	 * Created with the first bean that has a job, so it may need no other bean.
	 */
	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static Jobs distributedLockJobs(ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<TaskScheduler> schedulers, ObjectProvider<LockSettings> settings,
			ObjectProvider<WallClock> clock, ObjectProvider<ListenerBeans<JobListener, JobRun>> listeners) {
		return new Jobs(beanFactory, schedulers, () -> settings.getObject().engine().instanceName(),
				clock.getIfAvailable(() -> Instant::now), (run) -> listeners.getObject().publish(run));
	}

}
