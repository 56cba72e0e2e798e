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

package io.distributedlock.campaign.worker;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Jobs, the clock that they go by, and the scheduler for their late runs.
 */
@Configuration(proxyBeanMethods = false)
@Import({ Traffic.class, JobClock.class, JobCalls.class, JobWork.class })
class JobConfiguration {

	/** Enough for all jobs that wait until the traffic is open. */
	@Bean
	ThreadPoolTaskScheduler taskScheduler(JobCalls calls) {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.setPoolSize(Job.values().length);
		scheduler.setThreadNamePrefix("campaign-late-job-");
		scheduler.setDaemon(true);
		scheduler.setTaskDecorator((task) -> () -> calls.late(task));
		scheduler.setErrorHandler(calls::failed);
		return scheduler;
	}

}
