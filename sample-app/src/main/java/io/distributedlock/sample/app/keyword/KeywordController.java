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

import java.util.List;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * Starts and stops the schedule on this instance and shows what the job wrote.
 */
@RestController
@RequestMapping("/keywords")
class KeywordController {

	private final ObjectProvider<KeywordJob> lockedJob;

	private final ObjectProvider<UnlockedKeywordJob> unlockedJob;

	private final ScheduledTaskHolder schedule;

	private final KeywordFile file;

	KeywordController(ObjectProvider<KeywordJob> lockedJob, ObjectProvider<UnlockedKeywordJob> unlockedJob,
			ScheduledTaskHolder schedule, KeywordFile file) {
		this.lockedJob = lockedJob;
		this.unlockedJob = unlockedJob;
		this.schedule = schedule;
		this.file = file;
	}

	@PostMapping("/schedule")
	void start(@RequestParam(defaultValue = "true") boolean locked) {
		stop();
		(locked ? this.lockedJob : this.unlockedJob).getObject();
	}

	@DeleteMapping("/schedule")
	void stop() {
		this.schedule.getScheduledTasks().forEach(ScheduledTask::cancel);
	}

	@GetMapping
	List<Keywords> read() {
		return this.file.read();
	}

	@DeleteMapping
	void delete() {
		this.file.delete();
	}

}
