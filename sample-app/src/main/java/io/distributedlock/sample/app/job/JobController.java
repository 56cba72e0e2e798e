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

import java.util.List;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/jobs/{jobId}")
class JobController {

	private static final Logger logger = LoggerFactory.getLogger(JobController.class);

	private final JobService service;

	private final JobRepository jobs;

	JobController(JobService service, JobRepository jobs) {
		this.service = service;
		this.jobs = jobs;
	}

	@PostMapping
	Map<String, JobResult> process(@PathVariable String jobId) {
		JobResult result = this.service.process(jobId).orElse(JobResult.TAKEN);
		if (result == JobResult.TAKEN) {
			logger.info("skips {}: it is taken", jobId);
		}
		return Map.of("result", result);
	}

	@GetMapping("/runs")
	List<String> runs(@PathVariable String jobId) {
		return this.jobs.findRuns(jobId);
	}

}
