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

package io.distributedlock.sample.app.keyword;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.stereotype.Component;

/**
 * The schedule of the job on this instance. Elsewhere, Spring starts what is scheduled;
 * here, nothing happens before somebody wants to see it.
 */
@Component
class KeywordSchedule implements SchedulingConfigurer {

	private final TaskScheduler scheduler;

	private final String cron;

	private final Map<Guard, Runnable> jobs;

	private final Map<Guard, ScheduledFuture<?>> started = new EnumMap<>(Guard.class);

	KeywordSchedule(TaskScheduler scheduler, @Value("${sample.keywords.cron}") String cron, KeywordJob job,
			UnsafeKeywordJob unsafe) {
		this.scheduler = scheduler;
		this.cron = cron;
		this.jobs = Map.of(Guard.NONE, unsafe::withoutLock, Guard.LOCK, unsafe::withLock, Guard.FIRE_TIME,
				job::extractKeywords);
	}

	@Override
	public void configureTasks(ScheduledTaskRegistrar registrar) {
		registrar.setCronTasksList(List.of());
	}

	synchronized void start(Guard guard) {
		this.started.computeIfAbsent(guard,
				(absent) -> this.scheduler.schedule(this.jobs.get(guard), new CronTrigger(this.cron)));
	}

	/**
	 * Stop the schedule.
	 * @param abruptly whether not even a run goes on that has begun
	 */
	synchronized void stop(boolean abruptly) {
		this.started.values().forEach((job) -> job.cancel(abruptly));
		this.started.clear();
	}

}
