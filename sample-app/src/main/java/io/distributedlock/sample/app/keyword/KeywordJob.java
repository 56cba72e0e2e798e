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

import io.distributedlock.annotation.OncePerFireTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Scenario 2: every instance schedules the job, and one of them runs it, whatever their
 * clocks say. If that one dies meanwhile, another one runs it again, within a minute.
 */
@Component
class KeywordJob {

	private static final Logger logger = LoggerFactory.getLogger(KeywordJob.class);

	private final KeywordExtraction extraction;

	KeywordJob(KeywordExtraction extraction) {
		this.extraction = extraction;
	}

	@Scheduled(cron = "${sample.keywords.cron}")
	@OncePerFireTime(name = "keyword-job", timeout = "3s", catchUp = "1m", maxHold = "9s")
	public void extractKeywords() {
		logger.info("has this fire time to itself and extracts the keywords");
		this.extraction.run(Guard.FIRE_TIME);
	}

}
