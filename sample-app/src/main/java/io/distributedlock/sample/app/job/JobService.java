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

package io.distributedlock.sample.app.job;

import java.time.Duration;
import java.util.Optional;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.sample.app.InstanceName;
import io.distributedlock.sample.app.SlowWork;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Service;

/**
 * Scenario 7: several workers go through the same jobs. A worker that finds a job taken
 * skips it without a wait and without an exception. The lease is renewed for as long as
 * the job takes; if the worker dies, the lease ends on its own.
 */
@Service
public class JobService {

	private static final Logger logger = LoggerFactory.getLogger(JobService.class);

	private static final Duration TIME_OF_A_JOB = Duration.ofMillis(250);

	private final JobRepository jobs;

	private final SlowWork work;

	private final InstanceName instance;

	JobService(JobRepository jobs, SlowWork work, InstanceName instance) {
		this.jobs = jobs;
		this.work = work;
		this.instance = instance;
	}

	/**
	 * Process a job.
	 * @return the result, or empty if another worker is processing it
	 */
	@DistributedLock(name = "job:#{#jobId}", timeout = 300, autoRenew = true, onContention = OnContention.SKIP)
	public Optional<JobResult> process(String jobId) {
		if (!this.jobs.findRuns(jobId).isEmpty()) {
			return Optional.of(JobResult.DONE_BEFORE);
		}
		logger.info("holds the lock and processes {}", jobId);
		this.work.take(TIME_OF_A_JOB);
		this.jobs.saveRun(jobId, this.instance.toString());
		return Optional.of(JobResult.PROCESSED);
	}

}
