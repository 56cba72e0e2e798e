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

import java.time.Duration;
import java.util.List;

import org.springframework.data.redis.core.StringRedisTemplate;
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

	/** What the lock knows of the last run of the job. */
	private static final String RECORD = "{lock:keyword-job}:record";

	private final KeywordSchedule schedule;

	private final KeywordExtraction extraction;

	private final KeywordFile file;

	private final StringRedisTemplate redis;

	KeywordController(KeywordSchedule schedule, KeywordExtraction extraction, KeywordFile file,
			StringRedisTemplate redis) {
		this.schedule = schedule;
		this.extraction = extraction;
		this.file = file;
		this.redis = redis;
	}

	@PostMapping("/schedule")
	void start(@RequestParam(defaultValue = "FIRE_TIME") Guard guard, @RequestParam(defaultValue = "40") int millis) {
		this.extraction.setTimePerDocument(Duration.ofMillis(millis));
		this.schedule.start(guard);
	}

	/**
	 * Stop the schedule. That the job ran is forgotten as well, unless it is an abrupt
	 * end: nobody misses the fire times of a schedule that is stopped.
	 */
	@DeleteMapping("/schedule")
	void stop(@RequestParam(defaultValue = "false") boolean abruptly) {
		this.schedule.stop(abruptly);
		if (!abruptly) {
			this.redis.delete(RECORD);
		}
	}

	@GetMapping
	List<Keywords> read() {
		return this.file.read();
	}

	/** Forget what the job wrote, and that it ran. */
	@DeleteMapping
	void delete() {
		this.file.delete();
		this.redis.delete(RECORD);
	}

}
