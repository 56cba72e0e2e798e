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

package io.distributedlock.sample.app.mailing;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.sample.app.SlowWork;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;

/**
 * Scenario 12: the method runs in a thread of the executor, and its lock is acquired
 * there. The caller has a future at once, which fails if the lock is not available.
 */
@Service
public class MailingService {

	private static final Logger logger = LoggerFactory.getLogger(MailingService.class);

	private static final Duration TIME_PER_LETTER = Duration.ofMillis(100);

	private static final int LETTERS = 10;

	private final SlowWork work;

	MailingService(SlowWork work) {
		this.work = work;
	}

	/**
	 * Send an issue of the newsletter.
	 */
	@Async
	@DistributedLock(name = "mailing:#{#issue}", timeout = 30, autoRenew = true, maxHold = 600)
	public CompletableFuture<Mailing> send(String issue) {
		logger.info("holds the lock and sends {}", issue);
		for (int letter = 0; letter < LETTERS; letter++) {
			this.work.take(TIME_PER_LETTER);
		}
		return CompletableFuture.completedFuture(new Mailing(issue, LETTERS, Thread.currentThread().getName()));
	}

}
