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
import java.util.Optional;

import io.distributedlock.LockHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.LockService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Component;

/**
 * The same job with less, to see what happens then: without a lock, every instance does
 * the work. With a lock alone, so does each that fires when the others have finished.
 */
@Component
class UnsafeKeywordJob {

	private static final Logger logger = LoggerFactory.getLogger(UnsafeKeywordJob.class);

	private final KeywordExtraction extraction;

	private final LockService locks;

	UnsafeKeywordJob(KeywordExtraction extraction, LockService locks) {
		this.extraction = extraction;
		this.locks = locks;
	}

	void withoutLock() {
		logger.info("extracts the keywords without a lock");
		this.extraction.run(Guard.NONE);
	}

	void withLock() {
		Optional<LockHandle> lock = this.locks.tryAcquire("keyword-lock", LockOptions.ofLease(Duration.ofSeconds(60)));
		lock.ifPresent((handle) -> {
			try (handle) {
				logger.info("finds the lock free and extracts the keywords");
				this.extraction.run(Guard.LOCK);
			}
		});
	}

}
