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

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Scope;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * The same job without the lock, to see what happens then: every instance does the work.
 */
@Component
@Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
class UnlockedKeywordJob {

	private static final Logger logger = LoggerFactory.getLogger(UnlockedKeywordJob.class);

	private final KeywordExtraction extraction;

	UnlockedKeywordJob(KeywordExtraction extraction) {
		this.extraction = extraction;
	}

	@Scheduled(cron = "${sample.keywords.cron}")
	public void extractKeywords() {
		logger.info("extracts the keywords without a lock");
		this.extraction.run();
	}

}
