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

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.sample.app.LockAnswers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Scope;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Scenario 2: every instance schedules the job at the same second, one of them runs it.
 * The lock stays taken for at least a second, so that an instance whose clock is a little
 * late finds it taken, however quick the job was.
 *
 * <p>
 * A prototype only so that the sample can start and stop the schedule by hand.
 */
@Component
@Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
class KeywordJob {

	private static final Logger logger = LoggerFactory.getLogger(KeywordJob.class);

	private final KeywordExtraction extraction;

	KeywordJob(KeywordExtraction extraction) {
		this.extraction = extraction;
	}

	@Scheduled(cron = "${sample.keywords.cron}")
	@DistributedLock(name = "keyword-job", timeout = 60, minHold = 1, fallbackMethod = "runsElsewhere")
	public void extractKeywords() {
		logger.info("holds the lock and extracts the keywords");
		this.extraction.run();
	}

	void runsElsewhere(LockNotAcquiredException ex) {
		logger.info("could not get the lock 'keyword-job': {} has it", LockAnswers.holder(ex));
	}

}
